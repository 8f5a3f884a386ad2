//! Do packs become rows, rows editions, and editions rule sets?

use catalog::{
    Catalog, ErrorKind,
    rules::{self, Loaded, NewFingerprint, activate, active, load_pack, set_enabled},
};
use domain::Moment;
use serde_json::json;

use crate::{
    place::{NOW, Place},
    scene::{category, fingerprint, load_rules, signal},
};

const LATER: Moment = Moment(NOW.0 + 1_000);

async fn versions(catalog: &Catalog) -> Vec<(i64, String, i64, bool, bool)> {
    let rows = rules::fingerprints(catalog).await.unwrap();
    let short =
        |row: rules::FingerprintRow| (row.id, row.key, row.version, row.enabled, row.deleted_at.is_some());
    rows.into_iter().map(short).collect()
}

pub async fn the_same_pack_again_changes_nothing(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let before = (
        rules::categories(&catalog).await.unwrap(),
        rules::signals(&catalog).await.unwrap(),
        rules::fingerprints(&catalog).await.unwrap(),
    );
    let (categories, signals): (Vec<_>, Vec<_>) = (
        vec![category("chat", true), category("shop", false)],
        ["Alpha", "Beta", "Gamma"].map(|name| signal(name, "chat")).into_iter().collect(),
    );
    let signals = [signals, vec![signal("Shop", "shop")]].concat();
    let mut same: Vec<NewFingerprint> =
        before.2.iter().map(|row| fingerprint(&row.key, &row.signal)).collect();
    same.reverse();
    let loaded = load_pack(&catalog, "test", &categories, &signals, &same, LATER).await.unwrap();
    assert_eq!(loaded, Loaded { kept: 5, ..Loaded::default() });
    assert_eq!(before.0, rules::categories(&catalog).await.unwrap());
    assert_eq!(before.1, rules::signals(&catalog).await.unwrap());
    assert_eq!(before.2, rules::fingerprints(&catalog).await.unwrap());
}

pub async fn an_edition_of_a_pack_adds_changes_deletes_and_revives(place: Place) {
    let catalog = place.migrated().await;
    let load = async |signals: &[&str], fingerprints: &[NewFingerprint]| {
        let signals: Vec<_> = signals.iter().map(|name| signal(name, "chat")).collect();
        load_pack(&catalog, "test", &[category("chat", true)], &signals, fingerprints, LATER).await.unwrap()
    };
    let (a, b, c) = (fingerprint("a", "Alpha"), fingerprint("b", "Beta"), fingerprint("c", "Alpha"));
    let loaded = load(&["Alpha", "Beta"], &[a.clone(), b.clone()]).await;
    assert_eq!(loaded, Loaded { added: 2, ..Loaded::default() });

    let changed = NewFingerprint { definition: json!({ "regex": "a+" }), ..a.clone() };
    let loaded = load(&["Alpha"], &[changed.clone(), c.clone()]).await;
    assert_eq!(loaded, Loaded { added: 1, changed: 1, deleted: 1, ..Loaded::default() });
    let signals = rules::signals(&catalog).await.unwrap();
    assert_eq!(signals.iter().map(|row| row.deleted_at).collect::<Vec<_>>(), [None, Some(LATER)]);

    let loaded = load(&["Alpha", "Beta"], &[changed, b, c]).await;
    assert_eq!(loaded, Loaded { kept: 2, revived: 1, ..Loaded::default() });
    let expected = [(1, "a", 2), (2, "b", 1), (3, "c", 1)];
    let expected = expected.map(|(id, key, version)| (id, key.to_owned(), version, true, false));
    assert_eq!(versions(&catalog).await, expected);
    assert!(rules::signals(&catalog).await.unwrap().iter().all(|row| row.deleted_at.is_none()));
}

pub async fn what_a_person_disabled_stays_disabled(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    assert_eq!(set_enabled(&catalog, "alpha/a", false, NOW).await.unwrap(), 1);
    assert_eq!(set_enabled(&catalog, "alpha/a", false, NOW).await.unwrap(), 0, "it was already");
    assert_eq!(set_enabled(&catalog, "Beta", false, NOW).await.unwrap(), 1);
    assert_eq!(set_enabled(&catalog, "Nobody", false, NOW).await.unwrap(), 0);
    let edited = NewFingerprint { part: "headers".into(), ..fingerprint("alpha/a", "Alpha") };
    let fingerprints = [edited, fingerprint("beta", "Beta"), fingerprint("beta/new", "Beta")];
    let signals = [signal("Alpha", "chat"), signal("Beta", "chat")];
    load_pack(&catalog, "test", &[], &signals, &fingerprints, NOW).await.unwrap();
    let enabled = versions(&catalog).await.into_iter().filter(|row| !row.4).map(|row| (row.1, row.3));
    assert_eq!(
        enabled.collect::<Vec<_>>(),
        [("alpha/a".to_owned(), false), ("beta".to_owned(), false), ("beta/new".to_owned(), true)]
    );
    let is_enabled = async |name: &str| {
        let signals = rules::signals(&catalog).await.unwrap();
        signals.into_iter().find(|row| row.name == name).unwrap().enabled
    };
    assert!(is_enabled("Alpha").await && !is_enabled("Beta").await);
    // one fingerprint of a disabled signal: alone it would see nothing
    assert_eq!(set_enabled(&catalog, "beta", true, NOW).await.unwrap(), 1);
    assert!(is_enabled("Beta").await);
}

pub async fn packs_share_signals_and_no_fingerprints(place: Place) {
    let catalog = place.migrated().await;
    load_rules(&catalog).await;
    let other = signal("Alpha", "shop");
    let key = fingerprint("beta", "Beta");
    let error = load_pack(&catalog, "other", &[], &[], &[key], NOW).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    assert_eq!(
        error.to_string(),
        "fingerprint `beta` belongs to the pack `test`: give one of them another key"
    );
    let error = load_pack(&catalog, "other", &[], &[], &[fingerprint("x", "X")], NOW).await.unwrap_err();
    assert_eq!(error.to_string(), "fingerprint `x` sees `X`, which is no signal");
    let twice = [fingerprint("x", "Alpha"), fingerprint("x", "Beta")];
    let error = load_pack(&catalog, "other", &[], &[], &twice, NOW).await.unwrap_err();
    assert_eq!(error.to_string(), "fingerprint `x` is there twice");

    load_pack(&catalog, "other", &[], &[other], &[fingerprint("x", "Alpha")], NOW).await.unwrap();
    let alpha = async || rules::signals(&catalog).await.unwrap().remove(0);
    assert_eq!((alpha().await.pack.as_str(), alpha().await.category.as_str()), ("test", "chat"));
    // the first pack lets go of it, and the other still looks for it
    load_pack(&catalog, "test", &[], &[], &[], NOW).await.unwrap();
    assert_eq!(alpha().await.deleted_at, None);
    assert!(rules::signals(&catalog).await.unwrap()[1].deleted_at.is_some());
    // an implied one holds nothing: it only follows
    let implied = NewFingerprint { part: "implied".into(), ..fingerprint("implied:Alpha", "Alpha") };
    load_pack(&catalog, "implied", &[], &[], &[implied], NOW).await.unwrap();
    load_pack(&catalog, "other", &[], &[], &[], NOW).await.unwrap();
    load_pack(&catalog, "test", &[], &[], &[], NOW).await.unwrap();
    assert!(alpha().await.deleted_at.is_some());
}

pub async fn packs_that_load_at_once_each_load_whole(place: Place) {
    let catalog = place.migrated().await;
    let mut tasks = Vec::new();
    for pack in 0..4 {
        let catalog = place.open().await;
        tasks.push(tokio::spawn(async move {
            let signals = [signal(&format!("S{pack}"), "chat")];
            let fingerprints: Vec<_> =
                (0..50).map(|n| fingerprint(&format!("{pack}/{n}"), &signals[0].name)).collect();
            load_pack(&catalog, &format!("pack {pack}"), &[], &signals, &fingerprints, NOW).await.unwrap()
        }));
    }
    for task in tasks {
        assert_eq!(task.await.unwrap().added, 50);
    }
    let mut ids: Vec<_> = rules::fingerprints(&catalog).await.unwrap().iter().map(|row| row.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=200).collect::<Vec<_>>());
}

pub async fn rules_that_come_back_get_their_old_version(place: Place) {
    let catalog = place.migrated().await;
    assert!(active(&catalog).await.unwrap().is_none());
    let one = activate(&catalog, "digest 1", b"\0one", 2, 5, "loaded", NOW).await.unwrap();
    assert_eq!((one.version, one.signals, one.fingerprints, one.reason.as_str()), (1, 2, 5, "loaded"));
    let two = activate(&catalog, "digest 2", b"two", 3, 6, "loaded", LATER).await.unwrap();
    assert_eq!(two.version, 2);
    assert_eq!(
        activate(&catalog, "digest 2", b"two", 3, 6, "again", NOW).await.unwrap(),
        two,
        "it is in force"
    );
    // a clock that goes back does not decide what is in force
    let back = activate(&catalog, "digest 1", b"\0one", 2, 5, "disabled", Moment(5)).await.unwrap();
    assert_eq!((back.version, back.created_at, back.activated_at), (1, NOW, Moment(5)));
    let (row, definition) = active(&catalog).await.unwrap().unwrap();
    assert_eq!((row, definition.as_slice()), (back, &b"\0one"[..]));
    assert_eq!(rules::rule_set(&catalog, 2).await.unwrap().unwrap(), (two, b"two".to_vec()));
    assert!(rules::rule_set(&catalog, 3).await.unwrap().is_none());
    let all = rules::rule_sets(&catalog).await.unwrap();
    assert_eq!(all.iter().map(|row| row.version).collect::<Vec<_>>(), [1, 2]);
}
