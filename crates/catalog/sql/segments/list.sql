SELECT sha256, rule_set, round, segment, records_done, pages, matches, started_at, finished_at
FROM processed_segments WHERE round = $1 ORDER BY segment, rule_set, sha256
