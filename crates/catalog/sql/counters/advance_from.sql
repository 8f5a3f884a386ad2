-- Changes a row only if nobody advanced it since it was read; without a row it was read as 0.
INSERT INTO counters (name, value) VALUES ($1, 1)
ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 WHERE counters.value = $2
