-- A site counts once for a signal, however many fingerprints saw it; it is shown if one of them saw it itself.
SELECT seen.signal, signal.vendor, signal.category, COALESCE(category.title, signal.category) AS category_title,
       COALESCE(category.exclusive, FALSE) AS exclusive,
       CAST(sum(seen.shown) AS bigint) AS shown, count(*) AS sites
FROM (SELECT fingerprint.signal, finding.site,
             max(CASE WHEN finding.implied_by IS NULL THEN 1 ELSE 0 END) AS shown
      FROM findings AS finding
      JOIN fingerprints AS fingerprint ON fingerprint.id = finding.fingerprint
      WHERE finding.month = $1 AND finding.rule_set = $2
      GROUP BY fingerprint.signal, finding.site) AS seen
JOIN signals AS signal ON signal.name = seen.signal
LEFT JOIN categories AS category ON category.key = signal.category
GROUP BY seen.signal, signal.vendor, signal.category, category.title, category.exclusive
ORDER BY signal.category, shown DESC, seen.signal
