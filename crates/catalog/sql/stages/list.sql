SELECT stage, position, status, counts, started_at, ended_at FROM run_stages WHERE run_id = $1 ORDER BY position
