SELECT account, site, source, confidence FROM account_sites WHERE account = $1 ORDER BY site
