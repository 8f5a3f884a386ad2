//! What is there to process, and how does it go when nobody disturbs it?

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use sandbox::{Mix, Plan};

use super::{
    found::check_hashes,
    home::Home,
    snapshot::{Database, Snapshot},
    web::Web,
};

/// The rounds of the base, each with the moment at which it was crawled: one is old enough to be archived.
pub const ROUNDS: [(&str, &str); 2] = [("old", "2026-03-09T06:00:00Z"), ("new", "2026-10-05T06:00:00Z")];

/// When everything after the crawls happens.
const NOW: &str = "2026-11-16T06:00:00Z";

/// The way from segments to a delivery, command by command.
pub const COMMANDS: [&[&str]; 5] = [
    &["process", "--quiet"],
    &["aggregate", "--all"],
    &["changes", "--quiet"],
    &["archive", "--quiet"],
    &["export", "--quiet"],
];

/// Two crawled rounds whose pages were not processed yet, and the rules to read them with.
pub struct Base {
    home: Home,
    web: Web,
    sets: Vec<String>,
}

impl Base {
    /// Crawls `sites` sites twice, with `sets` over the settings.
    pub fn crawl(sites: usize, sets: &[&str]) -> Base {
        let web = Web::serve(&Plan { mix: Mix::StaticOnly, ..Plan::technographics(sites, 0) });
        // many segments, and many batches in each, so that a kill often comes between two of them
        let mut all = vec![
            "politeness.enabled=false",
            "segments.max_rows=64",
            "segments.commit_every_seconds=0.01",
            "crawl.fetch_timeout_seconds=1",
            "crawl.retry.transient_retries=0",
            "crawl.retry.server_error_retries=0",
            "crawl.retry.throttle_retries=0",
            "crawl.retry.connect_timeout_retries=0",
            "process.batch_records=30",
            "process.sub_batch_records=10",
        ];
        all.extend(sets);
        let home = web.home(0.05, &all);
        for (round, moment) in ROUNDS {
            let list = super::home::text(&web.list);
            home.run(&["crawl", "--quiet", "--now", moment, "--round", round, list]).expect(0);
        }
        home.run(&["fingerprints", "load", "--now", ROUNDS[0].1]).expect(0);
        let sets = all.iter().map(|set| (*set).to_owned()).collect();
        Base { home, web, sets }
    }

    /// Another home with the same files, and `sets` over the settings.
    pub fn copy(&self, sets: &[&str]) -> Home {
        let all: Vec<&str> = self.sets.iter().map(String::as_str).chain(sets.iter().copied()).collect();
        let copy = Home::new(&self.web.settings(0.05), &all);
        copy_folder(&self.home.path("data"), &copy.path("data"));
        copy
    }
}

/// A command at the moment at which everything after the crawls happens.
pub fn at_its_time<'a>(command: &[&'a str]) -> Vec<&'a str> {
    [command, &["--now", NOW]].concat()
}

/// How a command went.
pub struct Calm {
    pub took: Duration,
    pub before: Snapshot,
    pub after: Snapshot,
}

/// Runs every command to its end.
pub fn undisturbed(home: &Home, database: &Database, commands: &[&[&str]]) -> Vec<Calm> {
    let mut before = Snapshot::take(home, database);
    let calm = commands.iter().map(|command| {
        let start = Instant::now();
        home.run(&at_its_time(command)).expect(0);
        let took = start.elapsed();
        let after = Snapshot::take(home, database);
        let calm = Calm { took, before: before.clone(), after: after.clone() };
        before = after;
        calm
    });
    calm.collect()
}

/// Checks that every segment was put away with its hash, and that the round's books still balance.
pub fn check_shelves(home: &Home) {
    for (round, _) in ROUNDS {
        check_hashes(&home.round(round, "processed"));
        let left = fs::read_dir(home.round(round, "segments")).expect("there is a folder").count();
        assert_eq!(left, 0, "{left} files of round {round} were not put away");
        let ledger = home.json(&["ledger", "--json", round], 0);
        assert_eq!(ledger["balanced"], true, "{ledger}");
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a temporary folder can be written");
    for entry in fs::read_dir(from).expect("a folder can be read") {
        let entry = entry.expect("a folder can be read");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}
