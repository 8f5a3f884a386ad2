//! Does exactly one hold a lock, whatever happens to those before it?

use std::time::Duration;

use catalog::{
    Catalog, Process,
    locks::{AcquireError, Claim, Held, HeldBy, acquire, find, release, renew},
};
use domain::Moment;

use crate::place::{NOW, Place};

const TTL: Duration = Duration::from_secs(60);

fn process(pid: i64) -> Process {
    Process { host: "north".into(), boot_id: "boot 1".into(), pid, pid_started: 100 + pid }
}

/// A process of another machine, of which nobody here can tell whether it lives.
fn elsewhere(pid: i64) -> Process {
    Process { host: "south".into(), boot_id: "boot 2".into(), ..process(pid) }
}

fn each_on_its_own_machine(pid: i64) -> Process {
    Process { host: format!("host {pid}"), boot_id: format!("boot of {pid}"), ..process(pid) }
}

fn alive(_: &Process) -> bool {
    false
}

fn dead(_: &Process) -> bool {
    true
}

async fn ask(
    catalog: &Catalog,
    process: &Process,
    now: Moment,
    is_gone: fn(&Process) -> bool,
) -> Result<Held, HeldBy> {
    let claim = Claim { name: "crawl", holder: "canvass crawl", process, ttl: TTL };
    match acquire(catalog, claim, now, &is_gone).await {
        Ok(held) => Ok(held),
        Err(AcquireError::HeldBy(other)) => Err(*other),
        Err(AcquireError::Catalog(error)) => panic!("{error}"),
    }
}

/// Asks sixteen times at once, each over a way of its own, and gives the one that got it.
async fn sixteen_at_once(
    place: &Place,
    now: Moment,
    who: fn(i64) -> Process,
    is_gone: fn(&Process) -> bool,
) -> Held {
    let mut tasks = Vec::new();
    for pid in 1..=16 {
        let catalog = place.open().await;
        tasks.push(tokio::spawn(async move { ask(&catalog, &who(pid), now, is_gone).await }));
    }
    let mut won = Vec::new();
    for task in tasks {
        won.extend(task.await.unwrap().ok());
    }
    assert_eq!(won.len(), 1, "{won:?}");
    won.remove(0)
}

pub async fn of_sixteen_that_ask_at_once_exactly_one_gets_the_lock(place: Place) {
    let catalog = place.migrated().await;
    let mut now = NOW;
    for round in 1..=5 {
        let held = sixteen_at_once(&place, now, each_on_its_own_machine, alive).await;
        assert_eq!(held.fence, round);
        if round % 2 == 0 {
            assert!(release(&catalog, &held).await.unwrap());
        } else {
            now = now.after(TTL);
        }
    }
}

pub async fn a_dead_holder_of_this_machine_is_taken_over_by_exactly_one(place: Place) {
    let catalog = place.migrated().await;
    let gone = Process { pid: 99, ..process(0) };
    assert_eq!(ask(&catalog, &gone, NOW, alive).await.unwrap().fence, 1);
    let held = sixteen_at_once(&place, NOW, process, |process| process.pid == 99).await;
    assert_eq!(held.fence, 2);
}

pub async fn a_holder_that_may_live_is_left_alone(place: Place) {
    let catalog = place.migrated().await;
    ask(&catalog, &process(1), NOW, alive).await.unwrap();
    let elsewhere = Process { boot_id: "boot 2".into(), ..process(2) };
    let unknown = Process { boot_id: String::new(), ..process(3) };
    // one without a known boot cannot prove anything even about another such
    for (other, is_gone) in [(process(2), alive as fn(&Process) -> bool), (elsewhere, dead), (unknown, dead)]
    {
        let refused = ask(&catalog, &other, NOW.after(TTL / 2), is_gone).await.unwrap_err();
        assert_eq!(refused.process, process(1));
    }
}

pub async fn a_lock_ends_by_expiry_or_release_and_its_fence_grows(place: Place) {
    let catalog = place.migrated().await;
    let first = ask(&catalog, &elsewhere(1), NOW, alive).await.unwrap();
    assert!(renew(&catalog, &first, NOW.after(TTL / 2), TTL).await.unwrap());
    assert!(ask(&catalog, &process(2), NOW.after(TTL), alive).await.is_err(), "renewed, yet taken");
    let ended = NOW.after(TTL / 2).after(TTL);
    assert!(ask(&catalog, &process(2), Moment(ended.0 - 1), alive).await.is_err());
    let second = ask(&catalog, &process(2), ended, alive).await.unwrap();
    assert!(release(&catalog, &second).await.unwrap());
    assert_eq!(find(&catalog, "crawl").await.unwrap(), None);
    let third = ask(&catalog, &process(3), ended, alive).await.unwrap();
    assert_eq!([first.fence, second.fence, third.fence], [1, 2, 3]);
    let other = Claim { name: "export", holder: "x", process: &process(4), ttl: TTL };
    assert_eq!(acquire(&catalog, other, ended, &alive).await.unwrap().fence, 1, "locks are independent");
}

pub async fn a_holder_that_is_alive_on_this_machine_keeps_its_lock_beyond_its_lease(place: Place) {
    let catalog = place.migrated().await;
    let stopped = ask(&catalog, &process(1), NOW, alive).await.unwrap();
    let much_later = NOW.after(TTL * 100);
    let refused = ask(&catalog, &process(2), much_later, alive).await.unwrap_err();
    assert_eq!(refused.process, process(1));
    assert!(renew(&catalog, &stopped, much_later, TTL).await.unwrap(), "it goes on where it was");
    assert!(ask(&catalog, &process(2), much_later, dead).await.is_ok());
}

pub async fn a_late_holder_can_neither_renew_nor_release(place: Place) {
    let catalog = place.migrated().await;
    let late = ask(&catalog, &elsewhere(1), NOW, alive).await.unwrap();
    let now = NOW.after(TTL);
    let held = ask(&catalog, &process(2), now, alive).await.unwrap();
    assert!(!renew(&catalog, &late, now, TTL).await.unwrap());
    assert!(!release(&catalog, &late).await.unwrap());
    assert_eq!(find(&catalog, "crawl").await.unwrap().unwrap().process, process(2));
    assert!(release(&catalog, &held).await.unwrap());
    assert!(!release(&catalog, &held).await.unwrap());
    assert!(!renew(&catalog, &held, now, TTL).await.unwrap(), "a released lock came back");
}

pub async fn whoever_is_refused_is_told_who_holds_it(place: Place) {
    let catalog = place.migrated().await;
    ask(&catalog, &process(7), NOW, alive).await.unwrap();
    let refused = ask(&catalog, &process(8), NOW.after(TTL / 2), alive).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`crawl` is locked by canvass crawl (process 7 on north) since 2023-11-14T22:13:20.000Z; the lock ends at \
         2023-11-14T22:14:20.000Z unless it is renewed"
    );
}
