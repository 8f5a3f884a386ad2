-- A signal by its name, or the signal of a fingerprint that is enabled: alone the fingerprint would see nothing.
UPDATE signals SET enabled = $2, updated_at = $3
WHERE deleted_at IS NULL AND enabled <> $2
  AND (name = $1 AND NOT EXISTS (SELECT 1 FROM fingerprints WHERE key = $1)
       OR $2 AND name = (SELECT signal FROM fingerprints WHERE key = $1))
