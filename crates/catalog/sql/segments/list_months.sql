SELECT DISTINCT month FROM processed_months AS known
WHERE rule_set = $1 AND EXISTS (SELECT 1 FROM matches WHERE matches.month = known.month)
ORDER BY month
