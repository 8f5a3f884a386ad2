-- CROSS JOIN keeps SQLite to the order of the accounts, so that only the sites of these accounts are looked at.
SELECT link.account, signal.name AS signal, signal.vendor, signal.category,
       COALESCE(category.title, signal.category) AS category_title,
       COUNT(DISTINCT CASE WHEN finding.month = $1 THEN finding.site END) AS sites,
       MIN(CASE WHEN finding.month = $1 THEN finding.site END) AS site,
       MAX(CASE WHEN finding.month = $1 THEN finding.confidence END) AS confidence,
       COUNT(CASE WHEN finding.month = $1 AND finding.implied_by IS NULL THEN 1 END) AS seen_itself,
       MIN(finding.first_seen_at) AS first_seen_at, MAX(finding.last_seen_at) AS last_seen_at
FROM account_sites AS link
CROSS JOIN findings AS finding
CROSS JOIN fingerprints AS fingerprint
CROSS JOIN signals AS signal
LEFT JOIN categories AS category ON category.key = signal.category
WHERE link.account >= $2 AND link.account <= $3
  AND finding.site = link.site AND finding.month <= $1
  AND fingerprint.id = finding.fingerprint AND signal.name = fingerprint.signal
GROUP BY link.account, signal.name, signal.vendor, signal.category, COALESCE(category.title, signal.category)
ORDER BY link.account, signal.name
