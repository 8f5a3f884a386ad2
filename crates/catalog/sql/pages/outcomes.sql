-- A page that was visited in several rounds of the month was captured if one of them captured it; else the last counts.
SELECT site, url, disposition, detail
FROM (SELECT site, url, disposition, detail,
             row_number() OVER (PARTITION BY site, url
                                ORDER BY disposition = 'captured' DESC, ended_at DESC, round, line) AS place
      FROM pages WHERE month = $1 AND site >= $2 AND site <= $3) AS ranked
WHERE place = 1
ORDER BY site, url
