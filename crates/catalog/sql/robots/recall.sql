SELECT origin, fetched_at, status, body FROM robots WHERE origin = $1 AND fetched_at > $2
