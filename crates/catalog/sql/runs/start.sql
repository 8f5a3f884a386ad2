-- Runs after counters/advance in the same transaction.
INSERT INTO runs (id, round, job, status, parameters, counts, host, boot_id, pid, pid_started, started_at, heartbeat_at)
SELECT value, $1, $2, 'running', $3, $4, $5, $6, $7, $8, $9, $9 FROM counters WHERE name = 'runs'
RETURNING id
