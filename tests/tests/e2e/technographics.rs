//! Is what was planted found, in two months, and nothing else?
//!
//! The truth is the sandbox's: it follows from what its organisations were planned to run, and not from any fingerprint.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    fs,
};

use sandbox::{ChangeTruth, DualVendorTruth, Finding, Mix, Plan, World};
use serde_json::Value;

use crate::support::{
    home::{Home, text},
    snapshot::Database,
    web::Web,
};

/// All behaviours once, and every story of the sandbox's organisations several times.
const SITES: usize = 240;
const DELAY: f64 = 0.2;

/// A month as it is lived through.
struct Lived {
    round: &'static str,
    month: &'static str,
    at: &'static str,
}

const MONTHS: [Lived; 2] = [
    Lived { round: "first", month: "2026-10", at: "2026-10-05T06:00:00Z" },
    Lived { round: "second", month: "2026-11", at: "2026-11-05T06:00:00Z" },
];

impl Lived {
    fn run(&self, home: &Home, args: &[&str]) -> String {
        home.run(&[args, &["--now", self.at]].concat()).expect(0)
    }

    /// Goes the whole way from the list to the report.
    fn go(&self, home: &Home, web: &Web) {
        home.write_settings(&web.settings(DELAY));
        self.run(home, &["crawl", "--quiet", "--round", self.round, text(&web.list)]);
        for command in ["process", "aggregate", "changes"] {
            self.run(home, &[command, "--quiet"]);
        }
        self.run(home, &["export", "--quiet", "--round", self.round]);
        self.run(home, &["report", "--round", self.round]);
    }

    /// The rows of an exported table.
    fn exported(&self, home: &Home, table: &str) -> Vec<Value> {
        let path = home.round(self.round, "export").join(format!("{table}_{}.json", self.month));
        let content = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_slice(&content).expect("an exported table is an array")
    }

    /// What was found on each site, as the partner gets it.
    fn findings(&self, home: &Home) -> BTreeSet<Finding> {
        let mut found: BTreeMap<(String, String), bool> = BTreeMap::new();
        for row in self.exported(home, "TechnicalFindings") {
            let implied = !row["implied_by"].is_null();
            let known = found.entry((word(&row, "site"), word(&row, "signal"))).or_insert(true);
            *known &= implied;
        }
        found.into_iter().map(|((site, product), implied)| Finding { site, product, implied }).collect()
    }

    fn dual_vendors(&self, home: &Home) -> BTreeSet<DualVendorTruth> {
        let rows = self.exported(home, "DualVendor").into_iter();
        rows.map(|row| DualVendorTruth {
            account: word(&row, "account_id"),
            category: word(&row, "category"),
            first: word(&row, "first_product"),
            second: word(&row, "second_product"),
            is_new: row["is_new"].as_bool().expect("a flag"),
        })
        .collect()
    }

    /// What became of each product that a page showed itself in either month.
    fn changes(&self, home: &Home) -> BTreeSet<ChangeTruth> {
        let question = format!(
            "SELECT change.site || '|' || signal.name || '|' || change.kind || '|' || change.evidence AS it \
             FROM changes AS change JOIN signals AS signal ON signal.id = change.signal WHERE change.month = '{}'",
            self.month
        );
        let mut changes = BTreeSet::new();
        for row in Database::of(home).ask(&question) {
            let [site, product, kind, evidence] = row.splitn(4, '|').collect::<Vec<_>>()[..] else {
                panic!("{row}");
            };
            let evidence: Value = serde_json::from_str(evidence).expect("evidence is JSON");
            let shown = |when: &str| evidence[when]["implied"] == false;
            if shown("now") || shown("before") {
                let [site, product, kind] = [site, product, kind].map(str::to_owned);
                changes.insert(ChangeTruth { site, product, kind });
            }
        }
        changes
    }
}

fn word(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap_or_else(|| panic!("no `{name}` in {row}")).to_owned()
}

/// Says how much of `truth` was found and how much of what was `found` is true, which must be all.
fn assert_equal<T: Ord + Debug>(what: &str, found: &BTreeSet<T>, truth: &BTreeSet<T>) {
    let right = found.intersection(truth).count() as f64;
    let (precision, recall) = (right / found.len().max(1) as f64, right / truth.len().max(1) as f64);
    eprintln!("{what}: {} found, precision {precision:.4}, recall {recall:.4}", found.len());
    let extra: Vec<&T> = found.difference(truth).take(20).collect();
    let missing: Vec<&T> = truth.difference(found).take(20).collect();
    assert!(found == truth, "{what}\nfound and not true: {extra:#?}\ntrue and not found: {missing:#?}");
}

pub fn two_months_are_found_as_they_were_planted() {
    let mut webs = (0..2).map(|month| Web::serve(&Plan::technographics(SITES, month)));
    let first = webs.next().expect("a first month");
    let home = first.home(DELAY, &[]);
    MONTHS[0].run(&home, &["fingerprints", "load"]);
    let mut accounts = Vec::new();
    first.world.write_accounts(&mut accounts).expect("a vector takes it");
    let accounts = home.write("accounts.csv", &accounts);
    MONTHS[0].run(&home, &["accounts", "load", text(&accounts)]);
    let mut web = Some(first);
    for lived in &MONTHS {
        let served = web.take().or_else(|| webs.next()).expect("a web for each month");
        lived.go(&home, &served);
        let world: &World = &served.world;
        let name = |what: &str| format!("{} of {}", what, lived.month);
        assert_equal(&name("findings"), &lived.findings(&home), &world.findings());
        assert_equal(&name("changes"), &lived.changes(&home), &world.changes());
        let duals = world.dual_vendors();
        assert_equal(&name("second vendors"), &lived.dual_vendors(&home), &duals);
        check_report(&home, lived, world, &duals);
    }
}

/// Checks that the page names whom it should, and that it is one page.
fn check_report(home: &Home, lived: &Lived, world: &World, duals: &BTreeSet<DualVendorTruth>) {
    let page = fs::read_to_string(home.round(lived.round, "report.html")).expect("the report is there");
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert!(page.ends_with("</html>\n"));
    let rows = page.matches("<span class=\"pair\">").count();
    assert_eq!(rows, duals.len(), "every account with a second vendor is named");
    for dual in duals {
        assert!(page.contains(&format!("<b>{}</b>", dual.second)), "{dual:?}");
        if !dual.account.starts_with("site:") {
            assert!(page.contains(&dual.account), "{dual:?}");
        }
    }
    let shown: BTreeSet<String> = world
        .findings()
        .into_iter()
        .filter(|finding| !finding.implied)
        .map(|finding| finding.product)
        .collect();
    for product in &shown {
        assert!(page.contains(product.as_str()), "{product} is not in the report");
    }
}

/// A product that every page of every month shows, and that the first month's rules do not know.
const NEWCOMER: &str = "\
category: page-furniture
title: Page furniture
about: What stands at the end of a page.
exclusive: false
signals:
  - name: Copyright Line
    vendor: Everybody
    website: https://copyright.example/
    fingerprints:
      - id: copyright-line
        in: body
        text: '<footer>© '
        example: '<footer>© Everybody, 2026</footer>'
";

pub fn a_new_rule_is_no_new_product() {
    let plan = |month| Plan { mix: Mix::StaticOnly, noise: false, ..Plan::technographics(40, month) };
    let web = Web::serve(&plan(0));
    let home = web.home(DELAY, &[]);
    MONTHS[0].run(&home, &["fingerprints", "load"]);
    MONTHS[0].go(&home, &web);
    drop(web);
    let pack = home.write("page-furniture.yaml", NEWCOMER.as_bytes());
    MONTHS[1].run(&home, &["fingerprints", "load", "--pack", "mine", text(&pack)]);
    let web = Web::serve(&plan(1));
    MONTHS[1].go(&home, &web);
    let kinds: BTreeMap<String, usize> = MONTHS[1]
        .changes(&home)
        .into_iter()
        .filter(|change| change.product == "Copyright Line")
        .fold(BTreeMap::new(), |mut kinds, change| {
            *kinds.entry(change.kind).or_default() += 1;
            kinds
        });
    assert!(kinds.get("kept").is_some_and(|kept| *kept > 25), "{kinds:?}");
    assert!(!kinds.contains_key("added") && !kinds.contains_key("dropped"), "{kinds:?}");
    let known = |changes: BTreeSet<ChangeTruth>| -> BTreeSet<ChangeTruth> {
        changes.into_iter().filter(|change| change.product != "Copyright Line").collect()
    };
    assert_equal("changes under other rules", &known(MONTHS[1].changes(&home)), &web.world.changes());
}
