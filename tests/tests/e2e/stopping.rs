//! What happens when somebody asks it to stop, or starts it twice?

use std::{collections::HashMap, time::Duration};

use rustix::process::Signal;
use sandbox::{Mix, Plan};

use crate::support::{
    found::{check_books, compare_with_truth, completions, endings},
    home::text,
    web::Web,
};

fn quick_world() -> Web {
    Web::serve(&Plan { sites: 60, mix: Mix::StaticOnly, ..Plan::default() })
}

pub fn sigint_stops_in_good_order_and_nothing_is_fetched_twice() {
    stop_with(Signal::INT);
}

pub fn sigterm_stops_in_good_order_and_nothing_is_fetched_twice() {
    stop_with(Signal::TERM);
}

fn stop_with(signal: Signal) {
    let web = quick_world();
    let home = web.home(0.3, &[]);
    let args = ["crawl", "--quiet", "--round", "r", text(&web.list)];
    let crawl = home.start_until(&args, "forty pages", || web.page_requests().len() >= 40);
    crawl.signal(signal);
    let ended = crawl.wait(Duration::from_secs(5));
    assert!(ended.out.contains("stopped by SIG"), "{}", ended.out);
    ended.expect(2);
    assert!(home.round("r", "checkpoint").exists());
    // whatever the server answered is in the log: nothing that was under way got lost
    let (logged, asked) = (completions(&home, "r").len(), web.page_requests().len());
    assert_eq!(logged, asked, "of {asked} pages that were asked for, {logged} are in the log");
    let ledger = home.json(&["ledger", "--json", "r"], 1);
    let open = ledger["open_targets"].as_u64().unwrap();
    assert_eq!(open + logged as u64, web.world.target_count(), "{ledger}");
    let history = home.json(&["history", "--json"], 0);
    assert_eq!(history[0]["status"], "interrupted", "{history}");

    home.run(&["crawl", "--quiet"]).expect(0);
    let found = endings(&home, "r");
    let wrong = compare_with_truth(&web.world, &found);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    check_books(&home, "r", &found);
    let mut times: HashMap<(String, String), u32> = HashMap::new();
    for asked in web.page_requests() {
        *times.entry((asked.host, asked.path)).or_default() += 1;
    }
    times.retain(|_, times| *times > 1);
    assert!(times.is_empty(), "fetched more than once: {times:?}");
}

pub fn a_second_signal_ends_it_at_once_and_the_round_goes_on_all_the_same() {
    let web = Web::serve(&Plan { sites: 30, ..Plan::only(&[sandbox::Behaviour::Hang]) });
    let home = web.home(0.3, &["crawl.fetch_timeout_seconds=30", "crawl.total_timeout_seconds=40"]);
    let args = ["crawl", "--quiet", "--round", "r", text(&web.list)];
    let crawl = home.start_until(&args, "a page", || !web.page_requests().is_empty());
    crawl.signal(Signal::INT);
    // the hanging request keeps it from ending in good order
    std::thread::sleep(Duration::from_millis(300));
    crawl.signal(Signal::INT);
    crawl.wait(Duration::from_secs(3)).expect(2);
    let crawl = home.start_until(&["crawl", "--quiet"], "a page again", || web.page_requests().len() > 1);
    crawl.signal(Signal::INT);
    drop(crawl);
}

pub fn a_second_crawl_is_told_who_runs_and_a_dead_one_is_succeeded_at_once() {
    let web = quick_world();
    let home = web.home(1.0, &[]);
    let args = ["crawl", "--quiet", "--round", "r", text(&web.list)];
    let started = jiff::Timestamp::now();
    let first = home.start_until(&args, "a page", || !web.page_requests().is_empty());
    let refused = home.run(&args);
    let said = refused.err.clone();
    refused.expect(2);
    let pid = first.pid().to_string();
    for word in ["canvass crawl of round r", pid.as_str()] {
        assert!(said.contains(word), "`{word}` is not in: {said}");
    }
    let since =
        said.split("since ").nth(1).and_then(|rest| rest.split(';').next()).expect("it says since when");
    let since: jiff::Timestamp = since.trim().parse().expect("it says a time");
    let late = since.duration_since(started).as_millis();
    assert!((-5..30_000).contains(&late), "since {since}, but it was started at {started}");

    assert!(first.kill().is_none(), "it was still running");
    let asked = web.requests().len();
    let next = home.start_until(&args, "a request of the next one", || web.requests().len() > asked);
    assert!(next.kill().is_none());
}
