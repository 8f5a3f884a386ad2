-- A lease that ran out but that nobody took is still ours; one that was taken has another fence.
UPDATE locks SET expires_at = $3 WHERE name = $1 AND fence = $2 AND holder IS NOT NULL
