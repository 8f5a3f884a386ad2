//! Are accounts kept as they were last sent, and is the same content never delivered twice?

use catalog::{
    accounts::{self, AccountRow, AccountSite},
    deliveries::{self, Delivery, already_delivered},
};
use domain::Moment;

use crate::place::{NOW, Place, sql};

fn account(id: &str, name: &str) -> AccountRow {
    let city = "Nashville".to_owned();
    AccountRow { id: id.into(), name: name.into(), city, region: "TN".into(), ..AccountRow::default() }
}

fn link(account: &str, site: &str) -> AccountSite {
    AccountSite { account: account.into(), site: site.into(), source: "file".into(), confidence: 100 }
}

pub async fn accounts_are_as_they_were_last_sent(place: Place) {
    let catalog = place.migrated().await;
    let sent = [account("2", "Two"), account("1", "One"), account("2", "Two again"), account("10", "Ten")];
    assert_eq!(accounts::load(&catalog, &sent, NOW).await.unwrap(), 3);
    assert_eq!(accounts::load(&catalog, &sent, NOW).await.unwrap(), 0, "nothing new");
    let moved = AccountRow { city: "Memphis".into(), ..account("1", "One") };
    assert_eq!(accounts::load(&catalog, std::slice::from_ref(&moved), NOW).await.unwrap(), 1);
    let first = accounts::list(&catalog, None, 2).await.unwrap();
    let rest = accounts::list(&catalog, Some("10"), 2).await.unwrap();
    assert_eq!([first, rest].concat(), [moved, account("10", "Ten"), account("2", "Two again")]);
}

pub async fn sites_belong_to_accounts_and_are_read_either_way(place: Place) {
    let catalog = place.migrated().await;
    let by_account = [link("A", ""), link("A", "x"), link("B", "w"), link("B", "x"), link("b", "a")];
    assert_eq!(accounts::link(&catalog, &by_account, NOW).await.unwrap(), 5);
    assert_eq!(accounts::link(&catalog, &by_account, NOW).await.unwrap(), 0);
    let doubt = AccountSite { confidence: 60, ..link("A", "x") };
    accounts::link(&catalog, &[link("A", "x"), doubt.clone()], NOW).await.unwrap();
    let by_account = [vec![link("A", ""), doubt.clone()], by_account[2..].to_vec()].concat();
    let mut found: Vec<AccountSite> = Vec::new();
    for _ in 0..3 {
        let last = found.last().cloned();
        let after = last.as_ref().map(|last| (&*last.account, &*last.site));
        found.extend(accounts::links_by_account(&catalog, after, 2).await.unwrap());
    }
    assert_eq!(found, by_account);
    let mut by_site = Vec::new();
    for _ in 0..3 {
        let last: Option<AccountSite> = by_site.last().cloned();
        let after = last.as_ref().map(|last| (&*last.site, &*last.account));
        by_site.extend(accounts::links_by_site(&catalog, after, 2).await.unwrap());
    }
    assert_eq!(by_site, [link("A", ""), link("b", "a"), link("B", "w"), doubt.clone(), link("B", "x")]);
    assert_eq!(accounts::sites_of(&catalog, "A").await.unwrap(), [link("A", ""), doubt]);
}

pub async fn the_same_content_is_delivered_once(place: Place) {
    let catalog = place.migrated().await;
    let first = Delivery {
        destination: "partner".into(),
        file: "DualVendor_2023-11.csv".into(),
        sha256: "abc".into(),
        path: "2023/11/30/DualVendor_2023-11.csv.gz".into(),
        bytes: 1_234,
        round: "r".into(),
        delivered_at: NOW,
    };
    assert_eq!(already_delivered(&catalog, "partner", &first.file, "abc").await.unwrap(), None);
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let (catalog, delivery) = (place.open().await, first.clone());
        tasks.push(tokio::spawn(async move { deliveries::note(&catalog, &delivery).await.unwrap() }));
    }
    let mut noted = 0;
    for task in tasks {
        noted += i32::from(task.await.unwrap());
    }
    assert_eq!(noted, 1);
    let later = Delivery { path: "elsewhere".into(), delivered_at: Moment(NOW.0 + 9), ..first.clone() };
    let note_of = async || already_delivered(&catalog, "partner", &first.file, "abc").await.unwrap();
    assert_eq!(note_of().await, Some(first.clone()));
    // the same content again, after another was there or elsewhere: one note still, and it tells the last time
    assert!(deliveries::note(&catalog, &later).await.unwrap());
    assert!(!deliveries::note(&catalog, &first).await.unwrap(), "a note that comes late");
    assert_eq!(note_of().await, Some(later.clone()));
    // another content, another name or another destination is another delivery
    let others = [
        Delivery { sha256: "def".into(), round: "s".into(), ..first.clone() },
        Delivery { file: "manifest.json".into(), ..first.clone() },
        Delivery { destination: "lake".into(), ..first.clone() },
    ];
    for other in &others {
        assert!(deliveries::note(&catalog, other).await.unwrap());
    }
    assert_eq!(deliveries::list(&catalog, Some("s"), 9).await.unwrap(), others[..1]);
    assert_eq!(deliveries::list(&catalog, None, 9).await.unwrap().first(), Some(&later), "newest first");
    assert_eq!(deliveries::list(&catalog, None, 2).await.unwrap().len(), 2);
    let second = sql("INSERT INTO deliveries SELECT * FROM deliveries");
    let error = catalog.run(second, []).await.unwrap_err();
    assert_eq!(error.kind(), catalog::ErrorKind::Conflict, "the table itself refuses a second note");
}
