UPDATE archives SET removed_at = $2 WHERE path = $1 AND removed_at IS NULL
