SELECT records_done, finished_at FROM processed_segments WHERE sha256 = $1 AND rule_set = $2
