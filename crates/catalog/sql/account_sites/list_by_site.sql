SELECT account, site, source, confidence FROM account_sites
WHERE (site, account) >= ($1, $2) ORDER BY site, account LIMIT $3
