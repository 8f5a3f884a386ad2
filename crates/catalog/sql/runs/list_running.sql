SELECT id, round, job, status, parameters, counts, outcome, exit_code, host, boot_id, pid, pid_started,
       started_at, heartbeat_at, ended_at
FROM runs WHERE status = 'running' ORDER BY id
