INSERT INTO fingerprints (id, key, pack, signal, part, definition, version, enabled, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, TRUE, $8)
