SELECT count(DISTINCT site) AS sites FROM pages WHERE month = $1
