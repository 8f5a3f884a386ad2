-- The content may come to a place again after another was there, or the place may have moved: the last delivery counts.
INSERT INTO deliveries (destination, file, sha256, path, bytes, round, delivered_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (destination, file, sha256) DO UPDATE
SET path = excluded.path, bytes = excluded.bytes, round = excluded.round, delivered_at = excluded.delivered_at
WHERE deliveries.delivered_at < excluded.delivered_at
