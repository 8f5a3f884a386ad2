-- PostgreSQL lists its tables in its own catalog, and only the one that the search path finds counts.
SELECT to_regclass('schema_migrations') IS NOT NULL AS present
