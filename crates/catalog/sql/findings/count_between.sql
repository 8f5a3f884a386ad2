SELECT count(*) AS findings FROM findings WHERE month = $1 AND site >= $2 AND site <= $3 AND rule_set = $4
