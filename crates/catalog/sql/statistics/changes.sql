SELECT signal.name AS signal, signal.category, COALESCE(category.title, signal.category) AS category_title,
       counted.kind, counted.certainty, counted.sites
FROM (SELECT signal, kind, certainty, count(*) AS sites
      FROM changes WHERE month = $1 GROUP BY signal, kind, certainty) AS counted
JOIN signals AS signal ON signal.id = counted.signal
LEFT JOIN categories AS category ON category.key = signal.category
ORDER BY signal.name, counted.kind, counted.certainty
