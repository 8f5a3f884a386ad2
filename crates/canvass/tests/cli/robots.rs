//! Does `canvass robots check` say what decides, and which line?

use insta::assert_snapshot;

use crate::program::Home;

const ROBOTS: &str = "User-agent: *\n\
                      Disallow: /private/\n\
                      Allow: /private/open\n\
                      Crawl-delay: 5\n\
                      \n\
                      User-agent: otherbot\n\
                      Disallow: /\n";

fn check(arguments: &[&str]) -> String {
    let home = Home::empty();
    home.write("robots.txt", ROBOTS);
    home.run(&[&["robots", "check", "--file", "robots.txt"], arguments].concat())
}

#[test]
fn each_url_gets_a_verdict_with_the_line_that_decided() {
    let urls =
        ["https://example.com/private/", "https://example.com/private/open/1", "example.com", "/private"];
    assert_snapshot!(check(&urls), @"");
    assert_snapshot!(check(&["/private/open"]), @"");
    assert_snapshot!(check(&["--agent", "otherbot", "/anything", "/robots.txt"]), @"");
}

#[test]
fn the_verdicts_as_json_carry_the_crawl_delay() {
    assert_snapshot!(check(&["--json", "/private/x", "/"]), @"");
}

#[test]
fn what_is_not_a_url_or_not_a_file_is_named() {
    assert_snapshot!(check(&["ftp://example.com/"]), @"");
    assert_snapshot!(check(&[]), @"");
    assert_snapshot!(Home::empty().run(&["robots", "check", "--file", "absent.txt", "/"]), @"");
}

#[cfg(target_os = "linux")]
#[test]
fn of_an_endless_file_only_the_start_is_read() {
    assert_snapshot!(Home::empty().run(&["robots", "check", "--file", "/dev/zero", "/"]), @"");
}
