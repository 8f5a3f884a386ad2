-- Takes a stretch of sites out of what the month came to ($4 = -1), or puts it in again (1): what happens to its findings
-- between the two, in the same transaction, is counted without a look at the rest.
INSERT INTO month_findings (month, rule_set, findings)
SELECT $1, rule_set, $4 * count(*) FROM findings
WHERE month = $1 AND site >= $2 AND site <= $3
GROUP BY rule_set
ON CONFLICT (month, rule_set) DO UPDATE SET findings = month_findings.findings + excluded.findings
