//! Are connections used again where they can be, and never where they cannot?

use std::time::Duration;

use domain::{FailureKind, Lease};
use fetch::{FetchSettings, Fetcher};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{
    Server, failure_of, get, get_with, lease, loopback_fetcher, loopback_settings, read_request, response,
};

#[tokio::test]
async fn requests_to_one_origin_share_a_connection() {
    let server = Server::saying(response("200 OK", b"ok")).await;
    let fetcher = loopback_fetcher();
    for _ in 0..5 {
        get(&fetcher, &server.url("/")).await.unwrap();
    }
    assert_eq!(server.connections(), 1);
    let reused = get(&fetcher, &server.url("/")).await.unwrap();
    assert_eq!((reused.timings.resolve_us, reused.timings.connect_us), (0, 0));
}

#[tokio::test]
async fn another_name_for_the_same_address_gets_its_own_connection() {
    let server = Server::saying(response("200 OK", b"ok")).await;
    let folder = tempfile::tempdir().unwrap();
    let hosts = folder.path().join("hosts");
    let port = server.address.port();
    std::fs::write(&hosts, format!("127.0.0.1 a.test 80={port}\n127.0.0.1 b.test 80={port}\n")).unwrap();
    let fetcher = Fetcher::new(FetchSettings { hosts_file: Some(hosts), ..loopback_settings() }).unwrap();
    for name in ["a.test", "b.test", "a.test", "b.test"] {
        get(&fetcher, &format!("http://{name}/")).await.unwrap();
    }
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_connection_that_is_to_be_closed_is_not_used_again() {
    for head in ["200 OK\r\nConnection: close", "200 OK\r\nConnection: foo, Close"] {
        let server = Server::saying(response(head, b"ok")).await;
        let fetcher = loopback_fetcher();
        for _ in 0..3 {
            get(&fetcher, &server.url("/")).await.unwrap();
        }
        assert_eq!(server.connections(), 3, "{head}");
    }
}

#[tokio::test]
async fn a_host_with_nothing_left_to_ask_keeps_no_connection() {
    let server = Server::saying(response("200 OK", b"ok")).await;
    let fetcher = loopback_fetcher();
    let last = Lease { more_to_come: false, ..lease(&server.url("/")) };
    for _ in 0..3 {
        get_with(&fetcher, &last).await.unwrap();
    }
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn a_kept_connection_that_the_server_closed_is_replaced_without_a_failure() {
    let server = Server::start(|mut stream, _| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(&response("200 OK", b"ok")).await;
    })
    .await;
    let fetcher = loopback_fetcher();
    for request in 1..=4 {
        assert_eq!(get(&fetcher, &server.url("/")).await.unwrap().body, "ok", "request {request}");
        // the server's goodbye needs a moment to arrive
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    assert_eq!(server.connections(), 4);
}

#[tokio::test]
async fn a_request_that_the_server_may_have_seen_is_not_sent_again_at_once() {
    // Each connection answers once and hangs up when the second request is there.
    let server = Server::start(|mut stream, _| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(&response("200 OK", b"ok")).await;
        let _ = stream.read_u8().await;
    })
    .await;
    let fetcher = loopback_fetcher();
    get(&fetcher, &server.url("/")).await.unwrap();
    assert_eq!(failure_of(&fetcher, &server.url("/")).await, FailureKind::ConnectionLost);
    assert_eq!(server.connections(), 1, "the frontier decides when it is asked again");
}

#[tokio::test]
async fn a_fresh_connection_that_dies_is_a_failure_and_not_retried() {
    let server = Server::saying_once("").await;
    assert!(get(&loopback_fetcher(), &server.url("/")).await.is_err());
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_route_names_its_address_and_gives_an_unused_connection_back() {
    let server = Server::saying(response("200 OK", b"ok")).await;
    let fetcher = loopback_fetcher();
    get(&fetcher, &server.url("/")).await.unwrap();
    for _ in 0..3 {
        let route = fetcher.route(&lease(&server.url("/"))).await.unwrap();
        assert_eq!(route.address(), server.address.ip());
    }
    get(&fetcher, &server.url("/")).await.unwrap();
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn idle_connections_are_bounded_in_number_and_the_oldest_goes_first() {
    let servers = [
        Server::saying(response("200 OK", b"0")).await,
        Server::saying(response("200 OK", b"1")).await,
        Server::saying(response("200 OK", b"2")).await,
    ];
    let fetcher = Fetcher::new(FetchSettings { max_idle_connections: 2, ..loopback_settings() }).unwrap();
    for server in &servers {
        get(&fetcher, &server.url("/")).await.unwrap();
    }
    for server in servers.iter().rev() {
        get(&fetcher, &server.url("/")).await.unwrap();
    }
    assert_eq!(servers.each_ref().map(Server::connections), [2, 1, 1]);
}

#[tokio::test]
async fn an_idle_connection_is_not_kept_past_its_time() {
    let server = Server::saying(response("200 OK", b"ok")).await;
    let settings =
        FetchSettings { idle_connection_timeout: Duration::from_millis(50), ..loopback_settings() };
    let fetcher = Fetcher::new(settings).unwrap();
    get(&fetcher, &server.url("/")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(120)).await;
    get(&fetcher, &server.url("/")).await.unwrap();
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_connection_whose_body_was_cut_is_dropped() {
    let server = Server::saying(response("200 OK", &[b'x'; 50_000])).await;
    let fetcher = Fetcher::new(FetchSettings { max_body_bytes: 1_000, ..loopback_settings() }).unwrap();
    for _ in 0..2 {
        assert!(get(&fetcher, &server.url("/")).await.unwrap().truncated);
    }
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_fetcher_can_be_made_before_there_is_a_runtime() {
    assert!(Fetcher::new(FetchSettings::default()).is_ok());
}
