SELECT host, last_request_at, next_allowed_at, delay_ms, suspended_until, strikes FROM hosts WHERE host = $1
