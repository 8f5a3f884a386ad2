//! Which statements are there, and where are they written down?

/// A statement by name: its text for both engines, or the visible exception for PostgreSQL.
#[derive(Debug, Clone, Copy)]
pub struct Statement {
    pub(crate) name: &'static str,
    portable: &'static str,
    postgres: Option<&'static str>,
    takes_arrays: bool,
}

impl Statement {
    /// A statement that is not one of the catalog's files, for tools and tests; its parameters are `$1`, `$2`, ….
    #[must_use]
    pub const fn ad_hoc(name: &'static str, text: &'static str) -> Statement {
        Statement { name, portable: text, postgres: None, takes_arrays: false }
    }

    /// How many parameters it takes: the highest number after a `$`.
    pub(crate) fn parameters(&self) -> usize {
        let numbers = self.portable.split('$').skip(1).filter_map(|rest| {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            rest[..digits].parse().ok()
        });
        numbers.max().unwrap_or(0)
    }

    pub(crate) fn for_sqlite(&self) -> &'static str {
        self.portable
    }

    pub(crate) fn for_postgres(&self) -> &'static str {
        self.postgres.unwrap_or(self.portable)
    }

    /// Whether its exception for PostgreSQL takes many sets of parameters at once, as one array per parameter.
    pub(crate) fn takes_arrays(&self) -> bool {
        self.takes_arrays
    }
}

/// One line per file in `sql/`; `+ postgres` where there is an exception beside it, `with arrays` where that takes
/// many sets of parameters at once.
macro_rules! statements {
    ($($name:ident = $path:literal $(+ $postgres:ident $(with $arrays:ident)?)?;)*) => {
        $(pub(crate) const $name: Statement = Statement {
            name: $path,
            portable: include_str!(concat!("../sql/", $path, ".sql")),
            postgres: statements!(@exception $path $($postgres)?),
            takes_arrays: statements!(@arrays $($($arrays)?)?),
        };)*

        #[cfg(test)]
        const ALL: &[Statement] = &[$($name),*];
    };
    (@arrays) => { false };
    (@arrays arrays) => { true };
    (@exception $path:literal) => { None };
    (@exception $path:literal postgres) => { Some(include_str!(concat!("../sql/", $path, ".postgres.sql"))) };
}

statements! {
    LINK_ACCOUNT_SITE = "account_sites/link" + postgres with arrays;
    LIST_LINKS_BY_ACCOUNT = "account_sites/list_by_account";
    LIST_LINKS_BY_SITE = "account_sites/list_by_site";
    LIST_SITES_OF_ACCOUNT = "account_sites/list_of";
    LIST_ACCOUNTS = "accounts/list";
    REMEMBER_ACCOUNT = "accounts/remember" + postgres with arrays;
    COUNT_MATCHES_BY_MONTH_BEFORE = "archives/count_by_month";
    DELETE_MATCH = "archives/delete_match" + postgres with arrays;
    GET_ARCHIVE = "archives/get";
    LIST_ARCHIVES = "archives/list";
    MARK_ARCHIVE_REMOVED = "archives/mark_removed";
    NOTE_ARCHIVE = "archives/note";
    READ_MATCHES = "archives/read";
    TOUCH_ARCHIVE = "archives/touch";
    LIST_CATEGORIES = "categories/list";
    REMEMBER_CATEGORY = "categories/remember";
    ADD_CHANGE = "changes/add" + postgres with arrays;
    FORGET_CHANGES = "changes/forget";
    LIST_CHANGES = "changes/list";
    ADVANCE_COUNTER = "counters/advance";
    ADVANCE_COUNTER_FROM = "counters/advance_from";
    READ_COUNTER = "counters/read";
    FIND_DELIVERY = "deliveries/find";
    LIST_DELIVERIES = "deliveries/list";
    NOTE_DELIVERY = "deliveries/note";
    ADD_DUAL_VENDOR = "dual_vendors/add";
    FORGET_DUAL_VENDORS = "dual_vendors/forget";
    LIST_DUAL_VENDORS = "dual_vendors/list";
    COUNT_CHANGES_OF_ACCOUNTS = "exports/account_changes";
    LIST_SIGNALS_OF_ACCOUNTS = "exports/account_signals";
    AGGREGATE_FINDINGS = "findings/aggregate";
    COUNT_FINDINGS_BETWEEN = "findings/count_between";
    DROP_SUPERSEDED_FINDINGS = "findings/drop_superseded";
    LIST_FINDINGS = "findings/list";
    LIST_FINDINGS_OF_MONTHS = "findings/list_months";
    SINCE = "findings/since";
    TALLY_FINDINGS = "findings/tally";
    ADD_FINGERPRINT = "fingerprints/add";
    CHANGE_FINGERPRINT = "fingerprints/change";
    DELETE_FINGERPRINT = "fingerprints/delete";
    LIST_FINGERPRINTS = "fingerprints/list";
    SET_FINGERPRINTS_ENABLED = "fingerprints/set_enabled";
    LIST_LINKED_HOLDINGS = "holdings/list_linked";
    LIST_UNLINKED_HOLDINGS = "holdings/list_unlinked";
    FORGET_EXPIRED_HOSTS = "hosts/forget_expired";
    RECALL_HOST = "hosts/recall" + postgres with arrays;
    RECALL_RESTING_HOSTS = "hosts/recall_resting";
    REMEMBER_HOST = "hosts/remember" + postgres with arrays;
    ACQUIRE_LOCK = "locks/acquire";
    FIND_LOCK = "locks/find";
    RELEASE_LOCK = "locks/release";
    RENEW_LOCK = "locks/renew";
    ADD_MATCH = "matches/add" + postgres with arrays;
    SEEN_ON_PAGES = "matches/seen";
    ADD_PAGE = "pages/add" + postgres with arrays;
    COUNT_SITES_OF_PAGES = "pages/count_sites";
    LAST_SITE_OF_PAGES = "pages/last_site";
    NTH_SITE = "pages/nth_site";
    PAGE_OUTCOMES = "pages/outcomes";
    FORGET_OLDER_ROBOTS = "robots/forget_older";
    RECALL_ROBOTS = "robots/recall";
    REMEMBER_ROBOTS = "robots/remember";
    ACTIVATE_RULE_SET = "rule_sets/activate";
    GET_RULE_SET = "rule_sets/get";
    GET_ACTIVE_RULE_SET = "rule_sets/get_active";
    LIST_RULE_SETS = "rule_sets/list";
    FINISH_RUN = "runs/finish";
    GET_RUN = "runs/get";
    BEAT_RUN = "runs/heartbeat";
    INTERRUPT_RUN = "runs/interrupt";
    LIST_RUNS = "runs/list";
    LIST_RUNNING = "runs/list_running";
    START_RUN = "runs/start";
    APPLIED_MIGRATIONS = "schema/applied";
    CREATE_MIGRATIONS_TABLE = "schema/create";
    MIGRATIONS_TABLE_EXISTS = "schema/exists" + postgres;
    RECORD_MIGRATION = "schema/record";
    SERIALISE_MIGRATIONS = "schema/serialise" + postgres;
    ADD_PROCESSED_MONTH = "segments/add_month";
    ADVANCE_SEGMENT = "segments/advance";
    BEGIN_SEGMENT = "segments/begin";
    GET_SEGMENT = "segments/get";
    LIST_SEGMENTS = "segments/list";
    LIST_PROCESSED_MONTHS = "segments/list_months";
    LIST_ROUNDS_OF_MONTH = "segments/list_rounds";
    ADD_SIGNAL = "signals/add";
    CHANGE_SIGNAL = "signals/change";
    DELETE_SIGNAL = "signals/delete";
    LIST_SIGNALS = "signals/list";
    SET_SIGNAL_ENABLED = "signals/set_enabled";
    AGGREGATE_SITE_MONTHS = "site_months/aggregate";
    COUNT_SITES_BETWEEN = "site_months/count_between";
    LAST_COVERED = "site_months/last_covered";
    LIST_SITE_MONTHS = "site_months/list";
    LIST_COVERAGE_OF_MONTHS = "site_months/list_months";
    TALLY_SITE_MONTHS = "site_months/tally";
    END_STAGE = "stages/end";
    FAIL_RUNNING_STAGES = "stages/fail_running";
    LIST_STAGES = "stages/list";
    PLAN_STAGE = "stages/plan";
    START_STAGE = "stages/start";
    COUNT_ADOPTION = "statistics/adoption";
    COUNT_CHANGES = "statistics/changes";
    COUNT_COVERAGE = "statistics/coverage";
    COUNT_DUAL_VENDORS = "statistics/dual_vendors";
    COUNT_ENDINGS = "statistics/endings";
    COUNT_RULE_SETS = "statistics/rule_sets";
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn every_file_in_sql_is_registered() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
        let mut files = BTreeSet::new();
        for area in fs::read_dir(&root).unwrap() {
            let area = area.unwrap();
            for file in fs::read_dir(area.path()).unwrap() {
                let file = file.unwrap().file_name().into_string().unwrap();
                files.insert(format!("{}/{file}", area.file_name().into_string().unwrap()));
            }
        }
        let mut registered = BTreeSet::new();
        for statement in ALL {
            registered.insert(format!("{}.sql", statement.name));
            if statement.postgres.is_some() {
                registered.insert(format!("{}.postgres.sql", statement.name));
            }
        }
        assert_eq!(files, registered);
    }

    #[test]
    fn a_statement_and_its_exception_take_the_same_parameters() {
        assert_eq!(ACQUIRE_LOCK.parameters(), 9);
        assert_eq!(Statement::ad_hoc("x", "SELECT $12, $2, '$', $").parameters(), 12);
        for statement in ALL {
            let exception = Statement::ad_hoc(statement.name, statement.for_postgres());
            assert_eq!(statement.parameters(), exception.parameters(), "{}", statement.name);
        }
    }

    #[test]
    fn an_exception_for_many_rows_has_the_rules_of_the_statement_for_one() {
        let rules = |text: &'static str| text.split_once("ON CONFLICT").map(|(_, rules)| rules);
        for statement in ALL.iter().filter(|statement| statement.takes_arrays()) {
            assert_eq!(rules(statement.for_sqlite()), rules(statement.for_postgres()), "{}", statement.name);
        }
    }

    #[test]
    fn every_exception_gives_its_reason_on_line_one() {
        for statement in ALL {
            let Some(text) = statement.postgres else { continue };
            let reason = text.lines().next().unwrap_or_default();
            assert!(reason.starts_with("-- ") && reason.len() > 20, "{}: {reason:?}", statement.name);
        }
    }

    /// Statements that are asked for a whole month, and rarely.
    const OF_WHOLE_MONTHS: [&str; 3] =
        ["archives/count_by_month", "pages/count_sites", "segments/list_months"];

    // SQLite knows nothing of the tables' sizes, and one wrong first step makes a page of an answer cost a whole month
    #[test]
    fn no_statement_looks_at_a_whole_large_table() {
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        sqlite.execute_batch(CREATE_MIGRATIONS_TABLE.portable).unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files.iter().filter(|file| !file.to_str().unwrap().ends_with(".postgres.sql")) {
            sqlite.execute_batch(&fs::read_to_string(file).unwrap()).unwrap();
        }
        let checked = ALL.iter().filter(|statement| !OF_WHOLE_MONTHS.contains(&statement.name));
        for statement in checked.filter(|statement| !statement.name.starts_with("statistics/")) {
            let mut plan = sqlite.prepare(&format!("EXPLAIN QUERY PLAN {}", statement.portable)).unwrap();
            let mut rows = plan.raw_query();
            while let Some(row) = rows.next().unwrap() {
                let step: String = row.get("detail").unwrap();
                assert!(!is_of_a_whole_large_table(&step), "{}: {step}", statement.name);
            }
        }
    }

    fn is_of_a_whole_large_table(step: &str) -> bool {
        let large = ["pages", "matches", "findings", "site_months", "changes"];
        let by_index = |table: &str| {
            step.contains(&format!("autoindex_{table}_")) || step.contains(&format!("INDEX {table}_by_"))
        };
        let words: Vec<&str> = step.split(' ').collect();
        let as_it_is = words.len() == 2 && words[0] == "SCAN";
        let names = ["page", "seen", "finding", "change"];
        (as_it_is && (large.contains(&words[1]) || names.contains(&words[1])))
            || (large.into_iter().any(by_index) && (words[0] == "SCAN" || step.ends_with("(month=?)")))
    }
}
