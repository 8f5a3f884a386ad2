SELECT count(*) AS sites FROM site_months WHERE month = $1 AND site >= $2 AND site <= $3
