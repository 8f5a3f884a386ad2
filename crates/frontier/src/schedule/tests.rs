//! A simulated web with a clock of its own: requests arrive somewhere between lease and answer.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

use domain::{Exclusion, FailureKind, RetryClass};
use proptest::prelude::*;

use super::*;
use crate::{enlist::Enlister, host_of, pace::HostRule};

/// How a simulated host behaves, by its name's first letter.
fn robots_of(host: &str) -> RobotsAnswer {
    match &host[..1] {
        "d" => RobotsAnswer::Body(b"User-agent: *\nDisallow: /p/1\nDisallow: /p/3\n".to_vec()),
        "c" => RobotsAnswer::Body(b"User-agent: *\nCrawl-delay: 7\n".to_vec()),
        "u" => RobotsAnswer::Unavailable(Failure::new(FailureKind::RobotsUnavailable, "503")),
        _ => RobotsAnswer::AllowAll,
    }
}

fn politeness() -> Politeness {
    Politeness {
        policy: PacePolicy::new(HostRule::default(), HashMap::new()),
        respect_robots: true,
        robots_agent: "canvass".into(),
        robots_ttl: Duration::from_secs(86_400),
        jitter: 0.1,
        max_requests_per_second: 0.0,
        burst: 1.0,
        window: WindowRules { max: 16, ..WindowRules::default() },
        adaptive: false,
        breaker: Some(BreakerRules::default()),
        per_address: 0,
        per_address_gap: Duration::ZERO,
    }
}

fn queue(folder: &Path, urls: &[String]) -> u64 {
    let mut enlister = Enlister::create(&folder.join("frontier"), folder).unwrap();
    for (url, line) in urls.iter().zip(1..) {
        enlister.accept(line, "", url, host_of(url)).unwrap();
    }
    enlister.finish(folder, |_| ()).unwrap().targets
}

struct World {
    frontier: Frontier,
    now: Moment,
    /// (answer time, request) under way.
    under_way: Vec<(Moment, Assignment, Moment)>,
    /// (host, arrival, path) as the servers saw them.
    log: Vec<(String, Moment, String)>,
    ended: BTreeMap<u64, &'static str>,
    memories: HashMap<String, HostMemory>,
    done: CompletionFront,
    random: u64,
    most_in_flight: usize,
    window: usize,
}

impl World {
    fn open(
        folder: &Path,
        done: CompletionFront,
        politeness: Politeness,
        now: Moment,
        old: Option<World>,
    ) -> World {
        let (log, ended, memories, random) = match old {
            Some(old) => (old.log, old.ended, old.memories, old.random),
            None => Default::default(),
        };
        let window = politeness.window.max;
        let frontier = Frontier::open(
            &folder.join("frontier"),
            done.clone(),
            politeness,
            memories.values().cloned(),
            now,
            42,
        )
        .unwrap();
        let random = random.max(88_172_645_463_325_252);
        World {
            frontier,
            now,
            under_way: Vec::new(),
            log,
            ended,
            memories,
            done,
            random,
            most_in_flight: 0,
            window,
        }
    }

    fn below(&mut self, limit: u64) -> i64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.random >> 33) % limit) as i64
    }

    /// Runs until everything has ended, or until `stop` requests were sent: then it is dropped as by `kill -9`.
    fn run(&mut self, stop: usize) -> bool {
        let mut rounds = 0;
        loop {
            rounds += 1;
            assert!(rounds < 2_000_000, "the frontier goes round in circles");
            let next = self.frontier.lease(self.now).unwrap();
            for memory in self.frontier.take_memories() {
                self.memories.insert(memory.host.clone(), memory);
            }
            for origin in self.frontier.take_recalls() {
                self.frontier.robots_recalled(&origin, None, self.now);
            }
            match next {
                Next::Go(assignment) => {
                    let arrival = self.now.0 + self.below(300);
                    let answer = Moment(arrival + self.below(700));
                    let path = path_of(&assignment.lease.url).to_owned();
                    self.log.push((assignment.lease.host.clone(), Moment(arrival), path));
                    self.under_way.push((answer, assignment, Moment(arrival)));
                    self.most_in_flight = self.most_in_flight.max(self.under_way.len());
                    if self.log.len() >= stop {
                        return false;
                    }
                }
                Next::Settle { target, disposition, .. } => self.end(target.place, disposition.detail_name()),
                Next::WaitUntil(at) => self.pass_time(Some(at)),
                Next::Busy => {
                    if !self.under_way.is_empty() {
                        self.pass_time(None);
                    }
                }
                Next::Drained => return true,
            }
        }
    }

    fn end(&mut self, place: u64, name: &'static str) {
        assert!(self.ended.insert(place, name).is_none(), "place {place} ended twice");
        assert!(self.done.complete(place));
    }

    fn pass_time(&mut self, until: Option<Moment>) {
        self.under_way.sort_by_key(|(answer, ..)| Reverse(*answer));
        match self.under_way.last() {
            Some((answer, ..)) if until.is_none_or(|until| *answer <= until) => {
                let (answer, assignment, arrival) = self.under_way.pop().unwrap();
                self.now = self.now.max(answer);
                self.answer(assignment, arrival);
            }
            _ => self.now = self.now.max(until.expect("something is under way or due")),
        }
    }

    fn answer(&mut self, assignment: Assignment, arrival: Moment) {
        let Assignment { lease, mut visit, host, .. } = assignment;
        visit.requests += 1;
        let outcome = match visit.subject.clone() {
            Subject::Robots { origin } => {
                let answer = robots_of(host_of(&origin));
                match &lease.host[..1] {
                    "o" if visit.count_failure(RetryClass::Transient) <= 2 => {
                        let (failure, wait) = (FailureKind::ConnectionLost, Duration::from_secs(5));
                        Outcome::Retry { visit, failure, wait }
                    }
                    // robots.txt that lead to each other's hosts
                    "m" if visit.passed.is_empty() => {
                        let other = if lease.host.starts_with("m0") { "m1" } else { "m0" };
                        Outcome::Redirected(visit.redirected_to(format!("https://{other}.example/there")))
                    }
                    _ => Outcome::Robots { origin, answer },
                }
            }
            Subject::Page(target) => {
                let path = path_of(&lease.url).to_owned();
                match &lease.host[..1] {
                    "r" if visit.passed.is_empty() => {
                        Outcome::Redirected(visit.redirected_to(format!("https://a0.example{path}")))
                    }
                    "f" if visit.count_failure(RetryClass::Transient) <= 1 => {
                        let (failure, wait) = (FailureKind::ConnectionLost, Duration::from_secs(5));
                        Outcome::Retry { visit, failure, wait }
                    }
                    "x" => {
                        self.end(target.place, "connection_lost");
                        Outcome::Ended(Some(FailureKind::ConnectionLost))
                    }
                    _ => {
                        self.end(target.place, "captured");
                        Outcome::Ended(None)
                    }
                }
            }
        };
        let took = self.now.since(arrival);
        let report = Report { host, address: None, answered_at: self.now, took, retry_after: None, outcome };
        self.frontier.report(report, self.now).unwrap();
    }

    fn check_politeness(&self) {
        let mut by_host: BTreeMap<&str, Vec<(Moment, &str)>> = BTreeMap::new();
        for (host, at, path) in &self.log {
            by_host.entry(host).or_default().push((*at, path));
        }
        for (host, mut requests) in by_host {
            requests.sort();
            let first = requests.iter().find(|(_, path)| *path != "/there").map(|(_, path)| *path);
            assert!(
                first.is_none_or(|path| path == "/robots.txt"),
                "{host} was asked for a page before its robots.txt"
            );
            for pair in requests.windows(2) {
                // a crash before the robots.txt was answered leaves its crawl-delay unknown
                let unknown = matches!(pair[1].1, "/robots.txt" | "/there");
                let least = if host.starts_with('c') && !unknown { 7_000 } else { 2_000 };
                let gap = pair[1].0.0 - pair[0].0.0;
                assert!(gap >= least, "{host}: {gap} ms between {} and {}", pair[0].1, pair[1].1);
            }
            if host.starts_with('d') {
                assert!(requests.iter().all(|(_, path)| !matches!(*path, "/p/1" | "/p/3")), "{host}");
            }
        }
    }
}

fn web(hosts: &[(char, u64, u64)]) -> Vec<String> {
    let page = |(kind, number, pages): &(char, u64, u64)| {
        let (kind, number) = (*kind, *number);
        (0..*pages).map(move |page| format!("https://{kind}{number}.example/p/{page}")).collect::<Vec<_>>()
    };
    hosts.iter().flat_map(page).collect()
}

fn expected(url: &str) -> &'static str {
    match (&host_of(url)[..1], path_of(url)) {
        ("d", "/p/1" | "/p/3") => Exclusion::Robots.name(),
        ("u", _) => FailureKind::RobotsUnavailable.name(),
        ("x", _) => FailureKind::ConnectionLost.name(),
        _ => "captured",
    }
}

#[test]
fn every_target_ends_once_as_its_host_deserves_and_no_gap_is_short() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = ['a', 'd', 'c', 'u', 'r', 'f', 'b', 'o', 'm'];
    let hosts: Vec<_> = (0..90).map(|i| (kinds[i as usize % 9], i / 9, 1 + i % 6)).collect();
    let urls = web(&hosts);
    let targets = queue(folder.path(), &urls);
    let mut world =
        World::open(folder.path(), CompletionFront::default(), politeness(), Moment(1_000_000), None);
    assert!(world.run(usize::MAX));
    world.check_politeness();
    assert_eq!(world.ended.len() as u64, targets);
    assert!(world.most_in_flight <= world.window, "{}", world.most_in_flight);
    walk_all(folder.path(), |target| {
        assert_eq!(world.ended[&target.place], expected(&target.url), "{}", target.url)
    });
}

fn walk_all(folder: &Path, visit: impl FnMut(Target)) {
    crate::walk_open_targets(&folder.join("frontier"), &CompletionFront::default(), visit).unwrap();
}

#[test]
fn rules_that_expire_before_the_next_page_is_due_still_let_it_through() {
    let folder = tempfile::tempdir().unwrap();
    let targets = queue(folder.path(), &web(&[('a', 0, 3), ('c', 0, 3), ('d', 0, 5)]));
    let politeness = Politeness { robots_ttl: Duration::ZERO, ..politeness() };
    let mut world =
        World::open(folder.path(), CompletionFront::default(), politeness, Moment(1_000_000), None);
    assert!(world.run(usize::MAX));
    world.check_politeness();
    assert_eq!(world.ended.len() as u64, targets);
}

#[test]
fn the_last_request_to_a_host_says_so() {
    let folder = tempfile::tempdir().unwrap();
    queue(folder.path(), &web(&[('a', 0, 3)]));
    let politeness = Politeness { respect_robots: false, ..politeness() };
    let mut frontier = Frontier::open(
        &folder.path().join("frontier"),
        CompletionFront::default(),
        politeness,
        [],
        Moment(0),
        1,
    )
    .unwrap();
    let mut more = Vec::new();
    for minute in 0..3 {
        let now = Moment(minute * 60_000);
        let Next::Go(Assignment { lease, host, .. }) = frontier.lease(now).unwrap() else {
            panic!("nothing to do")
        };
        more.push(lease.more_to_come);
        let outcome = Outcome::Ended(None);
        let report = Report {
            host,
            address: None,
            answered_at: now,
            took: Duration::ZERO,
            retry_after: None,
            outcome,
        };
        frontier.report(report, now).unwrap();
    }
    assert_eq!(more, [true, true, false]);
}

#[test]
fn a_host_that_only_fails_is_suspended_then_given_up_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let targets = queue(folder.path(), &web(&[('x', 0, 400), ('a', 1, 3)]));
    let mut world =
        World::open(folder.path(), CompletionFront::default(), politeness(), Moment(1_000_000), None);
    assert!(world.run(usize::MAX));
    assert_eq!(world.ended.len() as u64, targets);
    let asked = world.log.iter().filter(|(host, ..)| host.starts_with('x')).count();
    assert!(asked < 40, "a dead host was asked {asked} times");
    let names: BTreeSet<_> = world.ended.values().copied().collect();
    assert!(names.contains("host_suspended"), "{names:?}");
    let events = world.frontier.take_events();
    assert!(matches!(events[0], Event::HostSuspended { .. }), "{events:?}");
    assert!(matches!(events.last(), Some(Event::HostGivenUp { .. })), "{events:?}");
}

#[test]
fn a_long_crawl_delay_is_scheduled_while_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    queue(folder.path(), &web(&[('c', 0, 20), ('a', 0, 5), ('b', 0, 5)]));
    let mut world = World::open(folder.path(), CompletionFront::default(), politeness(), Moment(0), None);
    assert!(world.run(usize::MAX));
    world.check_politeness();
    let last =
        |kind| world.log.iter().filter(|(host, ..)| host.starts_with(kind)).map(|(_, at, _)| at.0).max();
    assert!(last('a') < Some(30_000) && last('c') > Some(140_000), "{:?} {:?}", last('a'), last('c'));
}

#[test]
fn the_rate_of_the_whole_job_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let hosts: Vec<_> = (0..200).map(|i| ('a', i, 1)).collect();
    queue(folder.path(), &web(&hosts));
    let politeness = Politeness { max_requests_per_second: 10.0, respect_robots: false, ..politeness() };
    let mut world = World::open(folder.path(), CompletionFront::default(), politeness, Moment(0), None);
    assert!(world.run(usize::MAX));
    assert!(world.now.0 >= 19_000, "200 requests at 10 a second took {} ms", world.now.0);
}

#[test]
fn new_delays_are_felt_with_the_next_request() {
    let folder = tempfile::tempdir().unwrap();
    queue(folder.path(), &web(&[('a', 0, 30)]));
    let mut world = World::open(folder.path(), CompletionFront::default(), politeness(), Moment(0), None);
    assert!(!world.run(5));
    let slower = HostRule { delay: Duration::from_secs(20), ..HostRule::default() };
    let politeness = Politeness { policy: PacePolicy::new(slower, HashMap::new()), ..politeness() };
    world.frontier.set_politeness(politeness, world.now);
    assert!(world.run(usize::MAX));
    let gaps: Vec<_> = world.log.windows(2).map(|pair| pair[1].1.0 - pair[0].1.0).collect();
    assert!(
        gaps[..4].iter().all(|gap| *gap < 5_000) && gaps[6..].iter().all(|gap| *gap >= 20_000),
        "{gaps:?}"
    );
}

#[test]
fn names_on_one_address_share_its_cap() {
    let folder = tempfile::tempdir().unwrap();
    let hosts: Vec<_> = (0..40).map(|i| ('a', i, 2)).collect();
    queue(folder.path(), &web(&hosts));
    let politeness = Politeness { per_address: 3, respect_robots: false, ..politeness() };
    let mut frontier = Frontier::open(
        &folder.path().join("frontier"),
        CompletionFront::default(),
        politeness,
        [],
        Moment(0),
        1,
    )
    .unwrap();
    let address: std::net::IpAddr = [192, 0, 2, 9].into();
    let gate = frontier.address_gate();
    let (mut now, mut sent, mut under_way) = (Moment(0), 0, Vec::new());
    loop {
        match frontier.lease(now).unwrap() {
            Next::Go(Assignment { visit, host, reserved, .. }) => {
                let entered = reserved.is_some() || gate.try_enter(address, now);
                let outcome = if entered { Outcome::Ended(None) } else { Outcome::AddressBusy(visit) };
                let report = Report {
                    host,
                    address: Some(address),
                    answered_at: now,
                    took: Duration::ZERO,
                    retry_after: None,
                    outcome,
                };
                if entered {
                    sent += 1;
                    under_way.push(report);
                    assert!(under_way.len() <= 3, "the cap");
                } else {
                    frontier.report(report, now).unwrap();
                }
            }
            Next::Drained => break,
            Next::WaitUntil(at) => now = at,
            _ if !under_way.is_empty() => {
                now = now.after(Duration::from_millis(50));
                for report in under_way.drain(..) {
                    frontier.report(Report { answered_at: now, ..report }, now).unwrap();
                }
            }
            other => panic!("{other:?}"),
        }
        if under_way.len() == 3 {
            now = now.after(Duration::from_millis(20));
            let report = under_way.remove(0);
            frontier.report(Report { answered_at: now, ..report }, now).unwrap();
        }
    }
    assert_eq!(sent, 80);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_crash_at_any_request_loses_nothing_doubles_nothing_and_stays_polite(
        hosts in prop::collection::vec((prop::sample::select(vec!['a', 'b', 'c', 'd', 'u', 'r', 'f', 'o', 'm']), 0u64..6, 1u64..6), 1..14),
        stops in prop::collection::vec(1usize..12, 0..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let targets = queue(folder.path(), &web(&hosts));
        let mut world = World::open(folder.path(), CompletionFront::default(), politeness(), Moment(50_000), None);
        for stop in stops {
            let stop_at = world.log.len() + stop;
            if world.run(stop_at) {
                break;
            }
            // requests under way at the crash arrive no later than the restart
            let restart = world.log.iter().map(|(_, at, _)| *at).max().unwrap().max(world.now);
            let done = CompletionFront::from_bytes(&world.done.to_bytes()).unwrap();
            world = World::open(folder.path(), done, politeness(), restart, Some(world));
        }
        world.run(usize::MAX);
        prop_assert_eq!(world.ended.len() as u64, targets);
        walk_all(folder.path(), |target| assert_eq!(world.ended[&target.place], expected(&target.url)));
        world.check_politeness();
    }
}
