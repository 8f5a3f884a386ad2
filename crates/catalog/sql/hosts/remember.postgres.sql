-- PostgreSQL would plan each row's statement anew: here every parameter is an array, one element per host, none twice.
-- The rules are those of remember.sql.
INSERT INTO hosts (host, last_request_at, next_allowed_at, delay_ms, suspended_until, strikes, updated_at)
SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (host) DO UPDATE SET
    delay_ms = CASE WHEN excluded.last_request_at >= hosts.last_request_at
                    THEN excluded.delay_ms ELSE hosts.delay_ms END,
    strikes = CASE WHEN excluded.last_request_at >= hosts.last_request_at
                   THEN excluded.strikes ELSE hosts.strikes END,
    last_request_at = CASE WHEN excluded.last_request_at > hosts.last_request_at
                           THEN excluded.last_request_at ELSE hosts.last_request_at END,
    next_allowed_at = CASE WHEN excluded.next_allowed_at > hosts.next_allowed_at
                           THEN excluded.next_allowed_at ELSE hosts.next_allowed_at END,
    suspended_until = CASE WHEN hosts.suspended_until IS NULL OR excluded.suspended_until > hosts.suspended_until
                           THEN excluded.suspended_until ELSE hosts.suspended_until END,
    updated_at = CASE WHEN excluded.updated_at > hosts.updated_at
                      THEN excluded.updated_at ELSE hosts.updated_at END
