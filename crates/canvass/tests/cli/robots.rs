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
    assert_snapshot!(check(&urls), @"
    deny https://example.com/private/  (line 2: Disallow: /private/)
    allow https://example.com/private/open/1  (line 3: Allow: /private/open)
    allow example.com  (no rule matches)
    allow /private  (no rule matches)
    [exit 1]
    ");
    assert_snapshot!(check(&["/private/open"]), @"
    allow /private/open  (line 3: Allow: /private/open)
    [exit 0]
    ");
    assert_snapshot!(check(&["--agent", "otherbot", "/anything", "/robots.txt"]), @"
    deny /anything  (line 7: Disallow: /)
    allow /robots.txt  (no rule matches)
    [exit 1]
    ");
}

#[test]
fn the_verdicts_as_json_carry_the_crawl_delay() {
    assert_snapshot!(check(&["--json", "/private/x", "/"]), @r#"
    {
      "crawl_delay_seconds": 5.0,
      "verdicts": [
        {
          "url": "/private/x",
          "allowed": false,
          "line": 2,
          "rule": "/private/"
        },
        {
          "url": "/",
          "allowed": true,
          "line": null,
          "rule": null
        }
      ]
    }
    [exit 1]
    "#);
}

#[test]
fn what_is_not_a_url_or_not_a_file_is_named() {
    assert_snapshot!(check(&["ftp://example.com/"]), @"
    ! error: `ftp://example.com/`: only http and https can be fetched: if this is a host, write https:// before it
    [exit 2]
    ");
    assert_snapshot!(check(&[]), @"
    ! error: the following required arguments were not provided:
    !   <URLS>...
    !
    ! Usage: canvass robots check --file <ROBOTS> <URLS>...
    !
    ! For more information, try '--help'.
    [exit 2]
    ");
    assert_snapshot!(Home::empty().run(&["robots", "check", "--file", "absent.txt", "/"]), @"
    ! error: cannot read absent.txt: No such file or directory (os error 2)
    [exit 2]
    ");
}

#[cfg(target_os = "linux")]
#[test]
fn of_an_endless_file_only_the_start_is_read() {
    assert_snapshot!(Home::empty().run(&["robots", "check", "--file", "/dev/zero", "/"]), @"
    allow /  (no rule matches)
    [exit 0]
    ");
}
