//! Is a world the same every time, and does its truth fit its list?

use std::collections::{BTreeMap, HashMap, HashSet};

use sandbox::{BENCH_PAGE_BYTES, Behaviour, Mix, Plan, TruthHeader, TruthLine, WORLD_VERSION, World};

fn list_of(world: &World) -> String {
    let mut list = Vec::new();
    world.write_list(&mut list).expect("a vector takes it");
    String::from_utf8(list).expect("UTF-8")
}

fn truth_file_of(world: &World) -> String {
    let mut truth = Vec::new();
    world.write_truth(&mut truth).expect("a vector takes it");
    String::from_utf8(truth).expect("UTF-8")
}

#[test]
fn the_same_plan_makes_the_same_bytes_and_another_seed_makes_others() {
    let plan = Plan::default();
    let (one, two) = (World::build(&plan), World::build(&plan));
    assert_eq!(list_of(&one), list_of(&two));
    assert_eq!(truth_file_of(&one), truth_file_of(&two));
    let other = World::build(&Plan { seed: 2, ..plan });
    assert_ne!(list_of(&one), list_of(&other));
}

#[test]
fn the_bytes_of_the_default_world_change_only_with_its_version() {
    let world = World::build(&Plan::default());
    let truth: String = truth_file_of(&world).lines().skip(1).collect();
    let made = (WORLD_VERSION, domain::url_hash_hex(&list_of(&world)), domain::url_hash_hex(&truth));
    let known = (1, "d435b287197f9207".to_owned(), "b8265f4c0e04f31b".to_owned());
    assert_eq!(
        made, known,
        "if this change is meant, give the world its next version and write down its bytes"
    );
}

#[test]
fn every_line_of_the_list_has_one_line_of_truth() {
    let world = World::build(&Plan::default());
    let list = list_of(&world);
    let mut truth = world.truth().into_iter();
    let mut lines = list.lines().zip(1u64..);
    assert_eq!(lines.next(), Some(("website_id,url", 1)));
    for (record, number) in lines.filter(|(record, _)| !record.is_empty()) {
        let line = truth.next().expect("a truth for every line");
        let written = line.written.as_ref().unwrap_or(&line.url);
        let (key, url) = record.split_once(',').expect("two fields");
        let url = match url.strip_prefix('"').and_then(|url| url.strip_suffix('"')) {
            Some(quoted) => quoted.replace("\"\"", "\""),
            None => url.to_owned(),
        };
        assert_eq!((line.line, &line.key[..], &written[..]), (number, key, &url[..]));
    }
    assert_eq!(truth.next(), None);
}

#[test]
fn the_truth_file_says_how_it_was_made_and_can_be_read_back() {
    let world = World::build(&Plan { sites: 120, ..Plan::default() });
    let file = truth_file_of(&world);
    let mut lines = file.lines();
    let header: TruthHeader = serde_json::from_str(lines.next().expect("a header")).expect("a header");
    assert_eq!(&header.plan, world.plan());
    assert_eq!(truth_file_of(&World::build(&header.plan)), file);
    let read: Vec<TruthLine> = lines.map(|line| serde_json::from_str(line).expect("a truth")).collect();
    assert_eq!(read, world.truth());
}

#[test]
fn the_default_world_has_every_behaviour_and_fails_seldom() {
    let world = World::build(&Plan::default());
    let present: HashSet<Behaviour> = world.sites().iter().map(|site| site.behaviour).collect();
    assert_eq!(present.len(), Behaviour::ALL.len());
    let mut counts = BTreeMap::new();
    for line in world.truth() {
        *counts.entry(line.disposition).or_insert(0u64) += 1;
    }
    let targets = counts["captured"] + counts["excluded"] + counts["failed"];
    assert_eq!(targets, world.target_count());
    assert!(
        counts["failed"] * 100 < targets * 12,
        "{counts:?}: a healthy round fails in fewer than 15 of 100"
    );
    assert!(counts["rejected"] > 5 && counts["duplicate"] > 5, "{counts:?}");
}

#[test]
fn every_site_has_one_to_four_targets() {
    let world = World::build(&Plan::default());
    let mut counts: HashMap<String, usize> = HashMap::new();
    for line in world.truth() {
        if matches!(&line.disposition[..], "captured" | "excluded" | "failed") {
            *counts.entry(line.site).or_default() += 1;
        }
    }
    for site in world.sites() {
        let count = counts.get(&site.name).copied().unwrap_or(0);
        assert!((1..=4).contains(&count), "{} ({}) has {count}", site.name, site.behaviour);
    }
}

#[test]
fn a_duplicate_repeats_the_normal_form_of_an_earlier_line() {
    let truth = World::build(&Plan::default()).truth();
    let first: HashMap<u64, &TruthLine> = truth.iter().map(|line| (line.line, line)).collect();
    let mut seen = HashSet::new();
    for line in &truth {
        match line.duplicate_of {
            Some(number) => {
                assert!(number < line.line);
                assert_eq!(first[&number].url, line.url);
                assert_eq!(first[&number].duplicate_of, None);
            }
            None if line.disposition != "rejected" => assert!(seen.insert(&line.url), "{} twice", line.url),
            None => {}
        }
    }
}

#[test]
fn names_are_unique_reserved_and_ascii_and_addresses_are_loopback() {
    let world = World::build(&Plan { sites: 3_000, ..Plan::default() });
    let mut names = HashSet::new();
    let mut shared: HashMap<_, usize> = HashMap::new();
    for site in world.sites() {
        for name in site.names() {
            assert!(names.insert(name.to_owned()), "{name} twice");
            assert!(name.is_ascii() && !name.contains(char::is_uppercase), "{name}");
            let tld = name.rsplit('.').next();
            assert!(matches!(tld, Some("test" | "example" | "invalid")), "{name}");
            assert_eq!(tld == Some("invalid"), site.address.is_none(), "{name}");
        }
        if let Some(address) = site.address {
            assert!(address.is_loopback());
            *shared.entry(address).or_default() += 1;
        }
    }
    assert!(shared.values().any(|sites| *sites > 1), "some sites share an address");
    assert!(shared.len() > 2_000, "most have their own");
    assert!(
        world.sites().iter().any(|site| site.written_name.is_some()),
        "some names are not ASCII as written"
    );
}

#[test]
fn a_forbidden_target_is_excluded_and_an_allowed_one_is_not() {
    let world = World::build(&Plan::polite(330));
    assert_eq!(world.sites().len(), 330);
    for line in world.truth() {
        let site = world.site_at(&line.site).expect("the site");
        let (host, path) = super::client::host_and_path(&line.url);
        if site.forbids(host, path) {
            assert_eq!((&line.disposition[..], &line.detail[..]), ("excluded", "robots"), "{}", line.url);
        } else if line.disposition == "excluded" {
            assert!(line.behaviour.expect("a site").name().starts_with("redirect_"), "{}", line.url);
        }
    }
    let delays: HashSet<_> = world.sites().iter().filter_map(sandbox::Site::crawl_delay).collect();
    assert_eq!(delays.len(), 3);
}

#[test]
fn a_static_world_is_all_captured() {
    let world = World::build(&Plan { mix: Mix::StaticOnly, noise: false, ..Plan::default() });
    for line in world.truth() {
        assert_eq!(line.disposition, "captured");
        let page = line.page.expect("its content is known");
        assert!(!page.title.is_empty() && page.topics.len() == 3);
    }
}

#[test]
fn marketplaces_have_listings_with_stable_offers() {
    let world = World::build(&Plan { mix: Mix::StaticOnly, pages_per_site: 4..=6, ..Plan::default() });
    let listings: Vec<_> = world.truth().into_iter().filter_map(|line| line.page?.listing).collect();
    assert!(listings.len() > 50);
    assert!(listings.iter().any(|offer| offer.status == "sold"));
    assert!(listings.iter().any(|offer| offer.status == "live"));
}

#[test]
fn a_long_list_is_streamed_and_counted() {
    let world = World::build(&Plan::bench(50, 2_000, BENCH_PAGE_BYTES));
    let list = list_of(&world);
    assert_eq!(list.lines().count() as u64, world.target_count() + 1);
    assert_eq!(world.target_count(), 100_000);
    let third = world.truth_lines().nth(2).expect("a third line");
    let record = list.lines().nth(3).expect("a third line");
    assert_eq!(record, format!("{},{}", third.key, third.url));
    let urls: HashSet<&str> = list.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(urls.len(), 100_000);
}
