SELECT month, count(*) AS sites, count(*) FILTER (WHERE captured > 0) AS covered,
       CAST(sum(targets) AS bigint) AS targets, CAST(sum(captured) AS bigint) AS captured,
       CAST(sum(failed) AS bigint) AS failed, CAST(sum(excluded) AS bigint) AS excluded
FROM site_months GROUP BY month ORDER BY month
