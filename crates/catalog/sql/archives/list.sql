SELECT path, month, row_count, sha256, created_at, removed_at FROM archives ORDER BY path
