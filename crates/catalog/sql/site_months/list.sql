SELECT site, month, targets, captured, failed, excluded, main_detail
FROM site_months WHERE month = $1 AND site >= $2 ORDER BY site LIMIT $3
