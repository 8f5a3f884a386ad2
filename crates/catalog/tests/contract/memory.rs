//! Does politeness survive a restart, and reports out of order?

use std::time::Duration;

use catalog::{
    hosts::{self, HostMemory},
    robots::{self, RobotsMemory},
};
use domain::Moment;

use crate::place::{NOW, Place};

fn host(name: &str, last_request: i64) -> HostMemory {
    HostMemory {
        host: name.into(),
        last_request_at: Moment(last_request),
        next_allowed_at: Moment(last_request + 2_000),
        delay_ms: 2_000,
        suspended_until: None,
        strikes: 0,
    }
}

fn answer(origin: &str, fetched_at: i64, body: &[u8]) -> RobotsMemory {
    RobotsMemory { origin: origin.into(), fetched_at: Moment(fetched_at), status: 200, body: body.into() }
}

pub async fn promises_to_hosts_never_move_back(place: Place) {
    let catalog = place.migrated().await;
    let late = HostMemory {
        suspended_until: Some(Moment(9_000_000)),
        strikes: 3,
        delay_ms: 5_000,
        ..host("a.example", 50_000)
    };
    let early =
        HostMemory { suspended_until: Some(Moment(8_000_000)), strikes: 1, ..host("a.example", 40_000) };
    for report in [&late, &early, &host("a.example", 45_000)] {
        hosts::remember(&catalog, std::slice::from_ref(report), NOW).await.unwrap();
        assert_eq!(hosts::recall(&catalog, "a.example").await.unwrap().unwrap(), late);
    }
    // a later request brings its own delay and strikes, but does not lift a suspension
    let mended = host("a.example", 60_000);
    hosts::remember(&catalog, std::slice::from_ref(&mended), NOW).await.unwrap();
    let expected = HostMemory { suspended_until: late.suspended_until, ..mended };
    assert_eq!(hosts::recall(&catalog, "a.example").await.unwrap().unwrap(), expected);
    // the same host twice in one report, the later first
    let twice = [host("b.example", 2_000), host("b.example", 1_000)];
    hosts::remember(&catalog, &twice, NOW).await.unwrap();
    assert_eq!(hosts::recall(&catalog, "b.example").await.unwrap().unwrap(), twice[0]);
    assert_eq!(hosts::recall(&catalog, "c.example").await.unwrap(), None);
}

pub async fn ten_thousand_hosts_are_remembered_at_once(place: Place) {
    let catalog = place.migrated().await;
    let mut all: Vec<HostMemory> = (0..10_000).map(|n| host(&format!("h{n}.example"), n)).collect();
    hosts::remember(&catalog, &all, NOW).await.unwrap();
    for memory in &mut all {
        *memory = host(&memory.host, memory.last_request_at.0 + 7);
    }
    hosts::remember(&catalog, &all, NOW).await.unwrap();
    let names: Vec<&str> = all.iter().rev().map(|memory| memory.host.as_str()).chain(["unknown"]).collect();
    let found = hosts::recall_many(&catalog, &names).await.unwrap();
    all.reverse();
    assert!(found == all, "what was recalled is not what was remembered, in the order of the question");
}

pub async fn two_writers_of_the_same_hosts_do_not_stop_each_other(place: Place) {
    place.migrated().await;
    let mut tasks = Vec::new();
    for writer in 0..4_i64 {
        let catalog = place.open().await;
        tasks.push(tokio::spawn(async move {
            for round in 0..5 {
                let mut all: Vec<_> =
                    (0..200).map(|n| host(&format!("h{n}.example"), round * 10 + writer)).collect();
                if writer % 2 == 0 {
                    all.reverse();
                }
                hosts::remember(&catalog, &all, NOW).await.unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let catalog = place.open().await;
    for n in 0..200 {
        let name = format!("h{n}.example");
        assert_eq!(hosts::recall(&catalog, &name).await.unwrap().unwrap(), host(&name, 43));
    }
}

pub async fn a_host_is_forgotten_only_when_nothing_is_promised(place: Place) {
    let catalog = place.migrated().await;
    let suspended = HostMemory { suspended_until: Some(Moment(100_000)), ..host("suspended.example", 1_000) };
    let waiting = HostMemory { next_allowed_at: Moment(90_000), ..host("waiting.example", 1_000) };
    let quiet = host("quiet.example", 1_000);
    hosts::remember(&catalog, &[suspended, waiting, quiet], NOW).await.unwrap();
    let names = ["suspended.example", "waiting.example", "quiet.example"];
    for (before, left) in [(2_999, 3), (3_000, 2), (90_000, 1), (99_999, 1), (100_000, 0)] {
        hosts::forget_expired(&catalog, Moment(before)).await.unwrap();
        assert_eq!(hosts::recall_many(&catalog, &names).await.unwrap().len(), left, "at {before}");
    }
}

pub async fn robots_are_recalled_while_fresh(place: Place) {
    let catalog = place.migrated().await;
    let all_bytes: Vec<u8> = (0..=255).cycle().take(500 * 1024).collect();
    let known = [
        answer("https://a.example", NOW.0, &all_bytes),
        RobotsMemory { status: 0, ..answer("http://b.example:8080", NOW.0 - 1, b"") },
        answer("https://c.example", NOW.0 - 90_000_000, b"User-agent: *\nDisallow: /\n"),
    ];
    robots::remember(&catalog, &known).await.unwrap();
    let day = Duration::from_secs(24 * 3600);
    let asked = ["https://c.example", "http://b.example:8080", "https://a.example", "https://d.example"];
    let fresh = robots::recall_many(&catalog, &asked, Moment(NOW.0 - day.as_millis() as i64)).await.unwrap();
    assert!(fresh == [known[1].clone(), known[0].clone()], "fresh answers in the order of the question");
    assert_eq!(robots::forget_older(&catalog, Moment(NOW.0 - 90_000_000)).await.unwrap(), 1);
    assert_eq!(robots::recall_many(&catalog, &asked, Moment(0)).await.unwrap().len(), 2);
}

pub async fn an_older_robots_answer_changes_nothing(place: Place) {
    let catalog = place.migrated().await;
    let newer = answer("https://a.example", 2_000, b"newer");
    robots::remember(&catalog, &[newer.clone(), answer("https://a.example", 1_000, b"older")]).await.unwrap();
    robots::remember(&catalog, &[answer("https://a.example", 1_500, b"older")]).await.unwrap();
    assert_eq!(robots::recall_many(&catalog, &["https://a.example"], Moment(0)).await.unwrap(), [newer]);
}
