INSERT INTO processed_months (month, round, rule_set) VALUES ($1, $2, $3)
ON CONFLICT (month, round, rule_set) DO NOTHING
