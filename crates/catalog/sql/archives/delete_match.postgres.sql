-- PostgreSQL would plan each row's statement anew: here every parameter is an array, one element per match.
DELETE FROM matches
USING unnest($1, $2, $3, $4, $5) AS gone (path, round, line, fingerprint, rule_set), archives
WHERE archives.path = gone.path AND matches.month = archives.month AND matches.round = gone.round
  AND matches.line = gone.line AND matches.fingerprint = gone.fingerprint AND matches.rule_set = gone.rule_set
