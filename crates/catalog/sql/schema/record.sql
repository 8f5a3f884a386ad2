-- Changes nothing if another process was first, and the caller gives way.
INSERT INTO schema_migrations (name, checksum, applied_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING
