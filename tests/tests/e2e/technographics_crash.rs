//! Is anything lost or written twice when a command dies between segments and delivery, at whatever instant?
//!
//! `TECHNOGRAPHICS_KILLS` says how often one is killed in all (100), `CRASH_SEED` makes the same instants again.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write,
    fs,
    time::Duration,
};

use crate::support::{
    Chance,
    home::{Home, text},
    processing::{Base, COMMANDS, Calm, ROUNDS, at_its_time, check_shelves, undisturbed},
    snapshot::{Database, Snapshot},
};

/// How many sites are crawled, once in each month.
const SITES: usize = 240;

pub fn commands_that_are_killed_leave_what_undisturbed_ones_do() {
    let kills = env::var("TECHNOGRAPHICS_KILLS")
        .map_or(100, |kills| kills.parse().expect("TECHNOGRAPHICS_KILLS is a number"));
    let seed = env::var("CRASH_SEED")
        .map_or_else(|_| u64::from(std::process::id()), |seed| seed.parse().expect("CRASH_SEED is a number"));
    eprintln!("technographics: {kills} kills, CRASH_SEED={seed}");
    let base = Base::crawl(SITES, &[]);
    let home = with_accounts(&base);
    let calm = undisturbed(&home, &Database::of(&home), &COMMANDS);
    assert_worth_killing(&home, &calm);
    check_shelves(&home);
    let mut chance = Chance::new(seed);
    let mut done = Kills::default();
    let mut homes = 0;
    while done.all() < kills {
        process_and_die(&base, &calm, &mut chance, &mut done);
        homes += 1;
    }
    eprintln!("technographics: {homes} homes, {done}; every table and every file as in the undisturbed one");
    for command in COMMANDS {
        let (times, midway) = done.by_command.get(command[0]).copied().unwrap_or_default();
        assert!(times >= kills / 20, "{} was killed {times} times only", command[0]);
        // these write in few transactions, so that hardly a kill comes between two
        let rarely = ["aggregate", "changes"].contains(&command[0]);
        assert!(midway > 0 || rarely, "{} was never killed midway", command[0]);
    }
}

/// Checks that there is something to lose at every step.
fn assert_worth_killing(home: &Home, calm: &[Calm]) {
    let [process, aggregate, changes, archive, export] = calm else { panic!("there are five commands") };
    let took: Vec<String> = calm.iter().map(|calm| format!("{:.2?}", calm.took)).collect();
    eprintln!("technographics: undisturbed in {}: {}", took.join(", "), export.after);
    for (calm, table, least) in [
        (process, "pages", 200),
        (process, "matches", 500),
        (process, "processed_segments", 10),
        (aggregate, "findings", 200),
        (changes, "changes", 200),
        (changes, "dual_vendors", 10),
        (archive, "archives", 1),
    ] {
        let (before, after) = (calm.before.of(table).len(), calm.after.of(table).len());
        assert!(after - before >= least, "only {after} after {before} in {table}");
    }
    let left = archive.after.of("matches").len();
    assert!(left > 0 && left < aggregate.after.of("matches").len(), "{left} matches were not archived");
    assert!(export.after.of("files").len() > archive.after.of("files").len() + 3, "{}", export.after);
    let delivered =
        fs::read_to_string(home.round(ROUNDS[1].0, "export").join("AccountDelivery.csv")).unwrap();
    assert!(delivered.lines().count() > SITES / 4, "{} lines about accounts", delivered.lines().count());
}

/// How often each command was killed, and how often of that it had begun and not ended.
#[derive(Default)]
struct Kills {
    by_command: BTreeMap<&'static str, (u32, u32)>,
}

impl Kills {
    fn all(&self) -> u32 {
        self.by_command.values().map(|(times, _)| times).sum()
    }
}

impl std::fmt::Display for Kills {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} kills", self.all())?;
        for (command, (times, midway)) in &self.by_command {
            write!(f, ", {command} {times} ({midway} midway)")?;
        }
        Ok(())
    }
}

/// A new home in which every other site belongs to an account, and some accounts have two.
fn with_accounts(base: &Base) -> Home {
    let home = base.copy(&[]);
    let mut accounts = "account_id,name,website_id,street,city,region,postcode,country\n".to_owned();
    for site in (1..=SITES).step_by(2) {
        let id = site / 3;
        let _ = writeln!(accounts, "A{id},Org {id},{site},{id} Main Street,Springfield,Illinois,62701,USA");
    }
    let accounts = home.write("accounts.csv", accounts.as_bytes());
    home.run(&at_its_time(&["accounts", "load", text(&accounts)])).expect(0);
    home
}

/// Takes a new home through all commands, each killed until it ends by itself.
fn process_and_die(base: &Base, calm: &[Calm], chance: &mut Chance, done: &mut Kills) {
    let home = with_accounts(base);
    let database = Database::of(&home);
    for (command, calm) in COMMANDS.iter().zip(calm) {
        // short lives at first, so that it dies often; longer ones later, so that what starts anew each time ends too
        let mut longest = calm.took.mul_f64(0.35);
        while !live_and_die(&home, command, chance.duration(Duration::ZERO, longest)) {
            let seen = Snapshot::take(&home, &database);
            let (times, midway) = done.by_command.entry(command[0]).or_default();
            *times += 1;
            *midway += u32::from(seen != calm.before && seen != calm.after);
            longest = longest.mul_f64(1.1).min(calm.took * 3);
        }
        let wrong = Snapshot::take(&home, &database).differences(&calm.after);
        assert!(wrong.is_empty(), "after {}, killed {done}:\n{}", command[0], wrong.join("\n"));
    }
    check_shelves(&home);
}

/// One life of a command; true if it came to its end by itself.
fn live_and_die(home: &Home, command: &[&str], life: Duration) -> bool {
    let running = home.start(&at_its_time(command));
    std::thread::sleep(life);
    match running.kill() {
        Some(ended) => {
            ended.expect(0);
            true
        }
        None => false,
    }
}

pub fn the_same_segment_under_another_name_or_in_another_round_changes_nothing() {
    let base = Base::crawl(10, &[]);
    let home = base.copy(&[]);
    let database = Database::of(&home);
    undisturbed(&home, &database, &COMMANDS[..2]);
    let before = Snapshot::take(&home, &database);
    let [(old, _), (new, _)] = ROUNDS;
    for (from, to, name) in [(old, old, "segment-000900"), (old, new, "segment-000901")] {
        let segment = fs::read(home.round(from, "processed/segment-000001.zst")).unwrap();
        fs::write(home.round(to, &format!("segments/{name}.zst")), segment).unwrap();
        let sum = fs::read_to_string(home.round(from, "processed/segment-000001.zst.sha256")).unwrap();
        let sum = sum.replace("segment-000001", name);
        fs::write(home.round(to, &format!("segments/{name}.zst.sha256")), sum).unwrap();
        let report = home.json(&at_its_time(&["process", "--quiet", "--json", "--round", to]), 0);
        assert_eq!(report["rounds"][0]["counts"]["known_segments"], 1, "{report}");
        home.run(&at_its_time(&["aggregate", "--all"])).expect(0);
        let wrong = Snapshot::take(&home, &database).tables().differences(&before.clone().tables());
        assert!(wrong.is_empty(), "{name} in round {to}:\n{}", wrong.join("\n"));
    }
}

pub fn reading_again_with_other_rules_adds_to_what_the_old_ones_saw_and_takes_nothing_away() {
    let base = Base::crawl(10, &[]);
    let home = base.copy(&[]);
    let database = Database::of(&home);
    undisturbed(&home, &database, &COMMANDS[..2]);
    let before = Snapshot::take(&home, &database);
    let commonest = database.ask(
        "SELECT f.key AS it FROM matches m JOIN fingerprints f ON f.id = m.fingerprint WHERE f.part <> 'implied' \
         GROUP BY f.key ORDER BY count(*) DESC, f.key LIMIT 1",
    );
    let [disabled] = commonest.as_slice() else { panic!("nothing was matched") };
    home.run(&at_its_time(&["fingerprints", "disable", disabled])).expect(0);
    let [(round, _), _] = ROUNDS;
    // without being asked for, nothing is read again
    home.run(&at_its_time(&["process", "--quiet", "--round", round])).expect(0);
    assert_eq!(Snapshot::take(&home, &database).differences(&before), [""; 0]);
    home.run(&at_its_time(&["process", "--quiet", "--reprocess", "--round", round])).expect(0);
    let after = Snapshot::take(&home, &database);
    for table in ["pages", "matches", "processed_segments", "findings", "site_months"] {
        let kept: BTreeSet<&String> = after.of(table).iter().collect();
        let gone: Vec<&String> = before.of(table).iter().filter(|row| !kept.contains(row)).collect();
        assert!(gone.is_empty(), "{} rows of {table} are gone, such as {}", gone.len(), gone[0]);
    }
    assert_eq!(after.of("pages"), before.of("pages"));
    let seen_with = |version: i64| {
        let seen = database.ask(&format!(
            "SELECT CAST(m.line AS text) || ' ' || f.key AS it FROM matches m JOIN fingerprints f \
             ON f.id = m.fingerprint WHERE m.round = '{round}' AND m.rule_set = {version} AND f.part <> 'implied'"
        ));
        BTreeSet::from_iter(seen)
    };
    let mut expected = seen_with(1);
    let all = expected.len();
    expected.retain(|seen| !seen.ends_with(&format!(" {disabled}")));
    assert!(expected.len() < all && !expected.is_empty(), "{disabled} is {all} of {}", expected.len());
    assert_eq!(seen_with(2), expected);
    // and again it is done already
    home.run(&at_its_time(&["process", "--quiet", "--reprocess", "--round", round])).expect(0);
    assert_eq!(Snapshot::take(&home, &database).differences(&after), [""; 0]);
}
