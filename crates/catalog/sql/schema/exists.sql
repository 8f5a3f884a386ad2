SELECT count(*) > 0 AS present FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'
