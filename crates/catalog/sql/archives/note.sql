INSERT INTO archives (path, month, row_count, sha256, created_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (path) DO NOTHING
