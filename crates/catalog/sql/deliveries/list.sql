SELECT destination, file, sha256, path, bytes, round, delivered_at
FROM deliveries WHERE $1 IS NULL OR round = $1
ORDER BY delivered_at DESC, destination, file, sha256 LIMIT $2
