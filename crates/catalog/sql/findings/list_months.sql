SELECT month, rule_set, findings FROM month_findings WHERE findings > 0 ORDER BY month, rule_set
