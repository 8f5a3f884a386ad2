-- A page counts once, as pages/outcomes has it. The main detail is the most frequent one of what was not captured.
WITH outcomes AS (
    SELECT site, disposition, detail
    FROM (SELECT site, disposition, detail,
                 row_number() OVER (PARTITION BY site, url
                                    ORDER BY disposition = 'captured' DESC, ended_at DESC, round, line) AS place
          FROM pages WHERE month = $1 AND site >= $2 AND site <= $3) AS ranked
    WHERE place = 1
), details AS (
    SELECT site, detail, row_number() OVER (PARTITION BY site ORDER BY count(*) DESC, detail) AS place
    FROM outcomes WHERE disposition <> 'captured' GROUP BY site, detail
)
INSERT INTO site_months (site, month, targets, captured, failed, excluded, main_detail, updated_at)
SELECT outcomes.site, $1, count(*), count(*) FILTER (WHERE disposition = 'captured'),
       count(*) FILTER (WHERE disposition = 'failed'), count(*) FILTER (WHERE disposition = 'excluded'),
       max(details.detail), $4
FROM outcomes LEFT JOIN details ON details.site = outcomes.site AND details.place = 1
WHERE TRUE
GROUP BY outcomes.site
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
