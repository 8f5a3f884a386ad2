SELECT id, round, job, status, parameters, counts, outcome, exit_code, host, boot_id, pid, pid_started,
       started_at, heartbeat_at, ended_at
FROM runs WHERE ($1 IS NULL OR round = $1) AND ($2 IS NULL OR job = $2)
ORDER BY id DESC LIMIT $3
