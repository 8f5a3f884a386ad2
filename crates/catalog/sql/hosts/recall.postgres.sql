-- PostgreSQL would plan each host's statement anew: here the parameter is an array of hosts.
SELECT host, last_request_at, next_allowed_at, delay_ms, suspended_until, strikes
FROM unnest($1) WITH ORDINALITY AS asked (host, position) JOIN hosts USING (host)
ORDER BY position
