SELECT month, count(*) AS sites, CAST(sum(targets) AS bigint) AS targets, CAST(sum(captured) AS bigint) AS captured
FROM site_months GROUP BY month ORDER BY month
