-- The fence of a batch: it moves only from where the batch begins, and never once the segment is finished.
UPDATE processed_segments
SET records_done = $4, pages = pages + $5, matches = matches + $6, finished_at = $7
WHERE sha256 = $1 AND rule_set = $2 AND records_done = $3 AND finished_at IS NULL
