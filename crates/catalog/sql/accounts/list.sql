SELECT id, name, website, street, city, region, postcode, country FROM accounts WHERE id >= $1 ORDER BY id LIMIT $2
