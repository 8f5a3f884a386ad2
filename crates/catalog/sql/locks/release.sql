UPDATE locks SET holder = NULL WHERE name = $1 AND fence = $2 AND holder IS NOT NULL
