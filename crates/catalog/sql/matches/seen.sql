-- One row for each page and signal: itself rather than implied, then the surest, then the earliest look.
-- CROSS JOIN keeps SQLite from beginning with every match of the month; to PostgreSQL it is any join.
SELECT site, url, signal_id, signal, vendor, family, category, exclusive, implied, confidence, found_at, snippet,
       fingerprint_key
FROM (SELECT page.site, page.url, signal.id AS signal_id, signal.name AS signal, signal.vendor, signal.family,
             signal.category, COALESCE(category.exclusive, FALSE) AS exclusive, seen.implied_by IS NOT NULL AS implied,
             seen.confidence, seen.found_at, seen.snippet, fingerprint.key AS fingerprint_key,
             row_number() OVER (PARTITION BY page.site, page.url, signal.id
                                ORDER BY seen.implied_by IS NOT NULL, seen.confidence DESC, seen.found_at, seen.round,
                                         seen.line, fingerprint.key) AS place
      FROM pages AS page
      CROSS JOIN matches AS seen
      JOIN fingerprints AS fingerprint ON fingerprint.id = seen.fingerprint
      JOIN signals AS signal ON signal.name = fingerprint.signal
      LEFT JOIN categories AS category ON category.key = signal.category
      WHERE page.month = $1 AND page.site >= $2 AND page.site <= $3
        AND seen.month = page.month AND seen.round = page.round AND seen.line = page.line AND seen.rule_set = $4
     ) AS ranked
WHERE place = 1
ORDER BY site, url, signal
