INSERT INTO changes (month, site, signal, previous, kind, certainty, reason, since, rule_set, evidence)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
