//! Does every behaviour go over the wire as it is documented?

use std::time::{Duration, Instant};

use sandbox::{Behaviour as B, Pace, Plan, ServeOptions};

use super::client::{Sandbox, host_and_path, parse, serve, serve_with};

async fn serve_all(behaviours: &[B]) -> Sandbox {
    serve(&Plan::only(behaviours)).await
}

/// What the first target's page is called, by the truth.
fn title_of(sandbox: &Sandbox, behaviour: B) -> String {
    let mut lines = sandbox.world.truth_lines();
    let line = lines.find(|line| line.behaviour == Some(behaviour)).expect("a target");
    line.page.expect("its content is known").title
}

#[tokio::test]
async fn static_pages_come_in_their_encoding_and_framing_and_say_what_the_truth_says() {
    let cases = [
        (B::StaticPlain, None, "content-length"),
        (B::StaticGzip, Some("gzip"), "content-length"),
        (B::StaticBrotli, Some("br"), "content-length"),
        (B::StaticZstd, Some("zstd"), "content-length"),
        (B::StaticDeflate, Some("deflate"), "content-length"),
        (B::StaticChunked, None, "transfer-encoding"),
        (B::StaticChunkedGzip, Some("gzip"), "transfer-encoding"),
        (B::StaticUntilClose, None, "connection"),
    ];
    let sandbox = serve_all(&cases.map(|case| case.0)).await;
    for line in sandbox.world.truth() {
        let (behaviour, encoding, framing) =
            cases.iter().find(|case| Some(case.0) == line.behaviour).expect("a case");
        let (host, path) = host_and_path(&line.url);
        let response = sandbox.get(host, path, "gzip, deflate, br, zstd").await;
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-encoding"), *encoding, "{behaviour}");
        assert!(response.header(framing).is_some(), "{behaviour}");
        let html = response.text();
        let page = line.page.expect("its content is known");
        assert!(html.contains(&format!("<title>{}</title>", page.title)), "{behaviour}");
        assert!(html.contains(&format!("lang=\"{}\"", page.language)));
        assert!(page.topics.iter().all(|topic| html.contains(topic)));
        assert!((2_000..=100_000).contains(&html.len()), "{behaviour}: {} bytes", html.len());
        if page.technologies.iter().any(|name| name == "Nginx") {
            assert_eq!(response.header("server"), Some("nginx/1.24.0"));
        }
        let plain = sandbox.get(host, path, "").await;
        assert_eq!(plain.header("content-encoding"), None);
        assert_eq!(plain.text(), html, "{behaviour}: the encoding does not change the page");
        let gone = sandbox.get(host, "/no/such/page", "").await;
        assert_eq!(gone.status, 404);
    }
}

#[tokio::test]
async fn odd_pages_are_odd_in_the_documented_way() {
    let sandbox = serve_all(&[
        B::SpaShell,
        B::EmptyPage,
        B::NoContent,
        B::NoContentType,
        B::GzipInNameOnly,
        B::TypeImage,
        B::TypePdf,
        B::TypeZip,
    ])
    .await;
    let shell = sandbox.get_target(B::SpaShell).await.text();
    assert!(shell.contains("<div id=\"root\"></div>") && shell.contains("<script>"));
    let empty = sandbox.get_target(B::EmptyPage).await;
    assert_eq!((empty.status, empty.body.len()), (200, 0));
    let none = sandbox.get_target(B::NoContent).await;
    assert_eq!((none.status, none.body.len(), none.header("content-length")), (204, 0, None));
    let untyped = sandbox.get_target(B::NoContentType).await;
    assert_eq!(untyped.header("content-type"), None);
    assert!(untyped.text().contains("<title>"));
    let lie = sandbox.get_target(B::GzipInNameOnly).await;
    assert_eq!(lie.header("content-encoding"), Some("gzip"));
    assert!(lie.body.starts_with(b"<!doctype html>"));
    for (behaviour, content_type) in
        [(B::TypeImage, "image/png"), (B::TypePdf, "application/pdf"), (B::TypeZip, "application/zip")]
    {
        assert_eq!(sandbox.get_target(behaviour).await.header("content-type"), Some(content_type));
    }
}

#[tokio::test]
async fn charsets_are_declared_as_documented_and_the_bytes_are_in_the_true_one() {
    let cases = [
        (B::CharsetHeader, "charset=windows-1251", "Новости"),
        (B::CharsetMeta, "text/html", "商品"),
        (B::CharsetHttpEquiv, "text/html", "城市"),
        (B::CharsetBom, "text/html", "Новости"),
        (B::CharsetBomBeatsHeader, "charset=ISO-8859-1", "Новости"),
        (B::CharsetGuess, "text/html", "Новости"),
    ];
    let sandbox = serve_all(&cases.map(|case| case.0)).await;
    for (behaviour, declared, word) in cases {
        let response = sandbox.get_target(behaviour).await;
        assert!(
            response.header("content-type").is_some_and(|value| value.ends_with(declared)),
            "{behaviour}"
        );
        let mut truth = sandbox.world.truth_lines();
        let line = truth.find(|line| line.behaviour == Some(behaviour)).expect("a target");
        let charset = line.charset.expect("a charset");
        let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).expect("a known charset");
        let (text, _, broken) = encoding.decode(&response.body);
        assert!(text.contains(word) && !broken, "{behaviour}");
    }
    let guess = sandbox.get_target(B::CharsetGuess).await;
    assert!(!String::from_utf8_lossy(&guess.body).contains("charset"));
}

#[tokio::test]
async fn redirects_lead_where_the_truth_says() {
    let behaviours =
        [B::RedirectSameHost, B::RedirectToWww, B::RedirectCrossHost, B::RedirectTooLong, B::RedirectLoop];
    let sandbox = serve_all(&behaviours).await;
    for line in sandbox.world.truth() {
        let mut url = line.url.clone();
        let mut hops = 0;
        while hops < 25 {
            let (host, path) = host_and_path(&url);
            let response = sandbox.get(host, path, "").await;
            let Some(location) = response.header("location") else {
                assert_eq!(response.status, 200, "{url}");
                break;
            };
            assert!((300..400).contains(&response.status));
            url = match location.split_at(1) {
                ("h", _) => location.to_owned(),
                ("/", _) => format!("http://{host}{location}"),
                _ => format!("http://{host}{}/{location}", path.rsplit_once('/').expect("a folder").0),
            };
            hops += 1;
        }
        match line.behaviour.expect("a site") {
            B::RedirectSameHost => assert!((2..=5).contains(&hops), "{hops}"),
            B::RedirectTooLong => assert_eq!(hops, 20),
            B::RedirectLoop => assert_eq!(hops, 25),
            _ => assert_eq!(hops, 1),
        }
        if let Some(end) = line.final_url {
            assert_eq!(url, end);
        }
    }
}

#[tokio::test]
async fn redirects_that_must_not_be_followed_point_where_they_should() {
    let sandbox = serve_all(&[
        B::RedirectPrivate,
        B::RedirectForbiddenPath,
        B::RedirectForbiddingHost,
        B::RedirectBadLocation,
        B::RedirectToHttps,
    ])
    .await;
    let location = async |behaviour, path: &str| {
        let response = sandbox.get(&sandbox.site(behaviour).name, path, "").await;
        response.header("location").map(str::to_owned)
    };
    assert_eq!(location(B::RedirectPrivate, "/to-lan").await.as_deref(), Some("http://10.0.0.1/"));
    assert_eq!(location(B::RedirectPrivate, "/to-loopback").await.as_deref(), Some("http://[::1]/"));
    let metadata = location(B::RedirectPrivate, "/to-metadata").await.expect("a location");
    assert!(metadata.starts_with("http://169.254.169.254/"));
    let number: u32 = u32::from(std::net::Ipv4Addr::new(169, 254, 169, 254));
    let disguised = location(B::RedirectPrivate, "/to-number").await.expect("a location");
    assert!(disguised.starts_with(&format!("http://{number}/")));

    let closed = location(B::RedirectForbiddenPath, "/to-forbidden").await.expect("a location");
    let site = sandbox.site(B::RedirectForbiddenPath);
    assert!(site.forbids(&site.name, &closed));
    let robots = sandbox.get(&site.name, "/robots.txt", "").await.text();
    assert!(robots.contains(&format!("Disallow: {closed}\n")));

    let away = location(B::RedirectForbiddingHost, "/to-partner").await.expect("a location");
    let (partner, path) = host_and_path(&away);
    assert!(sandbox.site(B::RedirectForbiddingHost).forbids(partner, path));
    assert_eq!(sandbox.get(partner, "/robots.txt", "").await.text(), "User-agent: *\nDisallow: /\n");

    assert_eq!(location(B::RedirectBadLocation, "/no-location").await, None);
    assert!(location(B::RedirectBadLocation, "/to-ftp").await.is_some_and(|to| to.starts_with("ftp://")));
    let site = sandbox.site(B::RedirectToHttps);
    assert_eq!(location(B::RedirectToHttps, "/about").await, Some(format!("https://{}/about", site.name)));
}

#[tokio::test]
async fn statuses_come_once_or_forever_as_documented() {
    let forever = [
        (B::Status403, 403),
        (B::Status404, 404),
        (B::Status410, 410),
        (B::Status418, 418),
        (B::Status451, 451),
        (B::ThrottledForever, 429),
        (B::BrokenServer, 500),
        (B::ServerErrorForever, 500),
    ];
    let once = [(B::ThrottledOnce, 429), (B::UnavailableOnce, 503), (B::BadGatewayOnce, 502)];
    let all: Vec<B> = forever.iter().chain(&once).map(|case| case.0).collect();
    let sandbox = serve_all(&all).await;
    for (behaviour, status) in forever {
        for _ in 0..3 {
            let response = sandbox.get_target(behaviour).await;
            assert_eq!(response.status, status, "{behaviour}");
            if behaviour == B::BrokenServer {
                assert_eq!(response.body.len(), 24);
            } else {
                assert!(response.body.len() >= 100, "{behaviour}");
            }
        }
    }
    for (behaviour, status) in once {
        let title = title_of(&sandbox, behaviour);
        for _ in 0..2 {
            let refused = sandbox.get_target(behaviour).await;
            assert_eq!(refused.status, status, "{behaviour}");
            let waits = refused.header("retry-after").is_some();
            assert_eq!(waits, behaviour != B::BadGatewayOnce, "{behaviour}");
            for _ in 0..2 {
                assert!(sandbox.get_target(behaviour).await.text().contains(&title), "{behaviour}");
            }
            sandbox.server.forget_visits();
        }
    }
}

#[tokio::test]
async fn slow_answers_are_as_slow_as_the_pace_says() {
    let pace = Pace {
        drip_total: Duration::from_millis(600),
        endless_drip_every: Duration::from_millis(100),
        ..Pace::default()
    };
    let plan = Plan::only(&[B::DripEnds, B::DripEndless, B::Hang]);
    let sandbox = serve_with(&plan, ServeOptions { pace, ..ServeOptions::default() }).await;
    let start = Instant::now();
    let ends = sandbox.get_target(B::DripEnds).await;
    assert!((500..2_000).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());
    assert!(ends.text().contains(&title_of(&sandbox, B::DripEnds)));

    let (host, path) = (sandbox.site(B::DripEndless).name.clone(), "/about");
    let start = Instant::now();
    let seen = sandbox.see(&host, path, "", 130).await;
    assert!(!seen.ended && parse(&seen.bytes).is_some_and(|response| response.status == 200));
    assert!(seen.bytes.ends_with(b".."), "{:?}", String::from_utf8_lossy(&seen.bytes));
    assert!(start.elapsed() < Duration::from_secs(10));

    let seen = sandbox.see_target(B::Hang).await;
    assert!(seen.bytes.is_empty() && !seen.ended);
}

#[tokio::test]
async fn broken_answers_break_in_the_documented_way() {
    let sandbox = serve_all(&[
        B::ResetBeforeHead,
        B::ResetInBody,
        B::CloseWithoutAnswer,
        B::TruncatedLength,
        B::TruncatedGzip,
        B::UnknownEncoding,
        B::BrokenChunking,
        B::Garbage,
        B::HeaderFloodMany,
        B::HeaderFloodLong,
    ])
    .await;
    let seen = sandbox.see_target(B::ResetBeforeHead).await;
    assert!(seen.bytes.is_empty() && seen.reset);
    let seen = sandbox.see_target(B::CloseWithoutAnswer).await;
    assert!(seen.bytes.is_empty() && seen.ended && !seen.reset);
    for (behaviour, reset) in [(B::ResetInBody, true), (B::TruncatedLength, false)] {
        let seen = sandbox.see_target(behaviour).await;
        let response = parse(&seen.bytes).expect("a head");
        let length: usize = response.header("content-length").expect("a length").parse().expect("a number");
        assert!(response.body.len() < length && !response.body.is_empty(), "{behaviour}");
        assert_eq!((seen.ended, seen.reset), (true, reset), "{behaviour}");
    }
    let cut = sandbox.get_target(B::TruncatedGzip).await;
    assert_eq!(cut.header("content-length"), Some(&cut.body.len().to_string()[..]));
    let mut plain = Vec::new();
    let read = std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&cut.body[..]), &mut plain);
    assert!(read.is_err());
    assert_eq!(sandbox.get_target(B::UnknownEncoding).await.header("content-encoding"), Some("rot13"));
    let seen = sandbox.see_target(B::BrokenChunking).await;
    assert!(String::from_utf8_lossy(&seen.bytes).contains("\r\nzz\r\n") && parse(&seen.bytes).is_none());
    assert!(parse(&sandbox.see_target(B::Garbage).await.bytes).is_none());
    let many = parse(&sandbox.see_target(B::HeaderFloodMany).await.bytes).expect("a head");
    assert!(many.headers.len() > 10_000);
    let long = parse(&sandbox.see_target(B::HeaderFloodLong).await.bytes).expect("a head");
    assert_eq!(long.header("x-long").map(str::len), Some(1 << 20));
}

#[tokio::test]
async fn bombs_are_small_on_the_wire_and_large_when_decoded() {
    let bombs = [B::GzipBomb, B::DeflateBomb, B::BrotliBomb, B::ZstdBomb];
    let plan = Plan { bomb_bytes: 16 << 20, ..Plan::only(&[&bombs[..], &[B::InfiniteBody]].concat()) };
    let sandbox = serve(&plan).await;
    for behaviour in bombs {
        let response = sandbox.get_target(behaviour).await;
        assert_eq!(response.header("content-length"), Some(&response.body.len().to_string()[..]));
        assert!(response.body.len() < 40_000, "{behaviour}: {}", response.body.len());
        assert_eq!(response.decoded().len(), 16 << 20, "{behaviour}");
    }
    let seen = sandbox.see_target(B::InfiniteBody).await;
    assert!(seen.bytes.len() >= 32 << 20 && !seen.ended, "it goes on for as long as it is read");
    assert!(parse(&seen.bytes).is_none(), "its last chunk never comes");
}
