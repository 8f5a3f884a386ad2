CREATE TABLE IF NOT EXISTS schema_migrations (
    name       text        NOT NULL PRIMARY KEY,
    checksum   text        NOT NULL,
    applied_at timestamptz NOT NULL
)
