SELECT round, line, fingerprint, rule_set, site, month, found_at, confidence, position, snippet, version, account,
       tracker, implied_by
FROM matches
WHERE month = $1 AND (round, line, fingerprint, rule_set) > ($2, $3, $4, $5)
ORDER BY round, line, fingerprint, rule_set
LIMIT $6
