//! What does a client of S3 do when its server has a bad day?

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use blobs::store::{Blob, ErrorKind, Keys, Location, Role, S3Options, Store, StoreError, WallClock};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    place::{noise, quick},
    server::{Reply, Request, Server},
};

fn options(server: &Server) -> S3Options {
    S3Options {
        endpoint_url: Some(server.url.clone()),
        keys: Some(Keys {
            access_key_id: "AKIDOWN".to_owned(),
            secret_access_key: "hunter2".to_owned(),
            session_token: None,
        }),
        ..quick(WallClock::new(SystemTime::now))
    }
}

fn open(options: S3Options) -> Store {
    Store::open(Location::S3 { bucket: "drop".to_owned(), prefix: String::new() }, options).unwrap()
}

fn put(store: &Store, content: &[u8]) -> Result<bool, StoreError> {
    let dir: TempDir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("x"), content).unwrap();
    Runtime::new().unwrap().block_on(async {
        let blob = Blob::of_file(dir.path().join("x")).await?;
        store.put_if_absent("k", &blob).await
    })
}

pub fn failing() {
    let server = Server::start(|number, _| match number {
        0 | 2 => Reply::error(500, "InternalError"),
        1 => Reply::error(503, "ServiceUnavailable"),
        _ => Reply::ok(),
    });
    let content = noise(1, 200_000);
    assert!(put(&open(options(&server)), &content).unwrap());
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|request| request.body == content), "each attempt sends the whole blob");

    let server = Server::start(|_, _| Reply::error(500, "InternalError"));
    let error = put(&open(options(&server)), b"x").unwrap_err();
    assert_eq!((error.kind(), error.is_retryable(), server.seen().len()), (ErrorKind::Server, true, 4));
    assert_eq!(error.to_string(), "PUT s3://drop/k: the server says 500 InternalError: so it is");
}

pub fn throttling() {
    let server = Server::start(|number, _| match number {
        0 => {
            Reply::Answer { status: 429, headers: vec![("retry-after", "1".to_owned())], body: String::new() }
        }
        1 => Reply::error(503, "SlowDown"),
        _ => Reply::ok(),
    });
    let options = options(&server);
    let retry = blobs::store::Retry { max_wait: Duration::from_secs(5), ..options.retry };
    let started = Instant::now();
    assert!(put(&open(S3Options { retry, ..options }), b"x").unwrap());
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
}

pub fn cutting() {
    let server = Server::start(|number, _| if number < 2 { Reply::Cut } else { Reply::ok() });
    assert!(put(&open(options(&server)), b"x").unwrap());
    let server = Server::start(|_, _| Reply::Cut);
    assert_eq!(put(&open(options(&server)), b"x").unwrap_err().kind(), ErrorKind::Unreachable);
    let nobody = S3Options { endpoint_url: Some("http://127.0.0.1:1".to_owned()), ..options(&server) };
    let error = put(&open(nobody), b"x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(error.to_string().contains("refused"), "{error}");
}

pub fn denying() {
    for (status, code, kind) in [
        (403, "AccessDenied", ErrorKind::Denied),
        (400, "InvalidRequest", ErrorKind::Configuration),
        (404, "NoSuchBucket", ErrorKind::NotFound),
        (501, "NotImplemented", ErrorKind::Unsupported),
    ] {
        let server = Server::start(move |_, _| Reply::error(status, code));
        let error = put(&open(options(&server)), b"x").unwrap_err();
        assert_eq!((error.kind(), error.is_retryable(), server.seen().len()), (kind, false, 1), "{code}");
    }
    let server = Server::start(|_, _| Reply::error(412, "PreconditionFailed"));
    assert!(!put(&open(options(&server)), b"x").unwrap());
}

pub fn corrupting() {
    let sum = |text: &str| vec![("x-amz-checksum-sha256", text.to_owned())];
    let of_y = "ofzf9q/dFRu1ZW5JbgxIdZMi5pPUnhEZO6FBJhkVQ9I=";
    let server =
        Server::start(move |_, _| Reply::Answer { status: 200, headers: sum(of_y), body: String::new() });
    let error = put(&open(options(&server)), b"x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
}

/// An answer of STS whose keys have this name and end at this second.
fn lent(name: &str, end: u64) -> Reply {
    let end = jiff::Timestamp::from_second(i64::try_from(end).unwrap()).unwrap();
    let body = format!(
        "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>{name}</AccessKeyId>\
         <SecretAccessKey>lent-secret</SecretAccessKey><SessionToken>token-of-{name}</SessionToken>\
         <Expiration>{end}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"
    );
    Reply::Answer { status: 200, headers: Vec::new(), body }
}

fn with_role(server: &Server, clock: WallClock) -> S3Options {
    let role = Role {
        arn: "arn:aws:iam::123456789012:role/drop".to_owned(),
        external_id: Some("a b&c".to_owned()),
        session_name: "canvass".to_owned(),
        endpoint_url: Some(server.url.clone()),
        duration: Duration::from_secs(3600),
    };
    S3Options { role: Some(role), clock, ..options(server) }
}

fn is_sts(request: &Request) -> bool {
    request.method == "POST" && request.path == "/"
}

pub fn renewing() {
    const START: u64 = 1_800_000_000;
    let server = Server::start(|number, request| match is_sts(request) {
        true => lent(&format!("LENT{number}"), if number == 0 { START + 3600 } else { START + 7200 }),
        false => Reply::ok(),
    });
    let now = Arc::new(AtomicU64::new(START));
    let clock = {
        let now = Arc::clone(&now);
        WallClock::new(move || UNIX_EPOCH + Duration::from_secs(now.load(Ordering::Relaxed)))
    };
    let store = open(with_role(&server, clock));
    for second in [0, 3000, 3301, 3400] {
        now.store(START + second, Ordering::Relaxed);
        put(&store, b"x").unwrap();
    }
    let seen = server.seen();
    let signers: Vec<String> = seen
        .iter()
        .map(|request| {
            let signed = &request.headers["authorization"];
            let scope = signed.split("Credential=").nth(1).unwrap().split(',').next().unwrap();
            let parts: Vec<&str> = scope.split('/').collect();
            format!("{} {}", parts[0], parts[3])
        })
        .collect();
    // with five minutes left the keys are renewed
    assert_eq!(signers, ["AKIDOWN sts", "LENT0 s3", "LENT0 s3", "AKIDOWN sts", "LENT3 s3", "LENT3 s3"]);
    assert_eq!(
        String::from_utf8(seen[0].body.clone()).unwrap(),
        "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fdrop\
         &RoleSessionName=canvass&DurationSeconds=3600&ExternalId=a+b%26c"
    );
    assert_eq!(seen[1].headers["x-amz-security-token"], "token-of-LENT0");
    assert!(seen[1].headers["authorization"].contains(";x-amz-security-token"));
}

pub fn expiring() {
    let end = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 3600;
    let server = Server::start(move |number, request| match is_sts(request) {
        true => lent(&format!("LENT{number}"), end()),
        false if request.headers["authorization"].contains("LENT0/") => Reply::error(403, "ExpiredToken"),
        false => Reply::ok(),
    });
    assert!(put(&open(with_role(&server, WallClock::new(SystemTime::now))), b"x").unwrap());
    assert_eq!(server.seen().len(), 4);

    let server = Server::start(move |_, request| match is_sts(request) {
        true => lent("LENT", end()),
        false => Reply::error(403, "ExpiredToken"),
    });
    let error = put(&open(with_role(&server, WallClock::new(SystemTime::now))), b"x").unwrap_err();
    assert_eq!((error.kind(), server.seen().len()), (ErrorKind::Denied, 4));
}

pub fn flooding() {
    let server = Server::start(|_, _| Reply::Flood);
    let store = open(options(&server));
    let error = Runtime::new().unwrap().block_on(store.list("", None, 10)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
}

pub fn signing_the_acl() {
    let server = Server::start(|_, request| match request.path.ends_with("?uploads=") {
        true if request.method == "POST" => Reply::Answer {
            status: 200,
            headers: Vec::new(),
            body: "<R><UploadId>u/1</UploadId></R>".to_owned(),
        },
        _ if request.method == "GET" => {
            Reply::Answer { status: 200, headers: Vec::new(), body: "<R></R>".to_owned() }
        }
        _ => Reply::Answer {
            status: 200,
            headers: vec![("etag", "\"e\"".to_owned())],
            body: "<R/>".to_owned(),
        },
    });
    let acl = Some("bucket-owner-full-control".to_owned());
    let store = open(S3Options { acl, part_bytes: 5 << 20, ..options(&server) });
    assert!(put(&store, b"x").unwrap());
    assert!(put(&store, &noise(1, 6 << 20)).unwrap());
    let with_acl: Vec<Request> =
        server.seen().into_iter().filter(|request| request.headers.contains_key("x-amz-acl")).collect();
    assert_eq!(with_acl.iter().map(|request| request.method.as_str()).collect::<Vec<_>>(), ["PUT", "POST"]);
    for request in with_acl {
        assert_eq!(request.headers["x-amz-acl"], "bucket-owner-full-control");
        assert!(request.headers["authorization"].contains("x-amz-acl"), "{request:?}");
    }
}

pub fn joining() {
    let server =
        Server::start(|_, request| match (request.method.as_str(), request.path.contains("uploadId")) {
            ("POST", false) => Reply::Answer {
                status: 200,
                headers: Vec::new(),
                body: "<R><UploadId>u1</UploadId></R>".to_owned(),
            },
            ("PUT", _) => Reply::Answer {
                status: 200,
                headers: vec![("etag", "\"e\"".to_owned())],
                body: String::new(),
            },
            ("POST", true) => Reply::error(200, "InternalError"),
            ("GET", _) => Reply::Answer { status: 200, headers: Vec::new(), body: "<R></R>".to_owned() },
            _ => Reply::Answer { status: 204, headers: Vec::new(), body: String::new() },
        });
    let store = open(S3Options { part_bytes: 5 << 20, ..options(&server) });
    let error = put(&store, &noise(1, 6 << 20)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Server, "{error}");
    let last = server.seen().pop().unwrap();
    assert_eq!((last.method.as_str(), last.path.as_str()), ("DELETE", "/drop/k?uploadId=u1"));
}
