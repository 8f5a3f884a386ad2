-- CROSS JOIN keeps SQLite to the order of the sites, so that a page of rows is found without sorting all.
SELECT 'site:' || change.site AS account, change.site, change.signal AS signal_id, signal.name AS signal, signal.vendor,
       signal.family, signal.category, change.kind, change.certainty, change.since, change.evidence
FROM changes AS change
CROSS JOIN signals AS signal
CROSS JOIN categories AS category
WHERE change.month = $1 AND change.site >= $2 AND (change.site, change.signal) > ($2, $3)
  AND NOT EXISTS (SELECT 1 FROM account_sites AS link WHERE link.site = change.site)
  AND signal.id = change.signal
  AND category.key = signal.category AND category.exclusive
ORDER BY change.site, change.signal
LIMIT $4
