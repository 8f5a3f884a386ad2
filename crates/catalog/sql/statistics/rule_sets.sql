SELECT used.version, used.findings, rules.activated_at, rules.signals, rules.fingerprints
FROM (SELECT rule_set AS version, count(*) AS findings FROM findings WHERE month = $1 GROUP BY rule_set) AS used
JOIN rule_sets AS rules ON rules.version = used.version
ORDER BY rules.activated_at DESC, used.version DESC
