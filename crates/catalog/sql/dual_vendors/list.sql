SELECT dual.month, dual.account, dual.category, dual.first_signal, dual.second_signal, dual.first_since,
       dual.second_since, dual.is_new, dual.certainty, dual.rule_set, dual.evidence,
       COALESCE(account.name, '') AS account_name, COALESCE(category.title, dual.category) AS category_title,
       one.name AS first, one.vendor AS first_vendor, other.name AS second, other.vendor AS second_vendor
FROM dual_vendors AS dual
JOIN signals AS one ON one.id = dual.first_signal
JOIN signals AS other ON other.id = dual.second_signal
LEFT JOIN categories AS category ON category.key = dual.category
LEFT JOIN accounts AS account ON account.id = dual.account
WHERE dual.month = $1 AND dual.account >= $2 AND (dual.account, dual.category, other.name) > ($2, $3, $4)
ORDER BY dual.account, dual.category, other.name
LIMIT $5
