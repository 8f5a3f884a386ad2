-- PostgreSQL would plan each row's statement anew: here every parameter is an array, one element per link, none twice.
-- The rules are those of link.sql.
INSERT INTO account_sites (account, site, source, confidence, updated_at)
SELECT * FROM unnest($1, $2, $3, $4, $5)
ON CONFLICT (account, site) DO UPDATE SET
    source = excluded.source,
    confidence = excluded.confidence,
    updated_at = excluded.updated_at
WHERE excluded.source <> account_sites.source OR excluded.confidence <> account_sites.confidence
