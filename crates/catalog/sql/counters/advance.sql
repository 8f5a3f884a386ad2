-- The row stays locked until the transaction ends, so two that run at once never read the same number.
INSERT INTO counters (name, value) VALUES ($1, 1)
ON CONFLICT (name) DO UPDATE SET value = counters.value + 1
RETURNING value
