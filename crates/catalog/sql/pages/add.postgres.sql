-- PostgreSQL would plan each row's statement anew: here every parameter is an array, one element per page.
INSERT INTO pages (round, line, site, month, url, final_url, ended_at, disposition, detail, status)
SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (round, line) DO NOTHING
