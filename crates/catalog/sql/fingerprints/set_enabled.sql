-- The one with this key, or all of the signal with this name.
UPDATE fingerprints SET enabled = $2, updated_at = $3
WHERE deleted_at IS NULL AND enabled <> $2
  AND (key = $1 OR signal = $1 AND NOT EXISTS (SELECT 1 FROM fingerprints AS other WHERE other.key = $1))
