DELETE FROM dual_vendors WHERE month = $1 AND account >= $2 AND ($3 IS NULL OR account <= $3)
