//! Where does a test run?

use std::{
    pin::Pin,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, SystemTime},
};

use blobs::store::{Blob, Keys, Location, Retry, S3Options, Store, WallClock};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const SERVER: &str = "CANVASS_TEST_S3";

/// The kinds of store.
#[derive(Debug, Clone, Copy)]
pub enum Backend {
    Folder,
    S3,
}

impl Backend {
    pub const ALL: [Backend; 2] = [Backend::Folder, Backend::S3];

    pub fn name(self) -> &'static str {
        match self {
            Backend::Folder => "folder",
            Backend::S3 => "s3",
        }
    }

    /// An empty place of this kind, or why there is none.
    pub fn place(self) -> Result<Place, String> {
        static PLACES: AtomicU32 = AtomicU32::new(0);
        let dir = tempfile::tempdir().unwrap();
        let (location, options) = match self {
            Backend::Folder => {
                (Location::Folder(dir.path().join("store")), S3Options::new(WallClock::new(SystemTime::now)))
            }
            Backend::S3 => {
                let url = std::env::var(SERVER).map_err(|_| format!("{SERVER} is not set: run ./test"))?;
                let (login, rest) = url.strip_prefix("http://").unwrap().split_once('@').unwrap();
                let (id, secret) = login.split_once(':').unwrap();
                let (host, bucket) = rest.split_once('/').unwrap();
                let number = PLACES.fetch_add(1, Ordering::Relaxed);
                let prefix = format!("contract/{}-{number}", std::process::id());
                let options = S3Options {
                    endpoint_url: Some(format!("http://{host}")),
                    keys: Some(Keys {
                        access_key_id: id.to_owned(),
                        secret_access_key: secret.to_owned(),
                        session_token: None,
                    }),
                    acl: Some("bucket-owner-full-control".to_owned()),
                    part_bytes: 5 << 20,
                    ..quick(WallClock::new(SystemTime::now))
                };
                (Location::S3 { bucket: bucket.to_owned(), prefix }, options)
            }
        };
        let store = Store::open(location.clone(), options.clone()).unwrap();
        Ok(Place { store, location, options, dir })
    }
}

/// Options that do not wait long.
pub fn quick(clock: WallClock) -> S3Options {
    let retry =
        Retry { attempts: 4, first_wait: Duration::from_millis(5), max_wait: Duration::from_millis(50) };
    S3Options { retry, patience: Duration::from_secs(20), ..S3Options::new(clock) }
}

/// An empty store, and how it was opened.
pub struct Place {
    pub store: Store,
    pub location: Location,
    pub options: S3Options,
    pub dir: TempDir,
}

impl Place {
    pub fn run(self, test: fn(Place) -> Pin<Box<dyn Future<Output = ()>>>) {
        Runtime::new().unwrap().block_on(test(self));
    }

    /// A blob with this content.
    pub async fn blob(&self, name: &str, content: impl AsRef<[u8]>) -> Blob {
        let path = self.dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        Blob::of_file(path).await.unwrap()
    }
}

/// Bytes that do not repeat and are the same in every run.
pub fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut noise = Vec::with_capacity(bytes + 8);
    while noise.len() < bytes {
        noise.extend_from_slice(&next().to_le_bytes());
    }
    noise.truncate(bytes);
    noise
}
