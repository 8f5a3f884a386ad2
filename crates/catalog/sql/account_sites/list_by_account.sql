SELECT account, site, source, confidence FROM account_sites
WHERE (account, site) >= ($1, $2) ORDER BY account, site LIMIT $3
