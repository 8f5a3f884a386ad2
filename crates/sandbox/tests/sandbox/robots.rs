//! Does robots.txt say what each site should say?

use sandbox::{Behaviour as B, Plan};

use super::client::{host_and_path, serve};

#[tokio::test]
async fn robots_of_every_kind_answer_as_documented() {
    let sandbox = serve(&Plan::only(every_robots_behaviour())).await;
    let robots = async |behaviour| sandbox.get(&sandbox.site(behaviour).name, "/robots.txt", "gzip").await;
    for (behaviour, status) in [
        (B::RobotsNone, 404),
        (B::Robots403, 403),
        (B::Robots410, 410),
        (B::RobotsServerError, 500),
        (B::RobotsThrottled, 429),
    ] {
        assert_eq!(robots(behaviour).await.status, status);
        assert_eq!(robots(behaviour).await.status, status, "{behaviour}: forever");
    }
    for (behaviour, rule) in [
        (B::RobotsAllowAll, "Allow: /\n"),
        (B::RobotsDisallowAll, "Disallow: /\n"),
        (B::RobotsDisallowPaths, "Disallow: /forbidden/\n"),
        (B::RobotsWildcards, "Disallow: /*.tmp$\n"),
        (B::RobotsLongestRule, "Allow: /shop/open/\n"),
        (B::RobotsOwnGroup, "User-agent: canvass\n"),
        (B::RobotsMergedGroups, "User-agent: Canvass\n"),
        (B::RobotsBomCrlf, "User-agent: *\r\nDisallow: /forbidden/\r\n"),
        (B::RobotsGzip, "Disallow: /forbidden/\n"),
        (B::CrawlDelayOne, "Crawl-delay: 1\n"),
        (B::CrawlDelayFraction, "Crawl-delay: 1.5\n"),
        (B::CrawlDelayLong, "Crawl-delay: 3\n"),
        (B::RobotsSlow, "Disallow: /forbidden/\n"),
    ] {
        let response = robots(behaviour).await;
        assert_eq!(response.status, 200);
        assert!(response.text().contains(rule), "{behaviour}");
    }
    assert_eq!(robots(B::RobotsEmpty).await.body, b"");
    assert!(robots(B::RobotsBomCrlf).await.body.starts_with(b"\xef\xbb\xbf"));
    assert!(robots(B::RobotsGzip).await.body.starts_with(b"\x1f\x8b"));
    assert!(robots(B::RobotsHtml).await.text().starts_with("<!doctype html>"));
    let huge = robots(B::RobotsHuge).await.text();
    assert!(
        huge.find("/before/").is_some_and(|at| at < 100)
            && huge.find("/after/").is_some_and(|at| at > 512_000)
    );
    for (behaviour, status) in [(B::RobotsServerErrorOnce, 503), (B::RobotsThrottledOnce, 429)] {
        assert_eq!((robots(behaviour).await.status, robots(behaviour).await.status), (status, 200));
    }
    assert_eq!(robots(B::RobotsRedirect).await.header("location"), Some("/robots-moved.txt"));
    let site = sandbox.site(B::RobotsRedirect);
    assert!(sandbox.get(&site.name, "/robots-moved.txt", "").await.text().contains("Disallow"));
    let away = robots(B::RobotsRedirectCrossHost).await;
    let (partner, path) = host_and_path(away.header("location").expect("a location"));
    assert!(sandbox.get(partner, path, "").await.text().contains("Disallow: /forbidden/"));
    let seen = sandbox.see(&sandbox.site(B::RobotsHang).name, "/robots.txt", "", 1).await;
    assert!(seen.bytes.is_empty() && !seen.ended);
    assert!(sandbox.see(&sandbox.site(B::RobotsLost).name, "/robots.txt", "", 1).await.reset);

    // The pages behind the rules exist: a crawler that errs gets what it should not have.
    for line in sandbox.world.truth().iter().filter(|line| line.disposition != "failed") {
        let (host, path) = host_and_path(&line.url);
        assert_eq!(sandbox.get(host, path, "").await.status, 200, "{}", line.url);
    }
}

fn every_robots_behaviour() -> &'static [B] {
    let first = B::ALL.iter().position(|one| *one == B::RobotsNone).expect("listed");
    let last = B::ALL.iter().position(|one| *one == B::CrawlDelayLong).expect("listed");
    &B::ALL[first..=last]
}
