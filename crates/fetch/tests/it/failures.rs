//! Is every way of breaking an exchange told apart from the others?

use std::time::{Duration, Instant};

use domain::FailureKind as K;
use fetch::{FetchError, FetchSettings, Fetcher};
use tokio::{io::AsyncWriteExt, net::TcpListener};

use crate::support::{
    Server, failure_of, get, hasty_settings, loopback_fetcher, loopback_settings, read_request, response,
};

fn hasty_fetcher() -> Fetcher {
    Fetcher::new(hasty_settings()).unwrap()
}

async fn failure_of_answer(answer: &[u8]) -> K {
    let server = Server::saying_once(answer).await;
    failure_of(&loopback_fetcher(), &server.url("/")).await
}

#[tokio::test]
async fn a_port_where_nobody_listens_refuses() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(failure_of(&loopback_fetcher(), &url).await, K::ConnectRefused);
}

#[tokio::test]
async fn a_full_backlog_is_a_connect_timeout() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    // Linux drops a connection request once the queue of those not yet accepted is full.
    for _ in 0..8 {
        waiting.push(
            tokio::time::timeout(Duration::from_millis(50), tokio::net::TcpStream::connect(address)).await,
        );
    }
    let settings = FetchSettings { connect_timeout: Duration::from_millis(200), ..loopback_settings() };
    let fetcher = Fetcher::new(settings).unwrap();
    assert_eq!(failure_of(&fetcher, &format!("http://{address}/")).await, K::ConnectTimeout);
}

#[tokio::test]
async fn an_address_without_a_route_is_unreachable() {
    // The broadcast address takes no TCP connection anywhere, so no packet leaves the machine.
    assert_eq!(failure_of(&loopback_fetcher(), "http://255.255.255.255/").await, K::ConnectUnreachable);
}

#[tokio::test]
async fn the_next_address_of_a_name_is_tried_when_the_first_refuses() {
    let server = Server::saying(response("200 OK", b"second")).await;
    let folder = tempfile::tempdir().unwrap();
    let hosts = folder.path().join("hosts");
    let port = server.address.port();
    std::fs::write(&hosts, format!("127.0.0.9 two.test 80={port}\n127.0.0.1 two.test 80={port}\n")).unwrap();
    let fetcher = Fetcher::new(FetchSettings { hosts_file: Some(hosts), ..loopback_settings() }).unwrap();
    assert_eq!(get(&fetcher, "http://two.test/").await.unwrap().body, "second");
}

#[tokio::test]
async fn silence_after_the_request_is_a_response_timeout() {
    let server = Server::start(|mut stream, _| async move {
        read_request(&mut stream).await;
        tokio::time::sleep(Duration::from_secs(30)).await;
    })
    .await;
    assert_eq!(failure_of(&hasty_fetcher(), &server.url("/")).await, K::ResponseTimeout);
}

#[tokio::test]
async fn a_head_that_drips_is_a_response_timeout() {
    let server = Server::start(|mut stream, _| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX-Drip: ").await;
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert_eq!(failure_of(&hasty_fetcher(), &server.url("/")).await, K::ResponseTimeout);
}

#[tokio::test]
async fn a_body_that_stops_is_a_body_timeout() {
    let server = Server::saying("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf").await;
    assert_eq!(failure_of(&hasty_fetcher(), &server.url("/")).await, K::BodyTimeout);
}

#[tokio::test]
async fn a_body_that_drips_for_ever_ends_at_the_total_timeout() {
    let server = Server::start(|mut stream, _| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let settings = FetchSettings { total_timeout: Duration::from_millis(600), ..loopback_settings() };
    let started = Instant::now();
    assert_eq!(failure_of(&Fetcher::new(settings).unwrap(), &server.url("/")).await, K::BodyTimeout);
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn a_close_before_any_answer_is_a_lost_connection() {
    assert_eq!(failure_of_answer(b"").await, K::ConnectionLost);
    assert_eq!(failure_of_answer(b"HTTP/1.1 200 OK\r\nContent-").await, K::ConnectionLost);
}

#[tokio::test]
async fn a_reset_is_a_lost_connection_before_and_within_the_body() {
    for sent in [&b""[..], b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"] {
        let server = Server::start(move |mut stream, _| async move {
            read_request(&mut stream).await;
            let _ = stream.write_all(sent).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
            // Zero linger turns the close into a reset.
            let _ = stream.set_zero_linger();
        })
        .await;
        assert_eq!(failure_of(&loopback_fetcher(), &server.url("/")).await, K::ConnectionLost);
    }
}

#[tokio::test]
async fn a_body_short_of_its_length_is_truncated() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this";
    assert_eq!(failure_of_answer(answer).await, K::TruncatedBody);
}

#[tokio::test]
async fn chunks_that_are_none_are_broken_chunking() {
    for body in ["zz\r\nabc\r\n0\r\n\r\n", "5\r\nabcdeXX0\r\n\r\n", "fffffffffffffffff\r\na", "\r\n\r\n"] {
        let answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
        assert_eq!(failure_of_answer(answer.as_bytes()).await, K::BrokenChunking, "{body:?}");
    }
}

#[tokio::test]
async fn chunks_without_an_end_are_a_lost_connection() {
    for body in ["5\r\nabc", "5\r\nabcde\r\n", "5"] {
        let answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
        assert_eq!(failure_of_answer(answer.as_bytes()).await, K::ConnectionLost, "{body:?}");
    }
}

#[tokio::test]
async fn a_head_that_is_not_http_is_a_bad_response() {
    for answer in [
        "SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "HTTP/3.7 200 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 99999 OK\r\n\r\n",
        "<html>no head at all</html>\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
        "HTTP/1.1 200 OK\r\nContent-Length: banana\r\n\r\nabcde",
    ] {
        assert_eq!(failure_of_answer(answer.as_bytes()).await, K::BadResponse, "{answer:?}");
    }
}

#[tokio::test]
async fn a_server_that_speaks_first_without_http_is_no_panic() {
    let server = Server::start(|mut stream, _| async move {
        let _ = stream.write_all(b"220 mail.example ESMTP\r\n").await;
        read_request(&mut stream).await;
    })
    .await;
    let kind = failure_of(&loopback_fetcher(), &server.url("/")).await;
    assert!(matches!(kind, K::BadResponse | K::ConnectionLost), "{kind}");
}

#[tokio::test]
async fn too_many_or_too_long_headers_are_a_flood() {
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-Flood: 1\r\n".repeat(300));
    assert_eq!(failure_of_answer(many.as_bytes()).await, K::HeaderFlood);
    let long = format!("HTTP/1.1 200 OK\r\nX-Flood: {}\r\n\r\n", "x".repeat(100_000));
    assert_eq!(failure_of_answer(long.as_bytes()).await, K::HeaderFlood);
    let endless = format!("HTTP/1.1 200 OK\r\nX-Flood: {}", "x".repeat(1_000_000));
    assert_eq!(failure_of_answer(endless.as_bytes()).await, K::HeaderFlood);
}

#[tokio::test]
async fn a_header_crowd_within_the_limits_is_read() {
    let crowd = format!("200 OK\r\n{}X-Last: 1", "X-Crowd: 1\r\n".repeat(200));
    let server = Server::saying(response(&crowd, b"ok")).await;
    let answer = get(&loopback_fetcher(), &server.url("/")).await.unwrap();
    assert_eq!((answer.headers.len(), &answer.body[..]), (202, &b"ok"[..]));
}

#[tokio::test]
async fn a_coding_that_is_unknown_or_corrupt_is_a_bad_encoding() {
    for (coding, body) in [
        ("sdch", &b"whatever"[..]),
        ("gzip", b"\x1f\x8b\x08\x00 cut"),
        ("br", b"\xff\xff\xff\xff"),
        ("zstd", b"no frame"),
        ("deflate", b"\xff\xff\xff"),
        ("gzip, gzip, gzip, gzip", b"x"),
    ] {
        let answer = response(&format!("200 OK\r\nContent-Encoding: {coding}"), body);
        assert_eq!(failure_of_answer(&answer).await, K::BadEncoding, "{coding}");
    }
}

#[tokio::test]
async fn a_status_that_decides_alone_survives_a_body_that_breaks() {
    for (status, expected) in [("404 Not Found", Some(404)), ("429 Slow", Some(429)), ("500 Oops", None)] {
        let head = format!("HTTP/1.1 {status}\r\nRetry-After: 7\r\nContent-Length: 100\r\n\r\nhalf");
        let server = Server::saying_once(head).await;
        match (get(&loopback_fetcher(), &server.url("/")).await, expected) {
            (Ok(answer), Some(status)) => {
                assert_eq!((answer.status, answer.truncated), (status, true));
                assert_eq!(answer.retry_after(domain::Moment(0)), Some(Duration::from_secs(7)));
            }
            (Err(FetchError::Failed(failure)), None) => {
                assert_eq!((failure.kind, failure.status), (K::TruncatedBody, Some(500)));
            }
            other => panic!("{status}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_url_that_cannot_be_asked_is_refused_before_anything_is_sent() {
    for url in ["", "ftp://127.0.0.1/", "http://", "file:///etc/passwd", "http://127.0.0.1:0/"] {
        assert_eq!(failure_of(&loopback_fetcher(), url).await, K::BadRedirect, "{url}");
    }
}

#[tokio::test]
async fn settings_that_cannot_work_are_named() {
    for (settings, word) in [
        (FetchSettings { user_agent: "a\nb".into(), ..loopback_settings() }, "`user_agent`"),
        (FetchSettings { user_agent: " ".into(), ..loopback_settings() }, "`user_agent`"),
        (FetchSettings { accept_language: "\u{7f}".into(), ..loopback_settings() }, "`accept_language`"),
        (
            FetchSettings { hosts_file: Some("/nonexistent/h".into()), ..loopback_settings() },
            "/nonexistent/h",
        ),
        (
            FetchSettings { extra_ca_file: Some("/nonexistent/c".into()), ..loopback_settings() },
            "/nonexistent/c",
        ),
    ] {
        let message = Fetcher::new(settings).err().unwrap().to_string();
        assert!(message.contains(word), "{message}");
    }
}
