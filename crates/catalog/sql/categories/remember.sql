INSERT INTO categories (key, title, about, exclusive) VALUES ($1, $2, $3, $4)
ON CONFLICT (key) DO UPDATE SET title = excluded.title, about = excluded.about, exclusive = excluded.exclusive
