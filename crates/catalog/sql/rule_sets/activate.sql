-- Runs after counters/advance in the same transaction, whose locked row keeps two from taking the same version.
INSERT INTO rule_sets (version, digest, activation, created_at, activated_at, reason, signals, fingerprints, definition)
SELECT (SELECT COALESCE(max(version), 0) + 1 FROM rule_sets), $1, value, $2, $2, $3, $4, $5, $6
FROM counters WHERE name = 'activations'
ON CONFLICT (digest) DO UPDATE
SET activation = excluded.activation, activated_at = excluded.activated_at, reason = excluded.reason
RETURNING version, digest, created_at, activated_at, reason, signals, fingerprints
