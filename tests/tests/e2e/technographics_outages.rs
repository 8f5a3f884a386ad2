//! Is anything lost or written twice when the database goes away in the middle of a batch?
//!
//! `TECHNOGRAPHICS_STOPS` says how often it is stopped (20), `CRASH_SEED` makes the same instants again.

use std::{env, time::Duration};

use libtest_mimic::Trial;

use crate::support::{
    Chance,
    home::Home,
    processing::{Base, COMMANDS, Calm, at_its_time, check_shelves, undisturbed},
    server::{Server, with_server},
    snapshot::{Database, Snapshot},
};

/// A trial that needs a server of its own; ignored with the reason where there is none.
pub fn trials() -> Vec<Trial> {
    let name = "technographics_outages::a_database_that_is_stopped_and_started_again_changes_nothing";
    vec![Trial::ignorable_test(name, || {
        with_server(a_database_that_is_stopped_and_started_again_changes_nothing)
    })]
}

fn a_database_that_is_stopped_and_started_again_changes_nothing(server: &Server) {
    let stops = env::var("TECHNOGRAPHICS_STOPS")
        .map_or(20, |stops| stops.parse().expect("TECHNOGRAPHICS_STOPS is a number"));
    let seed = env::var("CRASH_SEED")
        .map_or_else(|_| u64::from(std::process::id()), |seed| seed.parse().expect("CRASH_SEED is a number"));
    eprintln!("outages: {stops} stops, CRASH_SEED={seed}");
    server.create("base", None);
    let of_base = format!("storage.metadata_db_url={}", server.url("base"));
    // waits as long as a restart takes, and not as long as a person would have them
    let patience =
        ["process.retries=20", "process.first_wait_seconds=0.1", "process.max_wait_seconds=0.3", &of_base];
    let base = Base::crawl(240, &patience);
    let (home, database) = copy(server, &base, "calm");
    let calm = undisturbed(&home, &database, &COMMANDS[..2]);
    check_shelves(&home);
    eprintln!("outages: undisturbed in {:.1?} and {:.1?}: {}", calm[0].took, calm[1].took, calm[1].after);
    let mut chance = Chance::new(seed);
    let mut done = Stops::default();
    let mut homes = 0;
    while done.midway < stops {
        homes += 1;
        process_without_rest(server, &base, &format!("disturbed_{homes}"), &calm, &mut chance, &mut done);
    }
    let Stops { all, midway, started_again } = done;
    eprintln!(
        "outages: {homes} homes, {all} stops, {midway} of them with some pages written and some not; the program gave \
         up and was started again {started_again} times; every row as in the undisturbed one"
    );
    // what waits for the database in the middle of its work does not give up
    assert!(started_again < all / 2, "it gave up {started_again} times for {all} stops");
}

#[derive(Default)]
struct Stops {
    all: u32,
    midway: u32,
    started_again: u32,
}

/// A home with the base's files and a database with its rows.
fn copy(server: &Server, base: &Base, name: &str) -> (Home, Database) {
    server.create(name, Some("base"));
    let url = server.url(name);
    let home = base.copy(&[&format!("storage.metadata_db_url={url}")]);
    (home, Database { url })
}

/// Takes a new home through its commands while the server is stopped and started again.
fn process_without_rest(
    server: &Server,
    base: &Base,
    name: &str,
    calm: &[Calm],
    chance: &mut Chance,
    done: &mut Stops,
) {
    let (home, database) = copy(server, base, name);
    for (command, calm) in COMMANDS.iter().zip(calm) {
        let command = at_its_time(command);
        let mut running = home.start(&command);
        // longer rests later, so that what starts anew each time ends too
        let mut longest = calm.took / 2;
        loop {
            std::thread::sleep(chance.duration(Duration::ZERO, longest));
            longest = longest.mul_f64(1.1).min(calm.took * 3);
            match running.status() {
                Some(ended) if ended.success() => break,
                Some(gave_up) => {
                    assert_eq!(gave_up.code(), Some(2), "{}", running.stderr());
                    done.started_again += 1;
                    running = home.start(&command);
                }
                None => {
                    server.stop_at_once();
                    std::thread::sleep(chance.duration(Duration::ZERO, Duration::from_millis(200)));
                    server.start_again();
                    done.all += 1;
                    let seen = Snapshot::take(&home, &database);
                    done.midway += u32::from(seen != calm.before && seen != calm.after);
                }
            }
        }
        let wrong = Snapshot::take(&home, &database).differences(&calm.after);
        assert!(wrong.is_empty(), "after {}:\n{}", command[0], wrong.join("\n"));
    }
    check_shelves(&home);
}
