//! Is a body kept as it came, read as it was meant and cut where it must be?

use std::{io::Write, time::Duration};

use fetch::{ContentEncoding, FetchSettings, Fetcher, decode};
use tokio::io::AsyncWriteExt;

use crate::support::{
    Server, get, get_with, loopback_fetcher, loopback_settings, read_request, response, robots_lease,
};

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Text that does not compress to nothing.
fn text(bytes: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'a' + u8::try_from((state >> 24) % 16).unwrap()
    };
    (0..bytes).map(|_| next()).collect()
}

#[tokio::test]
async fn an_identity_body_is_shared_and_not_copied() {
    let server =
        Server::saying(response("200 OK\r\nContent-Type: text/html\r\nX-Two: a\r\nx-two: b", b"hello")).await;
    let answer = get(&loopback_fetcher(), &server.url("/p?q=1#f")).await.unwrap();
    assert_eq!((answer.status, answer.http_version), (200, "HTTP/1.1"));
    assert_eq!(answer.body, "hello");
    assert_eq!(answer.wire_body.as_ptr(), answer.body.as_ptr());
    assert_eq!(answer.wire_encoding, ContentEncoding::Identity);
    assert!(!answer.truncated && !answer.skipped_body);
    assert_eq!(answer.remote, server.address);
    assert!(answer.timings.connect_us > 0 && answer.timings.total_us >= answer.timings.first_byte_us);
    assert_eq!(answer.content_type(), Some("text/html"));
    let lines = answer.header_lines();
    assert_eq!(lines[1..3], [("x-two".to_owned(), "a".to_owned()), ("x-two".to_owned(), "b".to_owned())]);
}

#[tokio::test]
async fn every_coding_is_decoded_and_its_wire_bytes_are_kept() {
    let fetcher = loopback_fetcher();
    for size in [10, 40_000, 300_000, 1_500_000] {
        let plain = text(size);
        let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4096, 1, 20);
        brotli.write_all(&plain).unwrap();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(&plain).unwrap();
        for (name, wire) in [
            ("gzip", gzip(&plain)),
            ("br", brotli.into_inner()),
            ("zstd", zstd::encode_all(&plain[..], 1).unwrap()),
            ("deflate", zlib.finish().unwrap()),
        ] {
            let server =
                Server::saying(response(&format!("200 OK\r\nContent-Encoding: {name}"), &wire)).await;
            let answer = get(&fetcher, &server.url("/")).await.unwrap();
            assert!(answer.body == plain && answer.wire_body == wire, "{name} of {size}");
            assert_eq!((answer.wire_encoding.name(), answer.truncated), (name, false));
            assert!(decode(&answer.wire_body, answer.wire_encoding, size).unwrap().bytes == plain);
        }
    }
}

#[tokio::test]
async fn a_body_with_two_codings_is_kept_decoded() {
    let wire = zstd::encode_all(&gzip(b"twice")[..], 1).unwrap();
    let server = Server::saying(response("200 OK\r\nContent-Encoding: gzip, zstd", &wire)).await;
    let answer = get(&loopback_fetcher(), &server.url("/")).await.unwrap();
    assert_eq!((&answer.body[..], &answer.wire_body[..]), (&b"twice"[..], &b"twice"[..]));
    assert_eq!(answer.wire_encoding, ContentEncoding::Identity);
}

#[tokio::test]
async fn plain_text_labelled_as_gzip_is_taken_as_it_is() {
    let server = Server::saying(response("200 OK\r\nContent-Encoding: gzip", b"<p>plain</p>")).await;
    let answer = get(&loopback_fetcher(), &server.url("/")).await.unwrap();
    assert_eq!((&answer.body[..], answer.wire_encoding), (&b"<p>plain</p>"[..], ContentEncoding::Identity));
}

#[tokio::test]
async fn chunked_and_unframed_bodies_are_read_to_their_end() {
    for (answer, expected) in [
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nX-T: 1\r\n\r\n",
            "abcde",
        ),
        ("HTTP/1.1 200 OK\r\n\r\nuntil the close", "until the close"),
        ("HTTP/1.0 200 OK\r\n\r\nold", "old"),
        ("HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n", ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Encoding: sdch\r\n\r\n", ""),
    ] {
        let server = Server::saying_once(answer).await;
        assert_eq!(get(&loopback_fetcher(), &server.url("/")).await.unwrap().body, expected, "{answer:?}");
    }
}

#[tokio::test]
async fn a_body_over_the_cap_is_cut_and_kept_decoded() {
    let plain = text(1_000_000);
    for cap in [1_000, 600_000] {
        let fetcher = Fetcher::new(FetchSettings { max_body_bytes: cap, ..loopback_settings() }).unwrap();
        for (head, wire) in [("200 OK", plain.clone()), ("200 OK\r\nContent-Encoding: gzip", gzip(&plain))] {
            let server = Server::saying(response(head, &wire)).await;
            let answer = get(&fetcher, &server.url("/")).await.unwrap();
            assert!(answer.truncated && answer.wire_body.is_empty(), "{head} at {cap}");
            assert_eq!(answer.wire_encoding, ContentEncoding::Identity);
            // The wire is capped too, so an encoded body may be cut before its decoded bytes reach the cap.
            assert!(answer.body.len() <= cap && plain.starts_with(&answer.body), "{head} at {cap}");
            assert!(answer.body.len() > cap / 2, "{head} at {cap}: {}", answer.body.len());
        }
    }
}

#[tokio::test]
async fn a_body_of_exactly_the_cap_is_whole() {
    for size in [1_000, 600_000] {
        let fetcher = Fetcher::new(FetchSettings { max_body_bytes: size, ..loopback_settings() }).unwrap();
        let server = Server::saying(response("200 OK", &text(size))).await;
        let answer = get(&fetcher, &server.url("/")).await.unwrap();
        assert_eq!((answer.truncated, answer.body.len(), answer.wire_body.len()), (false, size, size));
    }
}

#[tokio::test]
async fn a_type_that_is_not_wanted_is_not_downloaded() {
    let server = Server::start(|mut stream, _| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n").await;
        // An endless film: whoever downloads it never comes back.
        while stream.write_all(&[0; 65_536]).await.is_ok() {}
    })
    .await;
    let answer = get(&loopback_fetcher(), &server.url("/")).await.unwrap();
    assert!(answer.skipped_body && answer.body.is_empty() && !answer.truncated);
}

#[tokio::test]
async fn an_error_page_of_any_type_is_read() {
    let server = Server::saying(response("404 Not Found\r\nContent-Type: image/png", b"\x89PNG")).await;
    let answer = get(&loopback_fetcher(), &server.url("/")).await.unwrap();
    assert!(!answer.skipped_body && answer.body.len() == 4);
}

#[tokio::test]
async fn robots_txt_is_read_whatever_its_type_and_cut_at_500_kib() {
    let server = Server::saying(response("200 OK\r\nContent-Type: image/png", &text(700_000))).await;
    let answer = get_with(&loopback_fetcher(), &robots_lease(&server.url("/robots.txt"))).await.unwrap();
    assert_eq!((answer.body.len(), answer.truncated, answer.skipped_body), (512_000, true, false));
}

#[tokio::test]
async fn a_redirect_with_an_endless_body_is_still_a_redirect() {
    let server = Server::start(|mut stream, _| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n").await;
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let answer = get(&loopback_fetcher(), &server.url("/")).await.unwrap();
    assert_eq!((answer.status, answer.location()), (302, Some(&b"/next"[..])));
}

#[tokio::test]
async fn no_more_large_bodies_are_held_than_the_settings_allow() {
    let server = Server::saying(response("200 OK", &text(600_000))).await;
    let settings = FetchSettings {
        large_bodies_at_once: 1,
        total_timeout: Duration::from_millis(500),
        ..loopback_settings()
    };
    let fetcher = Fetcher::new(settings).unwrap();
    let held = get(&fetcher, &server.url("/1")).await.unwrap();
    assert_eq!(
        crate::support::failure_of(&fetcher, &server.url("/2")).await,
        domain::FailureKind::BodyTimeout
    );
    drop(held);
    assert_eq!(get(&fetcher, &server.url("/3")).await.unwrap().body.len(), 600_000);
}

#[tokio::test]
async fn a_request_says_who_asks_and_nothing_more() {
    let (sender, mut requests) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::start(move |mut stream, _| {
        let sender = sender.clone();
        async move {
            let request = read_request(&mut stream).await.unwrap();
            sender.send(request).unwrap();
            let _ = stream.write_all(&response("200 OK", b"")).await;
        }
    })
    .await;
    let fetcher = Fetcher::new(FetchSettings {
        user_agent: "tester/1 (+https://tester.example)".into(),
        accept_language: "de".into(),
        ..loopback_settings()
    })
    .unwrap();
    let url = format!("http://user:secret@{}/a?b=c#d", server.address);
    get(&fetcher, &url).await.unwrap();
    let request = requests.recv().await.unwrap().to_lowercase();
    let mut lines: Vec<_> = request.trim_end().split("\r\n").collect();
    assert_eq!(lines.remove(0), "get /a?b=c http/1.1");
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "accept-encoding: gzip, br, zstd, deflate",
            "accept-language: de",
            "accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            &format!("host: {}", server.address),
            "user-agent: tester/1 (+https://tester.example)",
        ]
    );
}
