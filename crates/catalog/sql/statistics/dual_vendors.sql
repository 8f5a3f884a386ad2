SELECT dual.category, COALESCE(category.title, dual.category) AS category_title,
       count(DISTINCT dual.account) AS accounts,
       count(DISTINCT CASE WHEN dual.is_new THEN dual.account END) AS new_accounts
FROM dual_vendors AS dual
LEFT JOIN categories AS category ON category.key = dual.category
WHERE dual.month = $1
GROUP BY dual.category, category.title
ORDER BY accounts DESC, dual.category
