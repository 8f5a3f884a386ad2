SELECT month, rule_set, count(*) AS findings FROM findings GROUP BY month, rule_set ORDER BY month, rule_set
