//! What does every store promise?

use std::{collections::BTreeSet, fs, time::Duration};

use blobs::store::{Blob, Comparison, Download, ErrorKind, Keys, Location, Role, S3Options, Store};
use tokio::task::JoinSet;

use crate::place::{Place, noise};

async fn read(download: Option<Download>) -> Vec<u8> {
    let mut download = download.expect("there is a blob");
    let (mut all, length) = (Vec::new(), download.bytes());
    while let Some(chunk) = download.next_chunk().await.unwrap() {
        all.extend_from_slice(&chunk);
    }
    assert_eq!(all.len() as u64, length);
    all
}

pub async fn what_was_put_comes_back_and_is_known_to_be_the_same(place: Place) {
    let content = noise(1, 300_000);
    let blob = place.blob("a", &content).await;
    place.store.put("2026/11/a.gz", &blob).await.unwrap();
    assert_eq!(read(place.store.get("2026/11/a.gz").await.unwrap()).await, content);
    assert_eq!(place.store.head("2026/11/a.gz").await.unwrap().unwrap().bytes, 300_000);
    assert_eq!(place.store.compare("2026/11/a.gz", &blob).await.unwrap(), Comparison::Same);
    let mut other = content;
    other[299_999] ^= 1;
    let other = place.blob("b", &other).await;
    assert_eq!(place.store.compare("2026/11/a.gz", &other).await.unwrap(), Comparison::Different);
}

pub async fn nothing_comes_back_as_nothing(place: Place) {
    let blob = place.blob("a", "a").await;
    for key in ["absent", "absent/below"] {
        assert!(place.store.head(key).await.unwrap().is_none());
        assert!(place.store.get(key).await.unwrap().is_none());
        assert_eq!(place.store.compare(key, &blob).await.unwrap(), Comparison::Absent);
    }
    assert!(place.store.list("", None, 10).await.unwrap().is_empty());
}

pub async fn a_second_put_replaces_the_first(place: Place) {
    for content in ["one", "two, which is longer", "3"] {
        let blob = place.blob("a", content).await;
        place.store.put("k", &blob).await.unwrap();
        assert_eq!(read(place.store.get("k").await.unwrap()).await, content.as_bytes());
    }
}

pub async fn a_blob_that_is_there_is_not_replaced_unless_asked(place: Place) {
    let (one, two) = (place.blob("one", "one").await, place.blob("two", "two").await);
    assert!(place.store.put_if_absent("k", &one).await.unwrap());
    assert!(!place.store.put_if_absent("k", &two).await.unwrap());
    assert!(!place.store.put_if_absent("k", &one).await.unwrap());
    assert_eq!(place.store.compare("k", &one).await.unwrap(), Comparison::Same);
    place.store.put("k", &two).await.unwrap();
    assert_eq!(place.store.compare("k", &two).await.unwrap(), Comparison::Same);
}

pub async fn of_eight_that_write_a_key_at_once_exactly_one_does(place: Place) {
    for round in 0..5 {
        let mut writers = JoinSet::new();
        for writer in 0..8u8 {
            let blob = place.blob(&format!("{round}-{writer}"), noise(u64::from(writer), 50_000)).await;
            // a store of its own, as another process would have
            let store = Store::open(place.location.clone(), place.options.clone()).unwrap();
            writers.spawn(async move {
                (blob.clone(), store.put_if_absent(&format!("k{round}"), &blob).await.unwrap())
            });
        }
        let done = writers.join_all().await;
        let wrote: Vec<&Blob> = done.iter().filter(|(_, wrote)| *wrote).map(|(blob, _)| blob).collect();
        assert_eq!(wrote.len(), 1, "round {round}");
        let key = format!("k{round}");
        assert_eq!(place.store.compare(&key, wrote[0]).await.unwrap(), Comparison::Same);
    }
}

pub async fn a_listing_is_in_the_order_of_bytes_page_by_page(place: Place) {
    // `-` and `.` sort before `/`, letters after it
    let keys = ["a", "a-b/c", "a.b", "a/b", "a/b/c-not", "a/bb", "ab/c", "b/1", "b/10", "b/2", "ü/x"];
    let keys: Vec<&str> = keys.into_iter().filter(|key| !matches!(*key, "a" | "a/b/c-not")).collect();
    for key in &keys {
        let blob = place.blob("x", key).await;
        place.store.put(key, &blob).await.unwrap();
    }
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    for page in [1, 2, 3, 100] {
        let mut found: Vec<String> = Vec::new();
        loop {
            let listed = place.store.list("", found.last().map(String::as_str), page).await.unwrap();
            assert!(listed.len() <= page);
            if listed.is_empty() {
                break;
            }
            assert!(listed.iter().all(|entry| entry.bytes == entry.key.len() as u64));
            found.extend(listed.into_iter().map(|entry| entry.key));
        }
        assert_eq!(found, sorted, "pages of {page}");
    }
    let below = |prefix: &'static str| {
        let store = place.store.clone();
        async move {
            let listed = store.list(prefix, None, 100).await.unwrap();
            listed.into_iter().map(|entry| entry.key).collect::<Vec<_>>()
        }
    };
    assert_eq!(below("a/").await, ["a/b", "a/bb"]);
    assert_eq!(below("b/1").await, ["b/1", "b/10"]);
    assert!(below("absent/").await.is_empty());
}

pub async fn a_deleted_blob_is_gone_and_may_be_deleted_again(place: Place) {
    let blob = place.blob("a", "a").await;
    place.store.put("k/l", &blob).await.unwrap();
    place.store.delete("k/l").await.unwrap();
    assert!(place.store.head("k/l").await.unwrap().is_none());
    place.store.delete("k/l").await.unwrap();
    place.store.delete("never/was").await.unwrap();
}

pub async fn keys_with_odd_characters_are_keys(place: Place) {
    let keys =
        ["a b", "a+b", "a%20b", "ä/…", "q?x=1&y", "#h", "~t", "(p)'!*", "a=b;c", "\"q\"", "[1]", "<x>&amp;"];
    for key in keys {
        let blob = place.blob("x", key).await;
        assert!(place.store.put_if_absent(key, &blob).await.unwrap(), "{key}");
        assert_eq!(place.store.compare(key, &blob).await.unwrap(), Comparison::Same, "{key}");
    }
    let listed = place.store.list("", None, 100).await.unwrap();
    let listed: BTreeSet<&str> = listed.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(listed, BTreeSet::from(keys));
    for key in ["../x", "/x", "x/", "a//b", "a\nb", ""] {
        let blob = place.blob("x", "x").await;
        assert_eq!(
            place.store.put(key, &blob).await.unwrap_err().kind(),
            ErrorKind::Configuration,
            "{key:?}"
        );
    }
}

pub async fn an_empty_blob_is_a_blob(place: Place) {
    let blob = place.blob("empty", "").await;
    assert!(place.store.put_if_absent("k", &blob).await.unwrap());
    assert_eq!(place.store.compare("k", &blob).await.unwrap(), Comparison::Same);
    assert!(read(place.store.get("k").await.unwrap()).await.is_empty());
}

pub async fn a_blob_of_many_parts_is_whole(place: Place) {
    // three whole parts and a rest, then exactly two parts
    for (key, bytes) in [("rest", (15 << 20) + 12_345), ("even", 10 << 20)] {
        let content = noise(7, bytes);
        let blob = place.blob(key, &content).await;
        assert!(place.store.put_if_absent(key, &blob).await.unwrap());
        assert!(read(place.store.get(key).await.unwrap()).await == content);
        assert_eq!(place.store.compare(key, &blob).await.unwrap(), Comparison::Same);
        let other = place.blob("other", noise(8, bytes)).await;
        assert_eq!(place.store.compare(key, &other).await.unwrap(), Comparison::Different);
        assert!(!place.store.put_if_absent(key, &other).await.unwrap());
        place.store.put(key, &other).await.unwrap();
        assert_eq!(place.store.compare(key, &other).await.unwrap(), Comparison::Same);
    }
}

pub async fn a_file_that_is_not_there_or_shorter_is_not_put(place: Place) {
    let blob = place.blob("a", noise(1, 100_000)).await;
    fs::write(blob.path(), noise(1, 99_999)).unwrap();
    assert!(place.store.put("k", &blob).await.is_err());
    fs::remove_file(blob.path()).unwrap();
    let error = place.store.put("k", &blob).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(place.store.head("k").await.unwrap().is_none());
}

pub async fn a_folder_holds_plain_files_and_no_leftovers(place: Place) {
    let Location::Folder(root) = &place.location else { unreachable!() };
    let blob = place.blob("a", "a").await;
    // as a crash would leave it
    fs::create_dir_all(root.join("k")).unwrap();
    fs::write(root.join("k/l.tmp"), "half").unwrap();
    assert!(place.store.list("", None, 10).await.unwrap().is_empty());
    assert!(place.store.put_if_absent("k/l", &blob).await.unwrap());
    assert!(!place.store.put_if_absent("k/l", &blob).await.unwrap());
    place.store.put("k/l", &blob).await.unwrap();
    let names: Vec<_> =
        fs::read_dir(root.join("k")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["l"]);
    assert_eq!(fs::read(root.join("k/l")).unwrap(), b"a");
}

pub async fn a_folder_that_cannot_be_written_is_named(place: Place) {
    let Location::Folder(root) = &place.location else { unreachable!() };
    fs::write(root, "a file where the folder should be").unwrap();
    let blob = place.blob("a", "a").await;
    let error = place.store.put("k", &blob).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains(root.to_str().unwrap()), "{error}");
    assert!(place.store.head("k").await.unwrap().is_none());
}

pub async fn a_wrong_key_is_denied_and_never_shown(place: Place) {
    let Place { location, options, .. } = &place;
    let keys = options.keys.clone().map(|keys| Keys { secret_access_key: "hunter2".to_owned(), ..keys });
    let store = Store::open(location.clone(), S3Options { keys, ..options.clone() }).unwrap();
    let blob = place.blob("a", "a").await;
    let error = store.put("k", &blob).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied, "{error}");
    assert!(error.to_string().contains("SignatureDoesNotMatch"), "{error}");
    assert!(!format!("{error} {error:?} {store:?}").contains("hunter2"));
    let nobody = Store::open(location.clone(), S3Options { keys: None, ..options.clone() }).unwrap();
    assert_eq!(nobody.head("k").await.unwrap_err().kind(), ErrorKind::Denied);
}

pub async fn a_bucket_that_is_not_there_is_an_error_and_not_an_absence(place: Place) {
    let location = Location::S3 { bucket: "no-such-bucket".to_owned(), prefix: String::new() };
    let store = Store::open(location, place.options.clone()).unwrap();
    let blob = place.blob("a", "a").await;
    assert_eq!(store.put_if_absent("k", &blob).await.unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(store.list("", None, 1).await.unwrap_err().kind(), ErrorKind::NotFound);
}

/// The server lends keys of its own, and takes them only with the session's token.
pub async fn a_role_is_assumed_and_its_keys_are_used(place: Place) {
    let Place { location, options, .. } = &place;
    let role = Role {
        arn: "arn:aws:iam::123456789012:role/partner-drop".to_owned(),
        external_id: Some("ravel & sons".to_owned()),
        session_name: "canvass".to_owned(),
        endpoint_url: options.endpoint_url.clone(),
        duration: Duration::from_secs(900),
    };
    let store = Store::open(location.clone(), S3Options { role: Some(role), ..options.clone() }).unwrap();
    let blob = place.blob("a", noise(3, 6 << 20)).await;
    assert!(store.put_if_absent("k", &blob).await.unwrap());
    assert_eq!(place.store.compare("k", &blob).await.unwrap(), Comparison::Same);
}

pub async fn an_upload_that_a_crash_left_is_aborted_by_the_next(place: Place) {
    let blob = place.blob("a", noise(5, 12 << 20)).await;
    let mut left = 0;
    for milliseconds in [5, 10, 20, 40, 80] {
        // dropped in the middle, as a crash would
        let put = place.store.put("k", &blob);
        if tokio::time::timeout(Duration::from_millis(milliseconds), put).await.is_ok() {
            place.store.delete("k").await.unwrap();
        }
        left = crate::server::uploads_under_way(&place.location, &place.options).await;
        if left > 0 {
            break;
        }
    }
    assert!(left > 0, "no upload was left behind");
    assert!(place.store.put_if_absent("k", &blob).await.unwrap());
    assert_eq!(place.store.compare("k", &blob).await.unwrap(), Comparison::Same);
    assert_eq!(crate::server::uploads_under_way(&place.location, &place.options).await, 0);
}
