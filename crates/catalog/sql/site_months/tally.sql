-- As findings/tally, for what was looked at.
INSERT INTO month_coverage (month, sites, targets, captured)
SELECT $1, $4 * count(*), $4 * CAST(sum(targets) AS bigint), $4 * CAST(sum(captured) AS bigint) FROM site_months
WHERE month = $1 AND site >= $2 AND site <= $3
HAVING count(*) > 0
ON CONFLICT (month) DO UPDATE SET
    sites = month_coverage.sites + excluded.sites,
    targets = month_coverage.targets + excluded.targets,
    captured = month_coverage.captured + excluded.captured
