SELECT change.month, change.previous, change.site, change.signal AS signal_id, change.kind, change.certainty,
       change.reason, change.since, change.rule_set, change.evidence, signal.name AS signal, signal.vendor,
       signal.family, signal.category, COALESCE(category.title, signal.category) AS category_title
FROM changes AS change
JOIN signals AS signal ON signal.id = change.signal
LEFT JOIN categories AS category ON category.key = signal.category
WHERE change.month = $1 AND change.site >= $2 AND (change.site, signal.name) > ($2, $3)
ORDER BY change.site, signal.name
LIMIT $4
