-- An empty round stands for all of them.
SELECT DISTINCT month FROM processed_months WHERE rule_set = $1 AND ($2 = '' OR round = $2) ORDER BY month
