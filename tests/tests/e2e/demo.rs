//! Does a newcomer's first command end well?

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    path::Path,
    process::Command,
};

use sandbox::{DualVendorTruth, Plan, World};
use serde_json::Value;

use crate::support::{
    home::text,
    program::{Ended, PATIENCE, Running, program},
};

/// Enough for pages, encodings, charsets, types and redirects of every kind, and few enough to be over soon.
const SITES: usize = 36;
/// Not the default, so that it must be heeded.
const SEED: u64 = 7;

/// Lines by disposition and detail.
type Counts = BTreeMap<(String, String), u64>;

pub fn a_demo_finds_what_the_truth_says_in_two_months_and_names_the_second_vendors() {
    let dir = tempfile::tempdir().expect("there is a temporary folder");
    let (sites, seed, demo) = (SITES.to_string(), SEED.to_string(), dir.path().join("demo"));
    let args = ["demo", "--json", "--quiet", "--sites", &sites, "--seed", &seed, "--dir", text(&demo)];
    let printed = parse(&run(dir.path(), &args).expect(0));
    let truth = truth();
    for disposition in ["captured", "excluded", "failed", "rejected", "duplicate"] {
        assert!(
            truth.keys().any(|(name, _)| name == disposition),
            "no line of {SITES} sites is {disposition}"
        );
    }
    assert_eq!(counts(&printed), truth, "{printed}");
    assert_eq!((&printed["sites"], &printed["equal_to_truth"]), (&SITES.into(), &true.into()), "{printed}");
    check_second_vendors(&printed);
    for file in ["report", "export"] {
        let path = printed[file].as_str().expect("a demo says where to look");
        assert!(dir.path().join(path).exists(), "there is no {path}");
    }

    // the settings that it leaves behind let one look around, and the books say the same
    let ledger = run(dir.path(), &["--config", text(&demo.join("canvass.yaml")), "ledger", "--json"]);
    let ledger = parse(&ledger.expect(0));
    assert_eq!(ledger, printed["ledger"]);
    assert_eq!((&ledger["balanced"], &ledger["lines"]), (&true.into(), &truth.values().sum::<u64>().into()));
}

/// The demo's world in a month, made here from the same plan.
fn world(month: u32) -> World {
    World::build(&Plan { seed: SEED, ..Plan::technographics(SITES, month) })
}

/// What the demo's world says of itself in the second month.
fn truth() -> Counts {
    let mut counts = Counts::new();
    for line in world(1).truth() {
        *counts.entry((line.disposition, line.detail)).or_default() += 1;
    }
    counts
}

/// Checks that the demo names the accounts of each month that the world says, and in the second month new ones too.
fn check_second_vendors(printed: &Value) {
    for (month, number) in printed["months"].as_array().expect("a demo has months").iter().zip(0..) {
        let named: BTreeSet<DualVendorTruth> = month["dual_vendors"]
            .as_array()
            .expect("a month names its second vendors")
            .iter()
            .map(|dual| {
                let word = |key: &str| dual[key].as_str().expect("a second vendor has names").to_owned();
                DualVendorTruth {
                    account: word("account_id"),
                    category: word("category"),
                    first: word("first_product"),
                    second: word("second_product"),
                    is_new: dual["is_new"] == true,
                }
            })
            .collect();
        assert_eq!(named, world(number).dual_vendors());
        assert_eq!(number == 1, named.iter().any(|dual| dual.is_new), "{named:?}");
    }
}

/// What the demo says that it found.
fn counts(printed: &Value) -> Counts {
    let name = |row: &Value, key: &str| row[key].as_str().expect("a count has names").to_owned();
    let rows = printed["counts"].as_array().expect("a demo counts").iter();
    rows.map(|row| {
        let found = row["found"].as_u64().expect("a count is a number");
        ((name(row, "disposition"), name(row, "detail")), found)
    })
    .collect()
}

/// Runs the program without settings: a demo brings its own.
fn run(dir: &Path, args: &[&str]) -> Ended {
    let mut command = Command::new(program());
    command.current_dir(dir).args(args);
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CANVASS_")) {
        command.env_remove(name);
    }
    Running::start(command, &dir.join("output"), None).wait(PATIENCE)
}

fn parse(printed: &str) -> Value {
    serde_json::from_str(printed).unwrap_or_else(|error| panic!("{error} in {printed}"))
}
