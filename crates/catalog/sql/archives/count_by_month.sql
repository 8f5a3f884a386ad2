-- Steps from month to month along the key, so that only the months that are asked for are counted.
WITH RECURSIVE months (month) AS (
    SELECT min(month) FROM matches
    UNION ALL
    SELECT (SELECT min(matches.month) FROM matches WHERE matches.month > months.month)
    FROM months WHERE months.month < $1
)
SELECT month, (SELECT count(*) FROM matches WHERE matches.month = months.month) AS matches
FROM months WHERE month < $1 ORDER BY month
