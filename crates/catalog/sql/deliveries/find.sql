SELECT destination, file, sha256, path, bytes, round, delivered_at
FROM deliveries WHERE destination = $1 AND file = $2 AND sha256 = $3
