-- PostgreSQL would plan each row's statement anew: here every parameter is an array, one element per change.
INSERT INTO changes (month, site, signal, previous, kind, certainty, reason, since, rule_set, evidence)
SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
