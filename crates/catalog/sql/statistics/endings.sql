-- A page counts once, as pages/outcomes has it, so that the sum is that of the month's coverage.
SELECT disposition, detail, count(*) AS pages
FROM (SELECT disposition, detail,
             row_number() OVER (PARTITION BY site, url
                                ORDER BY disposition = 'captured' DESC, ended_at DESC, round, line) AS place
      FROM pages WHERE month = $1) AS ranked
WHERE place = 1
GROUP BY disposition, detail
ORDER BY pages DESC, disposition, detail
