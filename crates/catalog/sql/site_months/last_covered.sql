SELECT site, max(month) AS month
FROM site_months WHERE site >= $2 AND site <= $3 AND month < $1 AND captured > 0
GROUP BY site ORDER BY site
