-- Nothing to do: the transaction began as the one writer there can be.
SELECT 0 AS waited
