SELECT name, checksum FROM schema_migrations ORDER BY name
