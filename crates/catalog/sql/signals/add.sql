INSERT INTO signals (id, name, pack, category, vendor, family, website, definition, enabled, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, TRUE, $9)
