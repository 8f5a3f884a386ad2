UPDATE run_stages SET status = 'failed', ended_at = $2 WHERE run_id = $1 AND status = 'running'
