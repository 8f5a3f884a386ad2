-- The last of the next so many sites that have pages in the month.
SELECT max(site) AS site
FROM (SELECT DISTINCT site FROM pages WHERE month = $1 AND site >= $2 ORDER BY site LIMIT $3) AS stretch
