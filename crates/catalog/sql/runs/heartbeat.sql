UPDATE runs SET heartbeat_at = $2, counts = $3 WHERE id = $1 AND status = 'running'
