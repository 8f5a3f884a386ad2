//! Do two months differ as they should, and in nothing else?

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sandbox::{Behaviour, DualVendorTruth, Mix, Plan, TruthLine, World};

use super::client::{host_and_path, serve};

const SITES: usize = 260;

fn world(month: u32) -> World {
    World::build(&Plan::technographics(SITES, month))
}

fn list_of(world: &World) -> Vec<u8> {
    let mut list = Vec::new();
    world.write_list(&mut list).expect("a vector takes it");
    list
}

/// The lines of the truth by their address.
fn by_url(world: &World) -> HashMap<String, TruthLine> {
    world
        .truth()
        .into_iter()
        .filter(|line| line.duplicate_of.is_none())
        .map(|line| (line.url.clone(), line))
        .collect()
}

#[test]
fn every_month_has_the_same_list_and_the_odd_sites_stay_as_they_are() {
    let (before, now) = (world(0), world(1));
    assert_eq!(list_of(&before), list_of(&now));
    assert_eq!(before.accounts(), now.accounts());
    for (line, later) in before.truth().into_iter().zip(now.truth()) {
        let odd = line.behaviour.is_none_or(|behaviour| !behaviour.name().starts_with("static_"));
        assert!(!odd || line == later, "{line:?} became {later:?}");
    }
}

#[test]
fn a_world_without_accounts_has_no_month() {
    let plan = Plan::default();
    let later = Plan { month: 1, ..plan.clone() };
    assert_eq!(World::build(&plan).truth(), World::build(&later).truth());
    assert_eq!(World::build(&later).accounts(), []);
}

#[test]
fn something_fails_in_each_month_that_does_not_fail_in_the_other() {
    let (before, now) = (by_url(&world(0)), by_url(&world(1)));
    let failing = |here: &HashMap<String, TruthLine>,
                   there: &HashMap<String, TruthLine>|
     -> BTreeSet<String> {
        let failed =
            |line: &&TruthLine| line.disposition == "failed" && there[&line.url].disposition == "captured";
        here.values().filter(failed).map(|line| line.detail.clone()).collect()
    };
    let kinds = ["connection_lost", "http_status", "response_timeout", "throttled"].map(str::to_owned).into();
    assert_eq!(failing(&before, &now), kinds);
    assert_eq!(failing(&now, &before), kinds);
}

#[test]
fn a_failed_page_neither_adds_nor_drops_anything() {
    let (before, now) = (by_url(&world(0)), by_url(&world(1)));
    let mut fate: BTreeMap<(String, String), String> = BTreeMap::new();
    for change in world(1).changes() {
        fate.insert((change.site, change.product), change.kind);
    }
    let shows = |line: &TruthLine, product: &str| {
        line.products.as_ref().is_some_and(|products| products.shown.iter().any(|name| name == product))
    };
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    for ((site, product), kind) in &fate {
        *kinds.entry(kind).or_default() += 1;
        let differs = now.values().filter(|line| line.key == *site).any(|line| {
            let earlier = &before[&line.url];
            let both = line.disposition == "captured" && earlier.disposition == "captured";
            both && shows(line, product) != shows(earlier, product)
        });
        match kind.as_str() {
            "added" | "dropped" => assert!(differs, "{product} of site {site} is {kind}"),
            _ => assert!(!differs, "{product} of site {site} is {kind}"),
        }
    }
    for kind in ["added", "dropped", "kept", "unknown"] {
        assert!(kinds.get(kind).is_some_and(|count| *count > 8), "{kinds:?}");
    }
}

#[test]
fn two_vendors_are_two_of_one_category_and_new_only_where_the_second_came() {
    let now = world(1);
    let duals = now.dual_vendors();
    let earlier = world(0).dual_vendors();
    let sites: HashMap<String, Vec<String>> =
        now.accounts().into_iter().fold(HashMap::new(), |mut all, account| {
            all.entry(account.account_id).or_insert_with(Vec::new).push(account.website_id);
            all
        });
    let of = |dual: &DualVendorTruth| match dual.account.strip_prefix("site:") {
        Some(site) => vec![site.to_owned()],
        None => sites[&dual.account].clone(),
    };
    let shown: BTreeSet<(String, String)> = now
        .findings()
        .into_iter()
        .filter(|finding| !finding.implied)
        .map(|finding| (finding.site, finding.product))
        .collect();
    for dual in &duals {
        for product in [&dual.first, &dual.second] {
            let seen = of(dual).into_iter().any(|site| shown.contains(&(site, product.clone())));
            assert!(seen, "{dual:?}: nobody sees {product}");
        }
        let same_pair = |other: &DualVendorTruth| {
            (&other.account, &other.first, &other.second) == (&dual.account, &dual.first, &dual.second)
        };
        assert!(!(dual.is_new && earlier.iter().any(same_pair)), "{dual:?} is not new");
        let pair = [dual.first.as_str(), dual.second.as_str()];
        assert_ne!(pair, ["Quantcast Choice", "InMobi CMP"], "one family is one choice");
    }
    assert!(earlier.iter().all(|dual| !dual.is_new), "the first month has nothing to compare with");
    let count = |wanted: fn(&DualVendorTruth) -> bool| duals.iter().filter(|dual| wanted(dual)).count();
    assert!(count(|dual| dual.is_new) > 15 && count(|dual| !dual.is_new) > 15, "{duals:?}");
    assert!(count(|dual| dual.account.starts_with("site:")) > 0, "some are unknown to the partner");
    assert!(duals.iter().any(|dual| of(dual).len() == 2), "some are spread over two sites");
    let categories: BTreeSet<&str> = duals.iter().map(|dual| dual.category.as_str()).collect();
    assert!(categories.len() >= 8, "{categories:?}");
}

#[test]
fn what_only_follows_from_something_else_is_no_second_vendor() {
    let world = world(1);
    let shown = |site: &str, product: &str| {
        world.findings().contains(&sandbox::Finding {
            site: site.to_owned(),
            product: product.to_owned(),
            implied: false,
        })
    };
    let mut met = 0;
    for finding in world.findings().iter().filter(|finding| finding.implied && finding.product == "WordPress")
    {
        assert!(!shown(&finding.site, "WordPress"));
        met += u32::from(shown(&finding.site, "Joomla"));
        let account =
            |dual: &DualVendorTruth| dual.account.ends_with(&finding.site) && dual.category == "cms";
        assert!(!world.dual_vendors().iter().any(|dual| account(dual) && dual.second == "WordPress"));
    }
    assert!(met > 0, "no site has Joomla and something that implies WordPress");
}

/// A text of each product's embed code, from what its vendor documents.
const MARKS: &[(&str, &str)] = &[
    ("Crisp", "client.crisp.chat"),
    ("Tidio", "code.tidio.co"),
    ("Donorbox", "donorbox.org/embed"),
    ("Calendly", "assets.calendly.com"),
    ("OneTrust", "otSDKStub.js"),
    ("Sentry", "js.sentry-cdn.com"),
    ("Joomla", "Joomla! - Open Source"),
    ("Laravel", "laravel_session="),
    ("Netlify", "x-nf-request-id:"),
    ("Nginx", "server: nginx"),
    ("Google Maps", "google.com/maps/embed"),
];

#[tokio::test]
async fn pages_show_the_products_of_their_month_and_no_others() {
    for month in [0, 1] {
        let mix = Mix::Only(vec![Behaviour::StaticPlain]);
        let plan = Plan { mix, noise: false, ..Plan::technographics(60, month) };
        let sandbox = serve(&plan).await;
        let mut met = BTreeSet::new();
        for line in sandbox.world.truth() {
            let Some(products) = &line.products else { continue };
            let (host, path) = host_and_path(&line.url);
            let seen = sandbox.see(host, path, "", usize::MAX).await;
            let answer = String::from_utf8_lossy(&seen.bytes).to_lowercase();
            for (product, mark) in MARKS {
                let shown = products.shown.iter().any(|name| name == product);
                assert_eq!(answer.contains(&mark.to_lowercase()), shown, "{product} on {}", line.url);
                if shown {
                    met.insert(*product);
                }
            }
        }
        assert!(met.len() > 7, "{met:?}");
    }
}

#[test]
fn accounts_are_csv_that_can_be_read_back() {
    let world = world(0);
    let mut written = Vec::new();
    world.write_accounts(&mut written).expect("a vector takes it");
    let written = String::from_utf8(written).expect("UTF-8");
    let accounts = world.accounts();
    assert_eq!(written.lines().count(), accounts.len() + 1);
    assert!(accounts.iter().any(|account| account.name.contains('"') && account.name.contains(',')));
    let one = accounts.iter().find(|account| account.name.contains('"')).expect("a quoted name");
    assert!(written.contains(&format!("\"{}\"", one.name.replace('"', "\"\""))));
}
