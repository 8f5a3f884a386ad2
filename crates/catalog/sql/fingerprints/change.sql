UPDATE fingerprints
SET pack = $3, signal = $4, part = $5, definition = $6, version = $7, deleted_at = NULL, updated_at = $8
WHERE id = $1 AND key = $2
