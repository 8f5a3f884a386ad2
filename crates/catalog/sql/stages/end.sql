UPDATE run_stages SET status = $3, counts = $4, ended_at = $5 WHERE run_id = $1 AND stage = $2 AND status = 'running'
