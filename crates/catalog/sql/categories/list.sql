SELECT key, title, about, exclusive FROM categories ORDER BY key
