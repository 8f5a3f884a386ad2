use catalog::{
    Catalog, OpenOptions,
    rules::{self, Loaded},
};
use domain::Moment;
use readers::technologies::{Fingerprint, Implied, Page, Part, Pattern, Scratch, Signal};
use tempfile::TempDir;

use super::{ActiveRules, Frozen, freeze, new_fingerprint, new_signal};

async fn catalog() -> (TempDir, Catalog) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("canvass.db");
    let catalog = Catalog::open(path.to_str().unwrap(), OpenOptions::default()).await.unwrap();
    catalog.migrate(Moment(1)).await.unwrap();
    (folder, catalog)
}

fn signal(name: &str, implies: &[&str]) -> Signal {
    Signal {
        name: name.to_owned(),
        vendor: format!("{name} Ltd"),
        family: name.to_owned(),
        category: "talk".to_owned(),
        website: "https://example.com/".to_owned(),
        implies: implies.iter().map(|name| Implied { signal: (*name).to_owned(), confidence: 90 }).collect(),
        requires: Vec::new(),
        requires_category: Vec::new(),
        excludes: Vec::new(),
    }
}

fn fingerprint(signal: &str) -> Fingerprint {
    Fingerprint {
        id: format!("{}-text", signal.to_lowercase()),
        signal: signal.to_owned(),
        part: Part::Text,
        pattern: Pattern::Text(format!("powered by {signal}")),
        extracts: Vec::new(),
        confidence: 100,
    }
}

async fn load(catalog: &Catalog, pack: &str, signals: &[Signal], seen: &[Fingerprint]) -> Loaded {
    let signals: Vec<_> = signals.iter().map(|one| new_signal(one).unwrap()).collect();
    let seen: Vec<_> = seen.iter().map(|one| new_fingerprint(one).unwrap()).collect();
    rules::load_pack(catalog, pack, &[], &signals, &seen, Moment(2)).await.unwrap()
}

async fn frozen(catalog: &Catalog) -> (Frozen, ActiveRules) {
    let frozen = freeze(catalog, "a test", Moment(3)).await.unwrap();
    (frozen, ActiveRules::load(catalog).await.unwrap().unwrap())
}

#[tokio::test]
async fn the_places_of_a_rule_set_lead_to_the_rows_of_the_catalog() {
    let (_folder, catalog) = catalog().await;
    assert!(ActiveRules::load(&catalog).await.unwrap().is_none());
    let signals = [signal("Base", &[]), signal("Parley", &["Base", "Absent"]), signal("Other", &[])];
    let seen = [fingerprint("Other"), fingerprint("Parley"), fingerprint("Base")];
    load(&catalog, "mine", &signals, &seen).await;
    rules::set_enabled(&catalog, "Other", false, Moment(2)).await.unwrap();
    let (_, active) = frozen(&catalog).await;

    let body = b"<p>powered by parley, powered by other</p>";
    let page = Page { url: "", headers: &[], body, robots: None };
    let found = active.set.detect(&page, &mut Scratch::default());
    let signal_rows = rules::signals(&catalog).await.unwrap();
    let fingerprint_rows = rules::fingerprints(&catalog).await.unwrap();
    let name_of = |id: i64| &*signal_rows.iter().find(|row| row.id == id).unwrap().name;
    let key_of = |id: i64| &*fingerprint_rows.iter().find(|row| row.id == id).unwrap().key;
    let mut told: Vec<(&str, &str, Option<&str>)> = found
        .iter()
        .map(|detection| {
            let key = match detection.sightings.first() {
                Some(sighting) => active.fingerprint_ids[sighting.fingerprint],
                None => active.implied_ids[detection.signal].unwrap(),
            };
            let by = detection.implied_by.map(|place| name_of(active.signal_ids[place]));
            (name_of(active.signal_ids[detection.signal]), key_of(key), by)
        })
        .collect();
    told.sort_unstable();
    assert_eq!(told, [("Base", "implied:Base", Some("Parley")), ("Parley", "parley-text", None)]);
}

#[tokio::test]
async fn an_older_version_still_reads_as_it_did() {
    let (_folder, catalog) = catalog().await;
    load(&catalog, "mine", &[signal("Parley", &[])], &[fingerprint("Parley")]).await;
    let (first, _) = frozen(&catalog).await;
    let changed =
        Fingerprint { pattern: Pattern::Text("made with Parley".to_owned()), ..fingerprint("Parley") };
    assert_eq!(load(&catalog, "mine", &[signal("Parley", &[])], &[changed]).await.changed, 1);
    let (second, active) = frozen(&catalog).await;
    assert_eq!((second.before, second.rule_set.version), (Some(first.rule_set.version), 2));
    assert_eq!((active.version, active.fingerprint_versions.as_slice()), (2, [2].as_slice()));
    let old = ActiveRules::load_version(&catalog, first.rule_set.version).await.unwrap().unwrap();
    assert_eq!(old.set.fingerprints(), [fingerprint("Parley")]);
    assert!(ActiveRules::load_version(&catalog, 9).await.unwrap().is_none());
}

#[tokio::test]
async fn a_vendors_new_name_is_no_other_rule_set() {
    let (_folder, catalog) = catalog().await;
    load(&catalog, "mine", &[signal("Parley", &[])], &[fingerprint("Parley")]).await;
    let (first, _) = frozen(&catalog).await;
    let renamed = Signal { vendor: "Bought by Others".to_owned(), ..signal("Parley", &[]) };
    load(&catalog, "mine", &[renamed], &[fingerprint("Parley")]).await;
    let (second, _) = frozen(&catalog).await;
    assert_eq!(first.rule_set.version, second.rule_set.version);
    assert_eq!(rules::signals(&catalog).await.unwrap()[0].vendor, "Bought by Others");
}

#[tokio::test]
async fn what_is_no_longer_implied_is_no_longer_kept_for_it() {
    let (_folder, catalog) = catalog().await;
    let seen = [fingerprint("Parley")];
    load(&catalog, "mine", &[signal("Base", &[]), signal("Parley", &["Base"])], &seen).await;
    let (_, active) = frozen(&catalog).await;
    assert_eq!(active.implied_ids.iter().flatten().count(), 1);
    load(&catalog, "mine", &[signal("Base", &[]), signal("Parley", &[])], &seen).await;
    let (_, active) = frozen(&catalog).await;
    assert_eq!(active.implied_ids.iter().flatten().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_that_many_load_and_freeze_at_once_hold_what_all_of_them_loaded() {
    let (_folder, catalog) = catalog().await;
    let mut loads = Vec::new();
    for number in 0..4 {
        let catalog = catalog.clone();
        loads.push(tokio::spawn(async move {
            let (name, base) = (format!("Parley{number}"), format!("Base{number}"));
            let signals = [signal(&base, &[]), signal(&name, &[&base])];
            load(&catalog, &format!("pack{number}"), &signals, &[fingerprint(&name)]).await;
            freeze(&catalog, "a test", Moment(3)).await.unwrap();
        }));
    }
    for load in loads {
        load.await.unwrap();
    }
    let active = ActiveRules::load(&catalog).await.unwrap().unwrap();
    assert_eq!(active.fingerprint_ids.len(), 4);
    assert_eq!(active.implied_ids.iter().flatten().count(), 4);
}
