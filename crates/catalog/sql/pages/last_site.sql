-- The site of the page that is so many pages on: what a stretch of whole sites with about so many pages ends with.
SELECT max(site) AS site
FROM (SELECT site FROM pages WHERE month = $1 AND site >= $2 ORDER BY site LIMIT $3) AS stretch
