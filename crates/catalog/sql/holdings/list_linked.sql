-- CROSS JOIN keeps SQLite to the order of the account's sites, so that a page of rows is found without sorting all.
SELECT link.account, change.site, change.signal AS signal_id, signal.name AS signal, signal.vendor, signal.family,
       signal.category, change.kind, change.certainty, change.since, change.evidence
FROM account_sites AS link
CROSS JOIN changes AS change
CROSS JOIN signals AS signal
CROSS JOIN categories AS category
WHERE (link.account, link.site) >= ($2, $3) AND (link.account, link.site, change.signal) > ($2, $3, $4)
  AND change.month = $1 AND change.site = link.site
  AND signal.id = change.signal
  AND category.key = signal.category AND category.exclusive
ORDER BY link.account, link.site, change.signal
LIMIT $5
