SELECT version, digest, created_at, activated_at, reason, signals, fingerprints, definition
FROM rule_sets WHERE version = $1
