-- Folds the matches of whole sites into findings. A finding's evidence is its surest match, then the earliest.
-- first_seen_at only moves back and last_seen_at only forward. Matches are only ever added, so fewer of them than the
-- finding counted with the same rules are what archiving has left: they change nothing.
INSERT INTO findings (site, fingerprint, month, rule_set, match_count, first_seen_at, last_seen_at, confidence,
                      version, account, tracker, implied_by, url, position, snippet, updated_at)
SELECT site, fingerprint, month, rule_set, match_count, first_seen_at, last_seen_at, confidence,
       version, account, tracker, implied_by, url, position, snippet, $5
FROM (SELECT page.site, seen.fingerprint, seen.month, seen.rule_set, count(*) OVER same AS match_count,
             min(seen.found_at) OVER same AS first_seen_at, max(seen.found_at) OVER same AS last_seen_at,
             seen.confidence, seen.version, seen.account, seen.tracker, seen.implied_by, page.url, seen.position,
             seen.snippet,
             row_number() OVER (PARTITION BY page.site, seen.fingerprint
                                ORDER BY seen.confidence DESC, seen.found_at, seen.round, seen.line) AS place
      FROM pages AS page
      JOIN matches AS seen ON seen.month = page.month AND seen.round = page.round AND seen.line = page.line
      WHERE page.month = $1 AND page.site >= $2 AND page.site <= $3 AND seen.rule_set = $4
      WINDOW same AS (PARTITION BY page.site, seen.fingerprint)) AS ranked
WHERE place = 1
ON CONFLICT (site, fingerprint, month) DO UPDATE SET
    rule_set = excluded.rule_set,
    match_count = excluded.match_count,
    first_seen_at = CASE WHEN excluded.first_seen_at < findings.first_seen_at
                         THEN excluded.first_seen_at ELSE findings.first_seen_at END,
    last_seen_at = CASE WHEN excluded.last_seen_at > findings.last_seen_at
                        THEN excluded.last_seen_at ELSE findings.last_seen_at END,
    confidence = excluded.confidence,
    version = excluded.version,
    account = excluded.account,
    tracker = excluded.tracker,
    implied_by = excluded.implied_by,
    url = excluded.url,
    position = excluded.position,
    snippet = excluded.snippet,
    updated_at = excluded.updated_at
WHERE (excluded.rule_set <> findings.rule_set OR excluded.match_count >= findings.match_count)
  AND (excluded.rule_set <> findings.rule_set
       OR excluded.match_count <> findings.match_count
       OR excluded.first_seen_at < findings.first_seen_at
       OR excluded.last_seen_at > findings.last_seen_at
       OR excluded.confidence <> findings.confidence
       OR excluded.version IS DISTINCT FROM findings.version
       OR excluded.account IS DISTINCT FROM findings.account
       OR excluded.tracker IS DISTINCT FROM findings.tracker
       OR excluded.implied_by IS DISTINCT FROM findings.implied_by
       OR excluded.url <> findings.url
       OR excluded.position <> findings.position
       OR excluded.snippet <> findings.snippet)
