SELECT host, last_request_at, next_allowed_at, delay_ms, suspended_until, strikes
FROM hosts
WHERE next_allowed_at > $1 OR suspended_until > $1 OR next_allowed_at <= last_request_at
