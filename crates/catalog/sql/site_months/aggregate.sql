-- A page counts once, as pages/outcomes has it. The main detail is the most frequent one of what was not captured.
WITH outcomes AS (
    SELECT site, disposition, detail
    FROM (SELECT site, disposition, detail,
                 row_number() OVER (PARTITION BY site, url
                                    ORDER BY disposition = 'captured' DESC, ended_at DESC, round, line) AS place
          FROM pages WHERE month = $1 AND site >= $2 AND site <= $3) AS ranked
    WHERE place = 1
), counted AS (
    SELECT site, disposition, detail, count(*) AS pages FROM outcomes GROUP BY site, disposition, detail
), ranked AS (
    SELECT site, disposition, detail, pages,
           row_number() OVER (PARTITION BY site ORDER BY disposition = 'captured', pages DESC, detail) AS place
    FROM counted
)
INSERT INTO site_months (site, month, targets, captured, failed, excluded, main_detail, updated_at)
SELECT site, $1, CAST(sum(pages) AS bigint),
       CAST(sum(CASE WHEN disposition = 'captured' THEN pages ELSE 0 END) AS bigint),
       CAST(sum(CASE WHEN disposition = 'failed' THEN pages ELSE 0 END) AS bigint),
       CAST(sum(CASE WHEN disposition = 'excluded' THEN pages ELSE 0 END) AS bigint),
       max(detail) FILTER (WHERE place = 1 AND disposition <> 'captured'), $4
FROM ranked
WHERE TRUE
GROUP BY site
ON CONFLICT (site, month) DO UPDATE SET
    targets = excluded.targets,
    captured = excluded.captured,
    failed = excluded.failed,
    excluded = excluded.excluded,
    main_detail = excluded.main_detail,
    updated_at = excluded.updated_at
WHERE excluded.targets <> site_months.targets
   OR excluded.captured <> site_months.captured
   OR excluded.failed <> site_months.failed
   OR excluded.excluded <> site_months.excluded
   OR excluded.main_detail IS DISTINCT FROM site_months.main_detail
