//! Are the files that others get the same, whichever engine the catalog has?

use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

use libtest_mimic::{Completion, Trial};

use crate::{
    databases::in_a_schema,
    support::{
        home::{Home, text},
        processing::{Base, ROUNDS, at_its_time},
    },
};

/// A trial that needs a database; ignored with the reason where there is none.
pub fn trials() -> Vec<Trial> {
    let name = "exports::the_same_pages_become_the_same_bytes_on_either_engine";
    vec![Trial::ignorable_test(name, || match std::env::var("CANVASS_TEST_POSTGRES") {
        Ok(url) => {
            in_a_schema(&url, "exports", |schema| {
                the_same_pages_become_the_same_bytes_on_either_engine(&url, schema);
            });
            Ok(Completion::Completed)
        }
        Err(_) => {
            let reason = "CANVASS_TEST_POSTGRES is not set: run ./test";
            if std::env::var("REQUIRE_SERVICES").as_deref() == Ok("1") {
                return Err(format!("REQUIRE_SERVICES=1 and {reason}").into());
            }
            Ok(Completion::ignored_with(reason))
        }
    })]
}

fn the_same_pages_become_the_same_bytes_on_either_engine(url: &str, schema: &str) {
    let base = Base::crawl(60, &[]);
    let on_sqlite = base.copy(&[]);
    let sets = [format!("storage.metadata_db_url={url}"), format!("storage.schema={schema}")];
    let on_postgres = base.copy(&sets.each_ref().map(String::as_str));
    on_postgres.run(&["migrate"]).expect(0);
    on_postgres.run(&["fingerprints", "load", "--now", ROUNDS[0].1]).expect(0);
    for home in [&on_sqlite, &on_postgres] {
        let accounts = home.write("accounts.csv", accounts().as_bytes());
        home.run(&["accounts", "load", text(&accounts)]).expect(0);
        for command in [
            &["process", "--quiet"][..],
            &["aggregate", "--all"],
            &["changes", "--quiet"],
            &["archive", "--quiet"],
            &["export", "--quiet"],
        ] {
            home.run(&at_its_time(command)).expect(0);
        }
    }
    let (expected, found) = (files(&on_sqlite), files(&on_postgres));
    assert!(expected.len() > 10, "{:?}", expected.keys());
    let rows = String::from_utf8_lossy(&expected["AccountDelivery.csv"]).lines().count();
    assert!(rows > 40, "only {rows} lines about accounts");
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, bytes) in expected {
        assert!(found[&name] == bytes, "{name} differs");
    }
}

/// Accounts whose ids stand in another order by language than by bytes, two for each site of the list.
fn accounts() -> String {
    let mut text = "account_id,name,website_id,street,city,region,postcode,country\n".to_owned();
    for (at, prefix) in ["b", "B", "a", "Z", "é", "-", "_", "z"].iter().cycle().take(40).enumerate() {
        let site = at / 2 + 1;
        let _ = writeln!(
            text,
            "{prefix}{at},=Org {at},{site},{at} North Main Street,Springfield,Illinois,62701,USA"
        );
    }
    text
}

/// Every exported and every archived file by its name, the manifest without its moment.
fn files(home: &Home) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    gather(&home.round(ROUNDS[1].0, "export"), &mut found);
    gather(&home.path("data/archive"), &mut found);
    if let Some(manifest) = found.get_mut("manifest.json") {
        let mut told: serde_json::Value = serde_json::from_slice(manifest).unwrap();
        told.as_object_mut().unwrap().remove("made_at");
        *manifest = told.to_string().into_bytes();
    }
    found
}

fn gather(folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            gather(&entry.path(), found);
        } else {
            found.insert(entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
        }
    }
}
