INSERT INTO deliveries (destination, file, sha256, path, bytes, round, delivered_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (destination, file, sha256) DO NOTHING
