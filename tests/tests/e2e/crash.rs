//! Is anything lost or done twice when the crawler dies, at whatever instant?
//!
//! `CRASH_KILLS` says how often it is killed in all (200), `CRASH_SEED` makes the same instants again.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use sandbox::{Behaviour, Mix, Pace, Plan};

use crate::support::{
    Chance,
    found::{Endings, check_books, compare_with_truth, endings},
    home::{Home, text},
    pace::Gaps,
    web::Web,
};

const ROUND: &str = "crash";
/// The pause between two requests to a host: short, so that a round is; long enough to tell whether it was kept.
const DELAY: Duration = Duration::from_millis(200);

/// Then only its slowest targets are left, and another round begins.
const KILLS_OF_A_ROUND: u32 = 60;

pub fn a_round_that_is_killed_while_it_crawls_ends_like_one_that_is_not() {
    // the sandbox takes long to make a bomb, and notes the request only then
    let bombs = [Behaviour::GzipBomb, Behaviour::DeflateBomb, Behaviour::BrotliBomb, Behaviour::ZstdBomb];
    let others = Behaviour::ALL.iter().copied().filter(|behaviour| !bombs.contains(behaviour)).collect();
    let plan = Plan { sites: 170, mix: Mix::Only(others), ..Plan::default() };
    let pace = Pace { drip_total: Duration::from_millis(600), ..Pace::default() };
    let web = Web::serve_at(&plan, pace);
    let list = web.list.clone();
    let lives = Lives::UpTo(Duration::from_millis(750));
    Scenario { web, list, extra_lines: 0, lives, max_rows: 25, encores: 3, must_hit: OPEN }
        .run(share_of_kills(0.6));
}

pub fn a_round_that_is_killed_while_it_enlists_ends_like_one_that_is_not() {
    let web = Web::serve(&small_world());
    let dir = tempfile::tempdir().expect("there is a temporary folder");
    let list = dir.path().join("long.csv");
    let extra_lines = lengthen(&web.list, &list, 60_000);
    Scenario { web, list, extra_lines, lives: Lives::Whole, max_rows: 25, encores: 0, must_hit: ENLISTING }
        .run(share_of_kills(0.2));
}

pub fn a_round_that_is_killed_as_it_closes_ends_like_one_that_is_not() {
    let web = Web::serve(&Plan { sites: 60, ..small_world() });
    let list = web.list.clone();
    // every record closes a segment
    Scenario { web, list, extra_lines: 0, lives: Lives::Whole, max_rows: 1, encores: 3, must_hit: OPEN }
        .run(share_of_kills(0.2));
}

/// A world whose round is over soon, so that a kill may come at any of its steps.
fn small_world() -> Plan {
    Plan { sites: 12, pages_per_site: 1..=1, mix: Mix::StaticOnly, ..Plan::default() }
}

fn share_of_kills(share: f64) -> u32 {
    let kills = env::var("CRASH_KILLS").map_or(200, |kills| kills.parse().expect("CRASH_KILLS is a number"));
    (f64::from(kills) * share).ceil() as u32
}

fn seed() -> u64 {
    env::var("CRASH_SEED")
        .map_or_else(|_| u64::from(std::process::id()), |seed| seed.parse().expect("CRASH_SEED is a number"))
}

/// Adds lines that take time to enlist and none to crawl: every other one is bad, the rest repeat one target.
fn lengthen(list: &Path, to: &Path, lines: usize) -> usize {
    let mut long = fs::read(list).unwrap();
    let repeated = String::from_utf8(long.clone()).unwrap();
    let repeated = repeated.lines().nth(1).expect("a list has a line").to_owned();
    for number in 0..lines {
        match number % 2 {
            0 => writeln!(long, "{number},ftp://files-{number}.example/").unwrap(),
            _ => writeln!(long, "{repeated}").unwrap(),
        }
    }
    fs::write(to, long).unwrap();
    lines
}

/// How long the crawler lives before it is killed.
#[derive(Clone, Copy)]
enum Lives {
    /// From nothing to this long, evenly.
    UpTo(Duration),
    /// Evenly over the time that a whole round takes.
    Whole,
}

struct Scenario {
    web: Web,
    list: PathBuf,
    /// Lines of the list that the world does not know.
    extra_lines: usize,
    lives: Lives,
    max_rows: u32,
    /// How often the round is asked for again when it has ended, and killed once more.
    encores: u32,
    /// The phase in which at least one kill must come.
    must_hit: &'static str,
}

impl Scenario {
    fn run(&self, kills: u32) {
        let seed = seed();
        eprintln!("crash: {kills} kills, CRASH_SEED={seed}");
        let (undisturbed, took) = self.undisturbed();
        let longest = match self.lives {
            Lives::UpTo(longest) => longest,
            Lives::Whole => took,
        };
        let mut chance = Chance::new(seed);
        let mut done = Kills::default();
        let (mut rounds, mut gaps, mut tightest_us) = (0, 0, i64::MAX);
        while done.all() < kills {
            let seen = self.round(kills, longest, &mut chance, &mut done, &undisturbed);
            rounds += 1;
            gaps += seen.measured;
            tightest_us = tightest_us.min(seen.tightest_us);
        }
        eprintln!(
            "crash: {rounds} rounds over {} lines were killed {done}; 0 lost, 0 twice; the tightest of {gaps} gaps is \
             {:.1} ms over {DELAY:?}; undisturbed it takes {took:.1?}",
            undisturbed.len(),
            tightest_us as f64 / 1_000.0
        );
        assert!(done.by_phase.contains_key(self.must_hit), "no kill came {}", self.must_hit);
    }

    /// One round, killed until it ends or until there were kills enough.
    fn round(
        &self,
        kills: u32,
        longest: Duration,
        chance: &mut Chance,
        done: &mut Kills,
        undisturbed: &Endings,
    ) -> Gaps {
        self.web.forget();
        let home = self.home();
        let kills = kills.min(done.all() + KILLS_OF_A_ROUND);
        while done.all() < kills && !self.live_and_die(&home, chance, longest, done) {}
        // a round that has ended is proved again when it is asked for again, and may die of that too
        for _ in 0..self.encores {
            self.live_and_die(&home, chance, longest.min(Duration::from_millis(150)), done);
        }
        home.run(&["crawl", "--quiet", "--round", ROUND, text(&self.list)]).expect(0);
        let found = endings(&home, ROUND);
        check_books(&home, ROUND, &found);
        self.compare(&found, undisturbed);
        let gaps = Gaps::measure(&self.web.world, &self.web.requests(), DELAY);
        assert!(gaps.short.is_empty(), "{gaps}\n{}", gaps.short.join("\n"));
        gaps
    }

    fn home(&self) -> Home {
        // small segments, so that one is often about to close; frequent checkpoints, so that one is often half written
        let max_rows = format!("segments.max_rows={}", self.max_rows);
        let sets = [
            &max_rows,
            "segments.commit_every_seconds=0.05",
            "segments.checkpoint_every_seconds=0.1",
            "crawl.retry.throttle_retries=1",
            "crawl.retry.server_error_retries=1",
            "crawl.total_timeout_seconds=3",
        ];
        self.web.home(DELAY.as_secs_f64(), &sets)
    }

    /// A round that nobody kills: what it finds, and how long it takes.
    fn undisturbed(&self) -> (Endings, Duration) {
        let home = self.home();
        let start = Instant::now();
        home.crawl(ROUND, &self.list).expect(0);
        let took = start.elapsed();
        let found = endings(&home, ROUND);
        check_books(&home, ROUND, &found);
        let mut of_world = found.clone();
        let last_line = self.web.world.truth().last().map_or(0, |truth| truth.line);
        of_world.retain(|line, _| *line <= last_line);
        assert_eq!(of_world.len() + self.extra_lines, found.len());
        let wrong = compare_with_truth(&self.web.world, &of_world);
        assert!(wrong.is_empty(), "without a kill:\n{}", wrong.join("\n"));
        assert_told_apart(&found);
        (found, took)
    }

    /// One life of the crawler; true if it came to its end by itself.
    fn live_and_die(&self, home: &Home, chance: &mut Chance, longest: Duration, done: &mut Kills) -> bool {
        let life = chance.duration(Duration::ZERO, longest);
        let crawler = home.start(&["crawl", "--quiet", "--round", ROUND, text(&self.list)]);
        std::thread::sleep(life);
        match crawler.kill() {
            Some(ended) => {
                ended.expect(0);
                true
            }
            None => {
                // what the dead one sent must be read before the next one starts, or it is noted too late
                self.web.wait_until_quiet();
                *done.by_phase.entry(phase(home)).or_default() += 1;
                false
            }
        }
    }

    fn compare(&self, found: &Endings, undisturbed: &Endings) {
        let lines = found.keys().chain(undisturbed.keys());
        let differs = |line: &&u64| found.get(line) != undisturbed.get(line);
        let wrong: Vec<String> = lines
            .filter(differs)
            .map(|line| {
                format!("line {line}: {:?}, undisturbed {:?}", found.get(line), undisturbed.get(line))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Checks that a body with the wrong record would be noticed, because hardly two lines have the same one.
fn assert_told_apart(found: &Endings) {
    let bodies: Vec<_> = found.values().filter_map(|ending| ending.body).collect();
    let different: BTreeSet<_> = bodies.iter().collect();
    let (different, all) = (different.len(), bodies.len());
    assert!(all > 0 && different * 10 >= all * 9, "only {different} of {all} bodies differ");
}

/// How often the crawler was killed, by what the round's folder says it was about.
#[derive(Debug, Default)]
struct Kills {
    by_phase: BTreeMap<&'static str, u32>,
}

impl Kills {
    fn all(&self) -> u32 {
        self.by_phase.values().sum()
    }
}

impl std::fmt::Display for Kills {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} times", self.all())?;
        for (phase, times) in &self.by_phase {
            write!(f, ", {times} {phase}")?;
        }
        Ok(())
    }
}

const ENLISTING: &str = "while it enlisted";
const OPEN: &str = "with a segment open";

/// What the round was about when its crawler died.
fn phase(home: &Home) -> &'static str {
    let there = |name: &str| home.round(ROUND, name).exists();
    if !there("round.json") {
        return "before it began";
    }
    if !there("enlist.json") {
        return ENLISTING;
    }
    let open = fs::read_dir(home.round(ROUND, "segments")).is_ok_and(|mut files| {
        files.any(|file| file.unwrap().file_name().to_string_lossy().ends_with(".open"))
    });
    let checkpointed = there("checkpoint");
    match (open, checkpointed) {
        (true, _) => OPEN,
        (false, false) => "before its first segment",
        (false, true) => "with all its segments closed",
    }
}
