SELECT version, digest, created_at, activated_at, reason, signals, fingerprints FROM rule_sets ORDER BY version
