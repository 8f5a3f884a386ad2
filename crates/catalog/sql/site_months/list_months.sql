SELECT month, sites, targets, captured FROM month_coverage ORDER BY month
