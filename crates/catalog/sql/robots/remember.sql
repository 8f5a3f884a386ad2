-- Two crawlers may report out of order: the later answer stays.
INSERT INTO robots (origin, fetched_at, status, body) VALUES ($1, $2, $3, $4)
ON CONFLICT (origin) DO UPDATE SET fetched_at = excluded.fetched_at, status = excluded.status, body = excluded.body
WHERE excluded.fetched_at >= robots.fetched_at
