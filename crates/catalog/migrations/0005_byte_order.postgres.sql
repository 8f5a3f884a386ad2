-- PostgreSQL orders text by the language of its database; pages of answers and exported files need one order everywhere.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT table_name, column_name
        FROM information_schema.columns
        WHERE table_schema = current_schema() AND data_type = 'text' AND table_name IN (
            'categories', 'signals', 'fingerprints', 'rule_sets', 'processed_segments', 'processed_months', 'pages',
            'matches', 'findings', 'site_months', 'month_findings', 'month_coverage', 'changes', 'dual_vendors',
            'accounts', 'account_sites', 'deliveries', 'archives')
    LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I TYPE text COLLATE "C"', one.table_name, one.column_name);
    END LOOP;
END $$;
