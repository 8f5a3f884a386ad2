-- Changes nothing, and changes a row only if the file is noted and rows of it may still be deleted: a guard.
UPDATE archives SET path = path WHERE path = $1 AND removed_at IS NULL
