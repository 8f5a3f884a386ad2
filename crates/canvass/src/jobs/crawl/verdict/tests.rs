//! The expectations are those of the retry and disposition tables, under the settings as they are shipped.

use domain::Timings;
use fetch::ContentEncoding as Coding;

use super::*;
use crate::{jobs::crawl::wiring::verdict_rules, settings::Crawl};

const NOW: Moment = Moment(1_700_000_000_000);
const START: &str = "https://www.shop.example/start";
const ORIGIN: &str = "https://www.shop.example";

type Answer = Result<Response, FetchError>;

fn shipped() -> Rules {
    verdict_rules(&Crawl::default())
}

fn page() -> Visit {
    Visit::page(Target { place: 0, line: 2, key: "7".into(), url: START.into() })
}

fn robots() -> Visit {
    let mut visit = page();
    visit.subject = Subject::Robots { origin: ORIGIN.into() };
    visit.hop = Some(format!("{ORIGIN}/robots.txt"));
    visit
}

/// An answer with a plain body that is long enough for a 500 not to be broken.
fn answer(status: u16) -> Response {
    let body = Bytes::from(vec![b'x'; 100]);
    Response {
        status,
        http_version: "HTTP/1.1",
        headers: Default::default(),
        wire_body: body.clone(),
        wire_encoding: Coding::Identity,
        body,
        truncated: false,
        skipped_body: false,
        remote: "203.0.113.9:443".parse().unwrap(),
        timings: Timings::default(),
        place: None,
    }
}

fn answer_of(status: u16, body: &'static [u8]) -> Response {
    Response { wire_body: body.into(), body: body.into(), ..answer(status) }
}

fn with(mut response: Response, name: &'static str, value: &str) -> Response {
    response.headers.insert(name, value.parse().unwrap());
    response
}

fn leading_to(location: &str) -> Answer {
    Ok(with(answer(302), "location", location))
}

fn failed(kind: FailureKind) -> Answer {
    Err(Failure::new(kind, "as seen").into())
}

fn private() -> Answer {
    Err(FetchError::PrivateAddress { host: "www.shop.example".into(), address: [10, 0, 0, 1].into() })
}

/// Gives the answers in turn for as long as they are asked for: the waits between them in seconds, and the last verdict.
fn asked(visit: Visit, answers: impl IntoIterator<Item = Answer>) -> (Vec<u64>, Verdict) {
    let (mut visit, mut waits) = (visit, Vec::new());
    for answer in answers {
        match shipped().judge(visit, answer, NOW) {
            Verdict::GoesOn(Outcome::Retry { visit: again, wait, .. }) => {
                waits.push(wait.as_secs());
                visit = again;
            }
            Verdict::GoesOn(Outcome::Redirected(further)) => visit = further,
            settled => return (waits, settled),
        }
    }
    panic!("after all its answers it still goes on, at {}", visit.url())
}

fn always(answer: impl Fn() -> Answer) -> impl Iterator<Item = Answer> {
    std::iter::repeat_with(answer).take(30)
}

#[track_caller]
fn ending(verdict: Verdict) -> Completion {
    match verdict {
        Verdict::Ended(completion, _) => *completion,
        other => panic!("it has not ended: {other:?}"),
    }
}

#[track_caller]
fn capture(verdict: Verdict) -> (Capture, StoredBody) {
    match verdict {
        Verdict::Ended(completion, body) => (completion.capture.expect("it is captured"), body),
        other => panic!("it is not captured: {other:?}"),
    }
}

#[track_caller]
fn rules_of(verdict: Verdict) -> (RobotsAnswer, Option<RobotsMemory>) {
    match verdict {
        Verdict::Robots(Outcome::Robots { origin, answer }, memory) => {
            assert_eq!(origin, ORIGIN);
            (answer, memory)
        }
        other => panic!("robots.txt is not settled: {other:?}"),
    }
}

/// Checks after what waits a page is asked for again, and as what it fails in the end.
#[track_caller]
fn assert_fails(answer: impl Fn() -> Answer, waits: &[u64], kind: FailureKind, status: Option<u16>) {
    let (waited, verdict) = asked(page(), always(answer));
    let ended = ending(verdict);
    let Disposition::Failed(failure) = ended.disposition else { panic!("{ended:?} should have failed") };
    assert_eq!((failure.kind, failure.status), (kind, status));
    assert_eq!(waited, waits, "{kind} {status:?}");
    assert_eq!(ended.requests as usize, waits.len() + 1, "{kind} {status:?}");
    assert_eq!((ended.ended_at, ended.capture), (NOW, None));
}

mod pages {
    use super::*;

    #[test]
    fn a_page_that_is_refused_for_good_is_never_asked_for_again() {
        for status in [400, 401, 403, 404, 405, 410, 418, 451, 499] {
            assert_fails(|| Ok(answer(status)), &[], FailureKind::HttpStatus, Some(status));
        }
    }

    #[test]
    fn a_throttled_page_is_tried_three_more_times_from_thirty_seconds_on() {
        for status in [429, 503] {
            assert_fails(|| Ok(answer(status)), &[30, 60, 120], FailureKind::Throttled, Some(status));
        }
    }

    #[test]
    fn retry_after_makes_a_wait_longer_but_never_shorter() {
        for (asks_for, waits) in
            [("45", [45, 60, 120]), ("1", [30, 60, 120]), ("Tue, 14 Nov 2023 22:14:50 GMT", [90, 90, 120])]
        {
            let throttled = || Ok(with(answer(429), "retry-after", asks_for));
            assert_fails(throttled, &waits, FailureKind::Throttled, Some(429));
        }
    }

    #[test]
    fn another_server_error_is_tried_twice_more_after_ten_seconds() {
        for status in [500, 501, 502, 504, 520, 599] {
            assert_fails(|| Ok(answer(status)), &[10, 10], FailureKind::ServerError, Some(status));
        }
    }

    #[test]
    fn a_500_that_says_less_than_a_hundred_bytes_is_broken_and_only_that() {
        for body in [&b""[..], b"Internal error occurred.", &[b'x'; 99]] {
            assert_fails(|| Ok(answer_of(500, body)), &[], FailureKind::BrokenServer, Some(500));
            assert_fails(|| Ok(answer_of(502, body)), &[10, 10], FailureKind::ServerError, Some(502));
        }
        let small_on_the_wire =
            || Response { wire_body: vec![0; 30].into(), wire_encoding: Coding::Gzip, ..answer(500) };
        assert_fails(|| Ok(small_on_the_wire()), &[10, 10], FailureKind::ServerError, Some(500));
    }

    #[test]
    fn a_connection_that_times_out_is_tried_once_more_after_fifteen_seconds() {
        assert_fails(|| failed(FailureKind::ConnectTimeout), &[15], FailureKind::ConnectTimeout, None);
    }

    #[test]
    fn what_breaks_on_the_way_fails_by_its_kind_and_only_passing_trouble_is_tried_again() {
        use FailureKind as K;
        for kind in [K::DnsNotFound, K::TlsCertificate, K::TlsHandshake, K::BrokenChunking, K::BadResponse] {
            assert_fails(|| failed(kind), &[], kind, None);
        }
        for kind in [K::HeaderFlood, K::BadEncoding, K::Defect] {
            assert_fails(|| failed(kind), &[], kind, None);
        }
        for kind in [K::ConnectionLost, K::TruncatedBody, K::ConnectRefused, K::ResponseTimeout] {
            let (waits, verdict) = asked(page(), always(|| failed(kind)));
            assert_eq!(ending(verdict).disposition.detail_name(), kind.name());
            assert_eq!(waits.len(), 3, "{kind}");
        }
    }

    #[test]
    fn one_kind_of_trouble_does_not_use_up_the_retries_of_another() {
        let trouble =
            [Ok(answer(429)), failed(FailureKind::ConnectTimeout), Ok(answer(502)), Ok(answer(503))];
        let (waits, verdict) = asked(page(), trouble.into_iter().chain([Ok(answer(200))]));
        assert_eq!(waits, [30, 15, 10, 60]);
        let ended = ending(verdict);
        assert_eq!((ended.disposition, ended.requests), (Disposition::Captured, 5));
    }

    #[test]
    fn an_address_that_is_not_public_excludes_a_page_at_once_and_after_a_redirect() {
        for answers in [vec![private()], vec![leading_to("https://inside.example/"), private()]] {
            let requests = answers.len() as u32;
            let (waits, verdict) = asked(page(), answers);
            let ended = ending(verdict);
            assert_eq!(ended.disposition, Disposition::Excluded { reason: Exclusion::PrivateAddress });
            assert_eq!((waits, ended.requests), (vec![], requests));
        }
    }

    #[test]
    fn an_unwanted_type_excludes_a_page_but_does_not_hide_its_failure() {
        let unwanted = |status| Ok(Response { skipped_body: true, ..answer_of(status, b"") });
        let (_, verdict) = asked(page(), [unwanted(200)]);
        assert_eq!(ending(verdict).disposition, Disposition::Excluded { reason: Exclusion::ContentType });
        assert_fails(|| unwanted(404), &[], FailureKind::HttpStatus, Some(404));
        assert_fails(|| unwanted(503), &[30, 60, 120], FailureKind::Throttled, Some(503));
    }
}

mod redirects {
    use super::*;

    #[test]
    fn a_redirect_is_followed_and_the_way_is_noted() {
        for status in [301, 302, 303, 307, 308] {
            let first = Ok(with(answer(status), "location", "/moved"));
            let (_, verdict) =
                asked(page(), [first, leading_to("https://other.example/new"), Ok(answer(200))]);
            let Verdict::Ended(ended, _) = verdict else { panic!("{verdict:?}") };
            assert_eq!((ended.target.url.as_str(), ended.requests), (START, 3), "{status}");
            let capture = ended.capture.unwrap();
            assert_eq!(capture.final_url, "https://other.example/new");
            assert_eq!(capture.redirects, [START, "https://www.shop.example/moved"]);
        }
    }

    #[test]
    fn ten_redirects_are_followed_and_an_eleventh_fails() {
        let chain = |hops: usize| (0..hops).map(|hop| leading_to(&format!("/hop-{hop}")));
        let (_, verdict) = asked(page(), chain(10).chain([Ok(answer(200))]));
        assert_eq!(capture(verdict).0.redirects.len(), 10);
        let (waits, verdict) = asked(page(), chain(11));
        let ended = ending(verdict);
        assert_eq!((ended.disposition.detail_name(), ended.requests), ("too_many_redirects", 11));
        assert!(waits.is_empty());
    }

    #[test]
    fn a_redirect_that_leads_nowhere_new_fails_at_once() {
        for (answers, kind) in [
            (vec![leading_to(START)], "redirect_loop"),
            (vec![leading_to("/a"), leading_to("/b"), leading_to("/a")], "redirect_loop"),
            (vec![Ok(answer(302))], "bad_redirect"),
            (vec![leading_to("ftp://www.shop.example/")], "bad_redirect"),
        ] {
            let (waits, verdict) = asked(page(), answers);
            assert_eq!((waits, ending(verdict).disposition.detail_name()), (vec![], kind));
        }
    }

    #[test]
    fn a_redirect_out_of_scope_excludes_the_target_by_where_it_began() {
        use RedirectScope::{Any, SameHost, SameSite};
        for (to, within) in [
            ("https://www.shop.example/x", vec![Any, SameSite, SameHost]),
            ("http://www.shop.example:8080/x", vec![Any, SameSite, SameHost]),
            ("https://m.shop.example/x", vec![Any, SameSite]),
            ("https://shop.example/x", vec![Any, SameSite]),
            ("https://notshop.example/x", vec![Any]),
            ("https://www.shop.example.evil.test/x", vec![Any]),
        ] {
            for scope in [Any, SameSite, SameHost] {
                // a hop within the scope must not move the scope
                let visit = page().redirected_to("https://www.shop.example/hop".into());
                let verdict = Rules { scope, ..shipped() }.judge(visit, leading_to(to), NOW);
                match (verdict, within.contains(&scope)) {
                    (Verdict::GoesOn(Outcome::Redirected(further)), true) => assert_eq!(further.url(), to),
                    (Verdict::Ended(ended, _), false) => {
                        assert_eq!(ended.disposition, Disposition::Excluded { reason: Exclusion::Scope });
                    }
                    (other, _) => panic!("{to} under {scope:?}: {other:?}"),
                }
            }
        }
    }
}

mod captures {
    use super::*;

    #[test]
    fn a_capture_says_what_came_from_where_and_when() {
        let timings = Timings { first_byte_us: 90_000, total_us: 250_000, ..Timings::default() };
        let response = Response { timings, http_version: "HTTP/2.0", ..answer_of(200, b"<p>hello</p>") };
        let (_, verdict) = asked(page(), [Ok(with(response, "Content-Type", "text/html"))]);
        let expected = Capture {
            final_url: START.into(),
            redirects: vec![],
            status: 200,
            http_version: "HTTP/2.0".into(),
            headers: vec![("content-type".into(), "text/html".into())],
            body_encoding: "identity".into(),
            decoded_bytes: 12,
            truncated: false,
            charset: "UTF-8".into(),
            robots: None,
            fetched_with: FetchedWith::Http,
            fetched_at: Moment(NOW.0 - 250),
            remote_address: "203.0.113.9:443".into(),
            timings,
        };
        assert_eq!(capture(verdict).0, expected);
    }

    #[test]
    fn an_encoded_body_is_stored_as_it_came_and_a_plain_one_is_compressed() {
        for (wire_encoding, name, bytes, packing) in [
            (Coding::Identity, "identity", &b"decoded"[..], Packing::Compress),
            (Coding::Gzip, "gzip", b"wire", Packing::Store),
            (Coding::Br, "br", b"wire", Packing::Store),
            (Coding::Zstd, "zstd", b"wire", Packing::Store),
            (Coding::Deflate, "deflate", b"wire", Packing::Store),
        ] {
            let wire_body = if wire_encoding == Coding::Identity { "decoded" } else { "wire" }.into();
            let response = Response { wire_encoding, wire_body, ..answer_of(200, b"decoded") };
            let (capture, stored) = capture(asked(page(), [Ok(response)]).1);
            assert_eq!((capture.body_encoding.as_str(), capture.decoded_bytes), (name, 7));
            assert_eq!((&stored.bytes[..], stored.packing), (bytes, packing), "{name}");
        }
    }

    #[test]
    fn a_body_that_was_cut_is_stored_decoded_and_says_so() {
        let cut = Response { truncated: true, wire_body: Bytes::new(), ..answer_of(200, b"the first part") };
        let (capture, stored) = capture(asked(page(), [Ok(cut)]).1);
        assert!(capture.truncated);
        assert_eq!((capture.body_encoding.as_str(), capture.decoded_bytes), ("identity", 14));
        assert_eq!((&stored.bytes[..], stored.packing), (&b"the first part"[..], Packing::Compress));
    }

    #[test]
    fn the_charset_is_that_of_the_mark_the_header_the_page_or_a_guess_from_the_decoded_body() {
        for (content_type, body, charset) in [
            ("text/html; charset=windows-1251", &b"\xcf\xf0\xe8\xe2\xe5\xf2"[..], "windows-1251"),
            ("text/html; charset=shift_jis", b"\xef\xbb\xbfhello", "UTF-8"),
            ("text/html", b"<meta charset=\"gb2312\"><p>\xb3\xc7\xca\xd0", "GBK"),
            ("text/html; charset=koi8-r", b"<meta charset=\"gb2312\"><p>", "KOI8-R"),
            ("text/html", "<p>Äpfel und Öl</p>".as_bytes(), "UTF-8"),
        ] {
            let decoded = Response {
                wire_body: Bytes::from_static(b"\xff\xfenot to be looked at"),
                wire_encoding: Coding::Gzip,
                ..answer_of(200, body)
            };
            let (capture, _) = capture(asked(page(), [Ok(with(decoded, "content-type", content_type))]).1);
            assert_eq!(capture.charset, charset, "{content_type} {}", String::from_utf8_lossy(body));
        }
    }
}

mod robots_txt {
    use super::*;

    #[test]
    fn a_robots_txt_that_came_is_obeyed_and_remembered() {
        for status in [200, 206] {
            let body = b"User-agent: *\nDisallow: /private\n";
            let (answer, memory) = rules_of(asked(robots(), [Ok(answer_of(status, body))]).1);
            assert!(matches!(answer, RobotsAnswer::Body(rules) if rules == body));
            let origin = ORIGIN.to_owned();
            assert_eq!(memory, Some(RobotsMemory { origin, fetched_at: NOW, status, body: body.to_vec() }));
        }
    }

    #[test]
    fn a_robots_txt_that_is_refused_allows_everything_at_once() {
        for status in [400, 401, 403, 404, 410, 418, 451] {
            let (waits, verdict) = asked(robots(), [Ok(answer_of(status, b"Disallow: /"))]);
            let (answer, memory) = rules_of(verdict);
            assert!(matches!(answer, RobotsAnswer::AllowAll), "{status}: {answer:?}");
            let remembered = memory.map(|memory| (memory.status, memory.body, memory.fetched_at));
            assert_eq!((waits, remembered), (vec![], Some((status, vec![], NOW))));
        }
    }

    #[test]
    fn a_robots_txt_that_cannot_be_had_forbids_everything_once_its_retries_are_used_up() {
        use FailureKind as K;
        type Case = (fn() -> Answer, &'static [u64], FailureKind);
        let cases: [Case; 9] = [
            (|| Ok(answer(500)), &[10, 10], K::RobotsUnavailable),
            (|| Ok(answer(502)), &[10, 10], K::RobotsUnavailable),
            (|| Ok(answer(503)), &[30, 60, 120], K::RobotsUnavailable),
            (|| Ok(answer(429)), &[30, 60, 120], K::RobotsUnavailable),
            (|| Ok(answer_of(500, b"oops")), &[], K::RobotsUnavailable),
            (|| failed(K::HeaderFlood), &[], K::RobotsUnavailable),
            // a host that cannot be reached fails by that cause
            (|| failed(K::ConnectTimeout), &[15], K::ConnectTimeout),
            (|| failed(K::DnsNotFound), &[], K::DnsNotFound),
            (|| failed(K::TlsCertificate), &[], K::TlsCertificate),
        ];
        for (answer, expected_waits, kind) in cases {
            let (waits, verdict) = asked(robots(), always(answer));
            let (settled, memory) = rules_of(verdict);
            let RobotsAnswer::Unavailable(failure) = settled else { panic!("{:?}: {settled:?}", answer()) };
            // robots.txt's status is not the target's, and trouble that passes is not remembered for a day
            assert_eq!((failure.kind, failure.status, memory), (kind, None, None));
            assert_eq!(waits, expected_waits, "{kind} by {:?}", answer());
        }
    }

    #[test]
    fn a_robots_txt_that_recovers_is_obeyed() {
        let (waits, verdict) =
            asked(robots(), [Ok(answer(503)), Ok(answer(500)), Ok(answer_of(200, b"rules"))]);
        assert!(matches!(rules_of(verdict).0, RobotsAnswer::Body(body) if body == b"rules"));
        assert_eq!(waits, [30, 10]);
    }

    #[test]
    fn five_redirects_of_a_robots_txt_are_followed_to_any_host_and_after_a_sixth_there_is_none() {
        let chain = |hops: usize| (0..hops).map(|hop| leading_to(&format!("https://h{hop}.test/robots.txt")));
        let (_, verdict) = asked(robots(), chain(5).chain([Ok(answer_of(200, b"rules"))]));
        assert!(matches!(rules_of(verdict).0, RobotsAnswer::Body(body) if body == b"rules"));
        for astray in [chain(6).collect(), vec![leading_to("/robots.txt")], vec![Ok(answer(301))]] {
            assert!(matches!(rules_of(asked(robots(), astray).1).0, RobotsAnswer::AllowAll));
        }
        let narrow = Rules { scope: RedirectScope::SameHost, ..shipped() };
        let verdict = narrow.judge(robots(), leading_to("https://cdn.test/robots.txt"), NOW);
        assert!(matches!(verdict, Verdict::GoesOn(Outcome::Redirected(_))), "{verdict:?}");
    }

    #[test]
    fn a_robots_txt_at_a_private_address_leaves_the_word_to_the_page_unless_it_was_redirected_there() {
        let (own, memory) = rules_of(asked(robots(), [private()]).1);
        assert!(matches!((own, memory), (RobotsAnswer::AllowAll, None)));
        let (elsewhere, memory) =
            rules_of(asked(robots(), [leading_to("https://inside.test/"), private()]).1);
        let RobotsAnswer::Unavailable(failure) = elsewhere else { panic!("{elsewhere:?}") };
        assert_eq!((failure.kind, memory), (FailureKind::RobotsUnavailable, None));
    }
}
