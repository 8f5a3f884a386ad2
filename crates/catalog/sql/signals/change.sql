UPDATE signals
SET pack = $3, category = $4, vendor = $5, family = $6, website = $7, definition = $8, deleted_at = NULL, updated_at = $9
WHERE id = $1 AND name = $2
