SELECT id, name, category, vendor, family, website, definition, enabled, deleted_at, pack FROM signals ORDER BY id
