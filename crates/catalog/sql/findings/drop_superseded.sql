-- What other rules found and these do not see is not there, once every segment of the month's rounds was read with these.
DELETE FROM findings
WHERE month = $1 AND site >= $2 AND site <= $3 AND rule_set <> $4
  AND NOT EXISTS (
      SELECT 1 FROM processed_segments AS known
      WHERE known.round IN (SELECT round FROM processed_months WHERE month = $1)
        AND NOT EXISTS (SELECT 1 FROM processed_segments AS again
                        WHERE again.sha256 = known.sha256 AND again.rule_set = $4 AND again.finished_at IS NOT NULL))
