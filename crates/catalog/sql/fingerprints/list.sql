SELECT id, key, signal, part, definition, version, enabled, deleted_at, pack, updated_at FROM fingerprints ORDER BY id
