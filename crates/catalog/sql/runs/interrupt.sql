-- A run that has beaten since it was judged is alive after all.
UPDATE runs SET status = 'interrupted', outcome = $3, ended_at = $4
WHERE id = $1 AND status = 'running' AND heartbeat_at = $2
RETURNING id
