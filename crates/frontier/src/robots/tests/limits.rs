//! Does a robots.txt stay within its bounds, whatever its size?

use std::time::Duration;

use crate::robots::{MAX_BODY_BYTES, MAX_CRAWL_DELAY, MAX_PATTERN_BYTES, MAX_RULES, Rules};

fn delay(value: &str) -> Option<Duration> {
    Rules::parse(format!("user-agent: *\ncrawl-delay: {value}\n").as_bytes(), "b").crawl_delay()
}

#[test]
fn a_crawl_delay_is_a_number_of_seconds_and_at_most_a_day() {
    assert_eq!(delay("10"), Some(Duration::from_secs(10)));
    assert_eq!(delay("0.5"), Some(Duration::from_millis(500)));
    assert_eq!(delay(".25"), Some(Duration::from_millis(250)));
    assert_eq!(delay("0"), Some(Duration::ZERO));
    assert_eq!(delay("86400"), Some(MAX_CRAWL_DELAY));
    assert_eq!(delay("99999999999"), Some(MAX_CRAWL_DELAY));
    assert_eq!(delay(&"9".repeat(400)), Some(MAX_CRAWL_DELAY));
    for garbage in ["", "-1", "ten", "5s", "1,5", "1.2.3", "nan", "inf", "1e9", "0x10", "."] {
        assert_eq!(delay(garbage), None, "{garbage}");
    }
}

#[test]
fn the_crawl_delay_is_that_of_the_agents_own_group() {
    let body =
        b"user-agent: *\ncrawl-delay: 9\ndisallow: /x\n\nuser-agent: foo\ndisallow: /y\ncrawl-delay: 2\n\n\
        user-agent: foo\ncrawl-delay: 3\ndisallow: /z\n\nuser-agent: bar\ndisallow:\n";
    assert_eq!(Rules::parse(body, "foo").crawl_delay(), Some(Duration::from_secs(3)));
    assert_eq!(Rules::parse(body, "bar").crawl_delay(), None);
    assert_eq!(Rules::parse(body, "other").crawl_delay(), Some(Duration::from_secs(9)));
}

#[test]
fn only_whole_lines_of_the_first_500_kib_count() {
    let filler = "#".repeat(99) + "\n";
    let head = "user-agent: *\ndisallow: /early\n";
    let mut body = head.to_owned();
    while body.len() + filler.len() + 20 < MAX_BODY_BYTES {
        body.push_str(&filler);
    }
    body.push_str(&"#".repeat(MAX_BODY_BYTES - body.len() - "\nallow: /early/".len()));
    body.push_str("\nallow: /early/x\ndisallow: /late\n");
    let rules = Rules::parse(body.as_bytes(), "b");
    assert!(!rules.decide("/early").allowed);
    assert!(!rules.decide("/early/x").allowed, "a rule that the limit cuts is no rule");
    assert!(rules.decide("/late").allowed);

    let one_endless_line = vec![b'a'; MAX_BODY_BYTES + 1];
    assert_eq!(Rules::parse(&one_endless_line, "b"), Rules::allow_all());
}

#[test]
fn a_body_of_exactly_the_limit_is_read_to_its_end() {
    let rule = "\nuser-agent: *\ndisallow: /x";
    let body = "#".repeat(MAX_BODY_BYTES - rule.len()) + rule;
    assert!(!Rules::parse(body.as_bytes(), "b").decide("/x").allowed);
}

#[test]
fn rules_and_patterns_beyond_the_limits_are_ignored() {
    let mut body = String::from("user-agent: *\n");
    for number in 0..MAX_RULES {
        body.push_str(&format!("disallow: /{number}$\n"));
    }
    body.push_str("disallow: /one-too-many\n");
    let rules = Rules::parse(body.as_bytes(), "b");
    assert!(!rules.decide(&format!("/{}", MAX_RULES - 1)).allowed);
    assert!(rules.decide("/one-too-many").allowed);

    let fits = "a".repeat(MAX_PATTERN_BYTES - 1);
    let body = format!("user-agent: *\ndisallow: /{fits}b\ndisallow: /{fits}\n");
    let rules = Rules::parse(body.as_bytes(), "b");
    assert_eq!(rules.decide(&format!("/{fits}b")).line, Some(3));
}

#[test]
fn patterns_made_to_be_slow_are_not() {
    let wild = "*a".repeat(1000);
    let mut body = String::from("user-agent: *\n");
    for _ in 0..240 {
        body.push_str(&format!("disallow: /{wild}$\n"));
    }
    let rules = Rules::parse(body.as_bytes(), "b");
    let path = format!("/{}b", "a".repeat(2000));
    let begun = std::time::Instant::now();
    assert!(rules.decide(&path).allowed);
    assert!(begun.elapsed() < Duration::from_secs(10), "took {:?}", begun.elapsed());
    assert!(!rules.decide(&"a".repeat(1000)).allowed);
}

#[test]
fn rules_take_little_more_memory_than_their_patterns() {
    let rules =
        Rules::parse(b"user-agent: *\ndisallow: /a\nallow: /bc\n\nuser-agent: x\ndisallow: /def\n", "b");
    assert_eq!(rules.heap_bytes(), "/a/bc".len() + 2 * 12);
    assert_eq!(Rules::allow_all().heap_bytes(), 0);
}
