INSERT INTO processed_segments (sha256, rule_set, round, segment, records_done, pages, matches, started_at)
VALUES ($1, $2, $3, $4, 0, 0, 0, $5)
ON CONFLICT (sha256, rule_set) DO NOTHING
