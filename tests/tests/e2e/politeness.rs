//! Are hosts asked as gently as promised, as the server saw it?

use std::{
    collections::{HashMap, HashSet},
    fs,
    net::{IpAddr, Ipv4Addr},
    thread,
    time::Duration,
};

use rustix::process::Signal;
use sandbox::{Behaviour, Plan, Request};

use crate::support::{
    found::{check_books, compare_with_truth, endings},
    home::{Home, text},
    pace::Gaps,
    raw::{RawServer, not_found, page},
    wait_until,
    web::{Web, is_robots},
};

pub fn three_hundred_hosts_are_asked_gently_and_only_for_what_they_allow() {
    let web = Web::serve(&Plan::polite(330));
    let home = web.home(1.0, &[]);
    home.crawl("r", &web.list).expect(0);
    let found = endings(&home, "r");
    let wrong = compare_with_truth(&web.world, &found);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    check_books(&home, "r", &found);

    let requests = web.requests();
    let gaps = Gaps::measure(&web.world, &requests, Duration::from_secs(1));
    eprintln!("politeness: {gaps}");
    assert!(gaps.hosts >= 300, "{gaps}");
    assert!(gaps.short.is_empty(), "{gaps}\n{}", gaps.short.join("\n"));

    let forbidden: Vec<&Request> = requests
        .iter()
        .filter(|asked| {
            web.world.site_at(&asked.host).is_some_and(|site| site.forbids(&asked.host, &asked.path))
        })
        .collect();
    assert!(forbidden.is_empty(), "{forbidden:#?}");
    let stray: Vec<&Request> = requests.iter().filter(|asked| asked.status == 421).collect();
    assert!(stray.is_empty(), "asked at an address of another site: {stray:#?}");

    // a robots.txt that has moved to another host is asked for there by its new name
    let origins = first_requests(&requests);
    let unasked: Vec<_> = origins.iter().filter(|(_, first)| !is_robots(first)).collect();
    assert!(unasked.is_empty(), "pages before robots.txt: {unasked:?}");

    let agents: HashSet<&str> = requests.iter().map(|asked| asked.user_agent.as_str()).collect();
    assert_eq!(agents.len(), 1, "{agents:?}");
    assert!(
        agents.iter().all(|agent| agent.starts_with("canvass/") && agent.contains("+http")),
        "{agents:?}"
    );
    eprintln!("politeness: robots.txt came first at {} origins; 0 forbidden requests", origins.len());
}

/// The first path that was asked for at each origin.
fn first_requests(requests: &[Request]) -> HashMap<(String, String), String> {
    let mut first = HashMap::new();
    for asked in requests {
        let origin = (asked.scheme.clone(), asked.host.clone());
        first.entry(origin).or_insert_with(|| asked.path.clone());
    }
    first
}

pub fn a_request_that_breaks_its_connection_is_not_repeated_without_a_pause() {
    use Behaviour as B;
    let breaking =
        [B::ResetBeforeHead, B::CloseWithoutAnswer, B::Garbage, B::BrokenChunking, B::TruncatedLength];
    let web = Web::serve(&Plan { sites: 10, ..Plan::only(&breaking) });
    let home = web.home(0.5, &[]);
    home.crawl("r", &web.list).expect(0);
    let gaps = Gaps::measure(&web.world, &web.requests(), Duration::from_millis(500));
    eprintln!("politeness: with broken connections {gaps}");
    assert!(gaps.short.is_empty(), "{gaps}\n{}", gaps.short.join("\n"));
}

pub fn no_more_requests_than_the_cap_are_under_way_to_one_address() {
    const CAP: usize = 3;
    const NAMES: usize = 40;
    let server = RawServer::start(IpAddr::V4(Ipv4Addr::new(127, 9, 9, 1)), |_, path| {
        // long enough that others would come meanwhile
        thread::sleep(Duration::from_millis(60));
        if path == "/robots.txt" { not_found() } else { page("here") }
    });
    let home = Home::migrated(
        "crawl: { default_crawl_delay_seconds: 0.05 }\n\
         network: { allow_private: [127.0.0.0/8], hosts_file: hosts }\n",
        &[&format!("politeness.per_ip_concurrency={CAP}")],
    );
    let (mut hosts, mut list) = (String::new(), String::new());
    for number in 0..NAMES {
        hosts.push_str(&format!("127.9.9.1 shared-{number}.test 80={}\n", server.address.port()));
        list.push_str(&format!("http://shared-{number}.test/\n"));
    }
    home.write("hosts", hosts.as_bytes());
    let list = home.write("list.txt", list.as_bytes());
    home.crawl("r", &list).expect(0);
    let captured = endings(&home, "r").values().filter(|ending| ending.disposition == "captured").count();
    assert_eq!(captured, NAMES);
    eprintln!("politeness: at most {} of {CAP} requests at once to one address", server.most_at_once());
    assert!(server.most_at_once() <= CAP, "{}", server.most_at_once());
    assert!(server.most_at_once() > 1, "the cap was never reached");
}

pub fn new_pauses_hold_within_seconds_of_a_hangup_signal() {
    let plan = Plan { sites: 1, pages_per_site: 60..=60, ..Plan::only(&[Behaviour::StaticPlain]) };
    let web = Web::serve(&plan);
    let home = Home::migrated(&web.settings(1.0), &[]);
    let args = ["crawl", "--quiet", "--round", "r", text(&web.list)];
    let crawl = home.start_until(&args, "three pages", || web.page_requests().len() >= 3);
    for (pause, requests) in [(0.1, 8), (2.0, 3)] {
        home.write_settings(&web.settings(pause));
        crawl.signal(Signal::HUP);
        let before = web.requests().len();
        wait_until("requests at the new pace", Duration::from_secs(9), || {
            web.requests().len() >= before + requests
        });
        let times: Vec<u64> = web.requests().iter().skip(before).map(|asked| asked.at_us).collect();
        // the first request may still have waited for the old pause
        let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
        eprintln!("politeness: after SIGHUP with {pause} s the gaps were {gaps:.3?}");
        assert!(gaps.iter().all(|gap| *gap >= pause && *gap < pause * 1.1 + 0.5), "{gaps:?} at {pause} s");
    }
    // settings that cannot be read change nothing, and the crawl goes on
    home.write_settings("crawl: { default_crawl_delay_seconds: soon }");
    crawl.signal(Signal::HUP);
    let before = web.requests().len();
    wait_until("another request", Duration::from_secs(8), || web.requests().len() > before);
    crawl.signal(Signal::INT);
    crawl.wait(Duration::from_secs(10)).expect(2);
    let logs: String = fs::read_dir(home.round("r", "logs"))
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    assert!(logs.contains("the old politeness stays"), "{logs}");
}
