UPDATE runs SET status = $2, outcome = $3, exit_code = $4, counts = $5, ended_at = $6, heartbeat_at = $6
WHERE id = $1 AND status = 'running'
