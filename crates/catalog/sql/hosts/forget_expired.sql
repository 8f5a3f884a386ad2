DELETE FROM hosts
WHERE last_request_at <= $1 AND next_allowed_at <= $1 AND (suspended_until IS NULL OR suspended_until <= $1)
