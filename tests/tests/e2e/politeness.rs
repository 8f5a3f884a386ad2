//! Are hosts asked as gently as promised, as the server saw it?

use std::{
    collections::{HashMap, HashSet},
    fs,
    net::{IpAddr, Ipv4Addr},
    thread,
    time::Duration,
};

use sandbox::{Plan, Request};

use crate::support::{
    found::{check_books, compare_with_truth, endings},
    home::Home,
    pace::Gaps,
    raw::{RawServer, not_found, page},
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

    let origins = first_requests(&requests);
    let unasked: Vec<_> = origins.iter().filter(|(_, first)| first.as_str() != "/robots.txt").collect();
    // a robots.txt that has moved to another host is asked for there by its new name
    let unasked: Vec<_> = unasked.into_iter().filter(|(_, first)| !is_robots(first)).collect();
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
    let plan = Plan { sites: 1, pages_per_site: 60..=60, ..Plan::only(&[sandbox::Behaviour::StaticPlain]) };
    let web = Web::serve(&plan);
    let home = Home::migrated(&web.settings(1.0), &[]);
    let args = ["crawl", "--quiet", "--round", "r", web.list.to_str().unwrap()];
    let crawl = home.start_until(&args, "three pages", || web.page_requests().len() >= 3);
    for (pause, patience) in [(0.1, 3.0), (2.0, 3.0)] {
        home.write_settings(&web.settings(pause));
        crawl.signal(rustix::process::Signal::HUP);
        let asked_before = web.requests().len();
        // the pause that is under way may still be the old one
        crate::support::wait_until("two requests at the new pace", Duration::from_secs(8), || {
            web.requests().len() >= asked_before + if pause < 1.0 { 8 } else { 3 }
        });
        let times: Vec<u64> = web.requests().iter().skip(asked_before).map(|asked| asked.at_us).collect();
        let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
        eprintln!("politeness: after SIGHUP with {pause} s the gaps were {gaps:.3?}");
        let settled = &gaps[1..];
        assert!(settled.iter().all(|gap| *gap >= pause), "{gaps:?} at {pause} s");
        assert!(settled.iter().all(|gap| *gap < pause * 1.1 + 0.5), "{gaps:?} at {pause} s");
        assert!(gaps[0] < patience, "{gaps:?}");
    }
    // settings that cannot be read change nothing, and the crawl goes on
    home.write_settings("crawl: { default_crawl_delay_seconds: soon }");
    crawl.signal(rustix::process::Signal::HUP);
    let asked_before = web.requests().len();
    crate::support::wait_until("another request", Duration::from_secs(8), || {
        web.requests().len() > asked_before
    });
    crawl.signal(rustix::process::Signal::INT);
    crawl.wait(Duration::from_secs(10)).expect(2);
    let logs: String = fs::read_dir(home.round("r", "logs"))
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    assert!(logs.contains("the old politeness stays"), "{logs}");
}
