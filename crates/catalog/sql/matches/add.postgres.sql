-- PostgreSQL would plan each row's statement anew: here every parameter is an array, one element per match.
INSERT INTO matches (round, line, fingerprint, rule_set, site, month, found_at, confidence, position, snippet,
                     version, account, tracker, implied_by)
SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (month, round, line, fingerprint, rule_set) DO NOTHING
