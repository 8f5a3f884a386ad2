-- Taken if it is free, if its lease is over, or if it is still the very holding ($9) that was found dead.
INSERT INTO locks (name, holder, host, boot_id, pid, pid_started, since, expires_at, fence)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1)
ON CONFLICT (name) DO UPDATE SET
    holder = excluded.holder, host = excluded.host, boot_id = excluded.boot_id, pid = excluded.pid,
    pid_started = excluded.pid_started, since = excluded.since, expires_at = excluded.expires_at,
    fence = locks.fence + 1
WHERE locks.holder IS NULL OR locks.expires_at <= $7 OR locks.fence = $9
RETURNING fence
