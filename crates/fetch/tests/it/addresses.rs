//! Does any spelling of a private address lead to a connection?

use std::time::Duration;

use fetch::{AllowPrivate, FetchError, FetchSettings, Fetcher, RedirectRules};

use crate::support::{Server, get, lease, loopback_settings, response};

/// Hosts that must not be connected to, in every spelling that a URL parser understands.
const REFUSED: &[&str] = &[
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "0x7F.0x0.0x0.0x1",
    "127.0.0.1.",
    "0",
    "0.0.0.0",
    "0x0",
    "0.0.0.1",
    "%31%32%37.0.0.1",
    "１２７.0.0.1",
    "127。0。0。1",
    "10.0.0.1",
    "10.255.255.255",
    "167772161",
    "012.1.2.3",
    "100.64.0.1",
    "100.127.255.254",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.254",
    "192.0.0.1",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.1.254",
    "3232235777",
    "198.18.0.1",
    "198.19.255.254",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "4294967295",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::169.254.169.254]",
    "[64:ff9b:1::1]",
    "[100::1]",
    "[2001::1]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fe80::5efe:7f00:1]",
    "[2620:0:1::5efe:10.0.0.1]",
    "[fec0::1]",
    "[ff02::1]",
    "[ff0e::1]",
    "[4000::1]",
];

#[tokio::test]
async fn no_spelling_of_a_private_address_is_ever_connected_to() {
    assert!(REFUSED.len() >= 60);
    let server = Server::saying(response("200 OK", b"inside")).await;
    let port = server.address.port();
    let settings = FetchSettings {
        allow_private: AllowPrivate::None,
        connect_timeout: Duration::from_millis(200),
        ..loopback_settings()
    };
    let fetcher = Fetcher::new(settings).unwrap();
    for host in REFUSED {
        for scheme in ["http", "https"] {
            let answer = get(&fetcher, &format!("{scheme}://{host}:{port}/")).await;
            assert!(matches!(answer, Err(FetchError::PrivateAddress { .. })), "{host}: {answer:?}");
        }
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_name_of_the_hosts_file_is_checked_like_any_other() {
    let server = Server::saying(response("200 OK", b"inside")).await;
    let port = server.address.port();
    let folder = tempfile::tempdir().unwrap();
    let hosts = folder.path().join("hosts");
    let listed = format!(
        "127.0.0.1 loop.test 80={port}\n::1 six.test\n93.184.215.14 mixed.test\n127.0.0.1 mixed.test 80={port}\n\
         ::ffff:127.0.0.1 mapped.test 80={port}\n10.0.0.1 inner.test\n"
    );
    std::fs::write(&hosts, listed).unwrap();
    let settings = |allow_private| FetchSettings {
        allow_private,
        hosts_file: Some(hosts.clone()),
        ..loopback_settings()
    };
    let strict = Fetcher::new(settings(AllowPrivate::None)).unwrap();
    for name in ["loop", "six", "mixed", "mapped", "inner"] {
        let answer = get(&strict, &format!("http://{name}.test/")).await;
        assert!(matches!(answer, Err(FetchError::PrivateAddress { .. })), "{name}: {answer:?}");
    }
    assert_eq!(server.connections(), 0);

    let networks = AllowPrivate::Networks(vec!["127.0.0.0/8".parse().unwrap()]);
    let sandbox = Fetcher::new(settings(networks)).unwrap();
    assert_eq!(get(&sandbox, "http://loop.test/").await.unwrap().body, "inside");
    assert!(matches!(get(&sandbox, "http://inner.test/").await, Err(FetchError::PrivateAddress { .. })));
}

#[tokio::test]
async fn a_redirect_to_a_private_address_ends_at_its_own_check() {
    let metadata = Server::saying(response("200 OK", b"credentials")).await;
    let head = format!("302 Found\r\nLocation: http://169.254.169.254:{}/latest/", metadata.address.port());
    let public = Server::saying(response(&head, b"")).await;
    let only_the_public_one = AllowPrivate::Networks(vec!["127.0.0.1/32".parse().unwrap()]);
    let settings = FetchSettings { allow_private: only_the_public_one, ..loopback_settings() };
    let fetcher = Fetcher::new(settings).unwrap();
    let first = public.url("/");
    let answer = get(&fetcher, &first).await.unwrap();
    let next = RedirectRules::default().next_hop(&first, answer.status, answer.location(), &[]).unwrap();
    assert!(matches!(fetcher.route(&lease(&next)).await, Err(FetchError::PrivateAddress { .. })));
    assert_eq!(metadata.connections(), 0);
}
