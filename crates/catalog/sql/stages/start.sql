UPDATE run_stages SET status = 'running', started_at = $3, ended_at = NULL WHERE run_id = $1 AND stage = $2
