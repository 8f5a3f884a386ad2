//! Does a delivery arrive once and whole, whatever instant its sender dies at?

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use catalog::{Catalog, OpenOptions, deliveries};
use flate2::read::GzDecoder;
use libtest_mimic::{Completion, Trial};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::support::{Chance, home::Home};

const SERVER: &str = "CANVASS_TEST_S3";
const ROUND: &str = "2026-11-10-monthly";
const KILLS: u32 = 24;

/// The trial, ignored with the reason where there is no server.
pub fn trials() -> Vec<Trial> {
    let name = "deliveries::a_delivery_that_is_killed_ends_like_one_that_is_not";
    vec![Trial::ignorable_test(name, || match std::env::var(SERVER) {
        Ok(url) => {
            a_delivery_that_is_killed_ends_like_one_that_is_not(&url);
            Ok(Completion::Completed)
        }
        Err(_) => {
            let reason = format!("{SERVER} is not set: run ./test");
            if std::env::var("REQUIRE_SERVICES").as_deref() == Ok("1") {
                return Err(format!("REQUIRE_SERVICES=1 and {reason}").into());
            }
            Ok(Completion::ignored_with(reason))
        }
    })]
}

fn a_delivery_that_is_killed_ends_like_one_that_is_not(url: &str) {
    let seed = u64::from(std::process::id());
    let export = export(seed);
    let undisturbed = Delivery::new(url, &export);
    let started = Instant::now();
    undisturbed.home.run(&["deliver", "--quiet"]).expect(0);
    let took = started.elapsed();
    let whole = undisturbed.check_whole();
    assert_eq!(whole.len(), 2 * (export.len() + 1), "{:?}", whole.keys());
    eprintln!("deliveries: {KILLS} kills, seed {seed}; undisturbed it takes {took:.1?}");

    let mut chance = Chance::new(seed);
    let (mut kills, mut ended, mut between) = (0, 0, 0);
    while kills < KILLS {
        let delivery = Delivery::new(url, &export);
        loop {
            let running = delivery.home.start(&["deliver", "--quiet"]);
            std::thread::sleep(chance.duration(Duration::ZERO, took));
            if let Some(done) = running.kill() {
                done.expect(0);
                ended += 1;
                break;
            }
            kills += 1;
            let there = delivery.check_whole().len();
            between += u32::from(there > 0 && there < whole.len());
        }
        assert_eq!(delivery.check_whole(), whole);
        delivery.check_ledger(whole.len());
        assert_eq!(
            delivery.bucket.uploads_of(&format!("{DATE}/Large.csv.gz")),
            0,
            "parts of an upload are left"
        );
        assert_eq!(delivery.fates(), vec!["known"; whole.len()]);
        // the ledger is lost: as after a crash between each upload and its note
        fs::remove_file(delivery.home.path("data/canvass.db")).unwrap();
        delivery.home.run(&["migrate"]).expect(0);
        assert_eq!(delivery.fates(), vec!["found"; whole.len()]);
    }
    eprintln!(
        "deliveries: {kills} kills, {between} of them between two files, {ended} deliveries; each file whole, once"
    );
    assert!(between > 0, "no kill came between two files");
}

const DATE: &str = "2026/11/10";

/// The files of an export: small ones, an empty one, and one that is sent in parts.
fn export(seed: u64) -> BTreeMap<&'static str, Vec<u8>> {
    let mut chance = Chance::new(seed);
    // six bits of chance in each byte: gzip cannot make it short
    let large = (0..9 << 20).map(|_| b' ' + (chance.share() * 64.0) as u8).collect();
    BTreeMap::from([
        ("AccountDelivery.csv", b"account,vendor\n1,a\n".to_vec()),
        ("DualVendor_2026-11.csv", Vec::new()),
        ("Large.csv", large),
        ("TechnicalFindings_2026-11.csv", b"site,signal\n1,x\n".repeat(2_000)),
        ("TechnicalFindings_2026-11.json", b"[]\n".to_vec()),
    ])
}

/// A home with an export, and its two destinations: a bucket and a folder.
struct Delivery<'a> {
    home: Home,
    bucket: Bucket,
    export: &'a BTreeMap<&'static str, Vec<u8>>,
}

impl Delivery<'_> {
    fn new<'a>(url: &str, export: &'a BTreeMap<&'static str, Vec<u8>>) -> Delivery<'a> {
        let bucket = Bucket::new(url);
        let Bucket { endpoint, name, prefix, login } = &bucket;
        let (id, secret) = login.split_once(':').expect("a login is an id and a secret");
        let yaml = format!(
            "delivery:\n  part_bytes: 5242880\n  destinations:\n    \
             partner: {{url: 's3://{name}/{prefix}', endpoint_url: '{endpoint}', access_key_id: {id}, \
             secret_access_key: {secret}}}\n    lake: {{url: lake}}\n"
        );
        let home = Home::migrated(&yaml, &[]);
        let folder = home.round(ROUND, "export");
        fs::create_dir_all(&folder).unwrap();
        let origin = json!({ "round": ROUND, "list": "list.csv", "begun_at": 0, "version": "0" });
        fs::write(home.round(ROUND, "round.json"), origin.to_string()).unwrap();
        let mut files = Vec::new();
        for (name, content) in export {
            let path = folder.join(name);
            fs::write(&path, content).unwrap();
            let summed = Command::new("sha256sum").arg(&path).output().expect("sha256sum is installed");
            let sha256 = String::from_utf8(summed.stdout).unwrap()[..64].to_owned();
            files.push(json!({ "name": name, "rows": 1, "bytes": content.len(), "sha256": sha256 }));
        }
        let manifest = json!({
            "schema_version": 1, "round": ROUND, "month": "2026-11", "made_at": "2026-11-10T05:00:00.000Z", "files": files,
        });
        fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
        Delivery { home, bucket, export }
    }

    /// Everything that a receiver can see by now, which must be whole, and the manifest only with all it tells of.
    fn check_whole(&self) -> BTreeMap<String, Vec<u8>> {
        let mut seen = BTreeMap::new();
        let folder = self.home.path("lake").join(DATE);
        let in_folder = fs::read_dir(&folder).map_or_else(
            |_| Vec::new(),
            |entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect(),
        );
        for name in in_folder.iter().filter(|name| !name.ends_with(".tmp")) {
            seen.insert(format!("lake {name}"), fs::read(folder.join(name)).unwrap());
        }
        for key in self.bucket.keys() {
            let name = key.strip_prefix(&format!("{DATE}/")).unwrap_or_else(|| panic!("{key} is elsewhere"));
            seen.insert(format!("partner {name}"), self.bucket.get(&key));
        }
        for (at, bytes) in &seen {
            let (place, name) = at.split_once(' ').unwrap();
            if let Some(original) = name.strip_suffix(".gz") {
                let mut content = Vec::new();
                GzDecoder::new(bytes.as_slice())
                    .read_to_end(&mut content)
                    .unwrap_or_else(|error| panic!("{at}: {error}"));
                assert!(content == self.export[original], "{at} is not whole");
                continue;
            }
            assert_eq!(name, "manifest.json");
            let manifest: serde_json::Value = serde_json::from_slice(bytes).unwrap();
            let told = manifest["files"].as_array().unwrap();
            assert_eq!(told.len(), self.export.len());
            for file in told {
                let there = format!("{place} {}", file["delivered_as"].as_str().unwrap());
                assert!(seen.contains_key(&there), "the manifest at {place} came before {there}");
            }
        }
        seen
    }

    /// What becomes of each file when it is delivered now.
    fn fates(&self) -> Vec<String> {
        let told = self.home.json(&["deliver", "--quiet", "--json"], 0);
        let destinations = told["destinations"].as_array().unwrap();
        let files = destinations.iter().flat_map(|to| to["files"].as_array().unwrap());
        files.map(|file| file["fate"].as_str().unwrap().to_owned()).collect()
    }

    /// Each file is in the ledger once.
    fn check_ledger(&self, files: usize) {
        let url = format!("sqlite:{}", self.home.path("data/canvass.db").display());
        let rows = Runtime::new().unwrap().block_on(async {
            let catalog = Catalog::open(&url, OpenOptions::default()).await.unwrap();
            deliveries::list(&catalog, Some(ROUND), 1_000).await.unwrap()
        });
        assert_eq!(rows.len(), files, "{rows:?}");
    }
}

/// A part of the server's bucket, seen with another client.
struct Bucket {
    endpoint: String,
    name: String,
    prefix: String,
    login: String,
}

impl Bucket {
    fn new(url: &str) -> Bucket {
        static BUCKETS: AtomicU32 = AtomicU32::new(0);
        let (login, rest) = url.strip_prefix("http://").unwrap().split_once('@').unwrap();
        let (host, name) = rest.split_once('/').unwrap();
        let number = BUCKETS.fetch_add(1, Ordering::Relaxed);
        Bucket {
            endpoint: format!("http://{host}"),
            name: name.to_owned(),
            prefix: format!("e2e/{}-{number}", std::process::id()),
            login: login.to_owned(),
        }
    }

    fn curl(&self, path: &str) -> Vec<u8> {
        let output = Command::new("curl")
            .args(["--silent", "--show-error", "--fail", "--aws-sigv4", "aws:amz:us-east-1:s3"])
            .args(["--user", &self.login])
            .arg(format!("{}/{}{path}", self.endpoint, self.name))
            .output()
            .expect("curl is installed");
        assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn encoded(&self, key: &str) -> String {
        format!("{}/{key}", self.prefix).replace('/', "%2F")
    }

    /// The keys below the prefix.
    fn keys(&self) -> Vec<String> {
        let listed = self.curl(&format!("?list-type=2&prefix={}", self.encoded("")));
        let listed = String::from_utf8(listed).unwrap();
        assert!(listed.contains("<IsTruncated>false"), "{listed}");
        let keys = listed.split("<Key>").skip(1).map(|after| after.split("</Key>").next().unwrap());
        keys.map(|key| key.strip_prefix(&format!("{}/", self.prefix)).unwrap().to_owned()).collect()
    }

    fn get(&self, key: &str) -> Vec<u8> {
        self.curl(&format!("/{}/{key}", self.prefix))
    }

    /// How many uploads in parts of a key are open.
    fn uploads_of(&self, key: &str) -> usize {
        let listed = self.curl(&format!("?prefix={}&uploads=", self.encoded(key)));
        String::from_utf8(listed).unwrap().matches("<UploadId>").count()
    }
}
