SELECT finding.site, signal.id AS signal_id, min(finding.first_seen_at) AS since
FROM findings AS finding
JOIN fingerprints AS fingerprint ON fingerprint.id = finding.fingerprint
JOIN signals AS signal ON signal.name = fingerprint.signal
WHERE finding.site >= $2 AND finding.site <= $3 AND finding.month <= $1
GROUP BY finding.site, signal.id
ORDER BY finding.site, signal.id
