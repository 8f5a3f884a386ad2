-- CROSS JOIN keeps SQLite to the order of the accounts, so that only the sites of these accounts are looked at.
SELECT link.account, signal.name AS signal, change.kind, change.certainty, COUNT(*) AS sites
FROM account_sites AS link
CROSS JOIN changes AS change
CROSS JOIN signals AS signal
WHERE link.account >= $2 AND link.account <= $3
  AND change.month = $1 AND change.site = link.site
  AND signal.id = change.signal
GROUP BY link.account, signal.name, change.kind, change.certainty
ORDER BY link.account, signal.name, change.kind, change.certainty
