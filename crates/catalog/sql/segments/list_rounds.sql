SELECT DISTINCT round FROM processed_months WHERE month = $1 ORDER BY round
