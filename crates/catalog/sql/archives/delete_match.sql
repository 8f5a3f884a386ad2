DELETE FROM matches
WHERE month = (SELECT month FROM archives WHERE path = $1)
  AND round = $2 AND line = $3 AND fingerprint = $4 AND rule_set = $5
