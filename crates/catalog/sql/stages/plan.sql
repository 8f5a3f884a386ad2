-- Runs after counters/advance and runs/start in the same transaction.
INSERT INTO run_stages (run_id, stage, position, status, counts)
SELECT value, $1, $2, 'pending', $3 FROM counters WHERE name = 'runs'
