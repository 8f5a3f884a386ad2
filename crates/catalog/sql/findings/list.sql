SELECT finding.site, finding.month, finding.fingerprint, fingerprint.key AS fingerprint_key, fingerprint.part,
       signal.id AS signal_id, signal.name AS signal, signal.vendor, signal.family, signal.category,
       COALESCE(category.title, signal.category) AS category_title,
       COALESCE(category.exclusive, FALSE) AS exclusive,
       finding.rule_set, finding.match_count, finding.first_seen_at, finding.last_seen_at, finding.confidence,
       finding.version, finding.account, finding.tracker, finding.url, finding.position, finding.snippet,
       implying.name AS implied_by
FROM findings AS finding
JOIN fingerprints AS fingerprint ON fingerprint.id = finding.fingerprint
JOIN signals AS signal ON signal.name = fingerprint.signal
LEFT JOIN categories AS category ON category.key = signal.category
LEFT JOIN signals AS implying ON implying.id = finding.implied_by
WHERE finding.month = $1 AND finding.site >= $2
  AND (finding.site, signal.name, fingerprint.key) > ($2, $3, $4)
ORDER BY finding.site, signal.name, fingerprint.key
LIMIT $5
