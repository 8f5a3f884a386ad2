DELETE FROM changes WHERE month = $1 AND site >= $2 AND ($3 IS NULL OR site <= $3)
