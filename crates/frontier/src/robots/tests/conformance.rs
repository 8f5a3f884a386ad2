//! Are the cases that the large crawlers document decided as they document them?

use super::check;
use crate::robots::Rules;

#[test]
fn a_group_needs_an_agent_and_rules_before_one_are_nobodys() {
    check("foo: FooBot\nbar: /\n", &[("FooBot", "/x", true)]);
    check("disallow: /\nuser-agent: FooBot\nallow: /a\n", &[("FooBot", "/x", true), ("Other", "/x", true)]);
    check("", &[("FooBot", "/", true)]);
    check("user-agent: FooBot\n", &[("FooBot", "/", true)]);
    check("<html><body>Not found: /</body></html>\n", &[("FooBot", "/", true)]);
}

#[test]
fn agents_that_follow_each_other_share_the_rules_that_follow_them() {
    let body = "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n\n\n\
        allow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n";
    check(
        body,
        &[
            ("FooBot", "/x/b", true),
            ("FooBot", "/z/d", true),
            ("FooBot", "/y/c", false),
            ("FooBot", "/foo/bar/", false),
            ("BarBot", "/y/c", true),
            ("BarBot", "/w/a", true),
            ("BarBot", "/z/d", false),
            ("BazBot", "/z/d", true),
            ("BazBot", "/y/c", false),
            ("Stranger", "/y/c", true),
        ],
    );
}

#[test]
fn an_agent_is_known_by_its_token_alone() {
    for line in
        ["FooBot", "foobot", "FOOBOT", "FooBot/1.0", "FooBot 2", "FooBot*", "FooBot # ours", "\tFooBot\t"]
    {
        check(&format!("User-Agent: {line}\nDisallow: /\n"), &[("FooBot", "/", false), ("Foo", "/", true)]);
    }
    for line in ["FooBot-Images", "Foo", "MyFooBot", "Foo Bot", ""] {
        check(&format!("User-Agent: {line}\nDisallow: /\n"), &[("FooBot", "/", true)]);
    }
    check("User-Agent: *\nDisallow: /\n", &[("FooBot", "/", false), ("", "/", false), ("2000", "/", false)]);
    check("User-Agent: * remark\nDisallow: /\n", &[("FooBot", "/", false)]);
    check("User-Agent: *x\nDisallow: /\n", &[("FooBot", "/", true), ("x", "/", true)]);
}

#[test]
fn ones_own_group_counts_wherever_it_stands_and_even_if_it_is_empty() {
    let general_last = "user-agent: FooBot\nallow: /\nuser-agent: *\ndisallow: /\n";
    let general_first = "user-agent: *\ndisallow: /\nuser-agent: FooBot\nallow: /\n";
    for body in [general_last, general_first] {
        check(body, &[("FooBot", "/x", true), ("BarBot", "/x", false)]);
    }
    check("user-agent: FooBot\ndisallow:\nuser-agent: *\ndisallow: /\n", &[("FooBot", "/x", true)]);
    check(
        "user-agent: *\nuser-agent: FooBot\ndisallow: /\n",
        &[("FooBot", "/", false), ("BarBot", "/", false)],
    );
}

#[test]
fn names_of_directives_are_matched_loosely_and_values_exactly() {
    for body in [
        "USER-AGENT: FooBot\nDISALLOW: /x\n",
        "user-agent:FooBot\ndisallow:/x\n",
        "  User-Agent  :  FooBot  \n\tDisallow\t:\t/x\t\n",
        "user-agent FooBot\ndisallow /x\n",
        "useragent: FooBot\ndisalow: /x\n",
        "user agent: FooBot\ndissallow: /x\n",
        "\u{feff}User-Agent: FooBot\nDisallow: /x\n",
    ] {
        check(body, &[("FooBot", "/x", false), ("FooBot", "/X", true), ("FooBot", "/y", true)]);
    }
    check("user-agent FooBot\ndisallow /x or not\n", &[("FooBot", "/x", true)]);
    check("user-agent: FooBot\ndisallow; /x\n", &[("FooBot", "/x", true)]);
}

#[test]
fn a_beginning_matches_and_a_missing_slash_never_does() {
    check(
        "user-agent: *\ndisallow: /fish\n",
        &[
            ("b", "/fish", false),
            ("b", "/fish.html", false),
            ("b", "/fish/salmon.html", false),
            ("b", "/fishheads", false),
            ("b", "/fish.php?id=anything", false),
            ("b", "/Fish.asp", true),
            ("b", "/catfish", true),
            ("b", "/?id=fish", true),
        ],
    );
    check(
        "user-agent: *\ndisallow: /fish/\n",
        &[("b", "/fish/", false), ("b", "/fish", true), ("b", "/fish.html", true)],
    );
    check("user-agent: *\ndisallow: fish\n", &[("b", "/fish", true), ("b", "fish", true)]);
    check("user-agent: *\ndisallow: https://example.com/fish\n", &[("b", "/fish", true)]);
}

#[test]
fn wildcards_match_any_run_and_the_dollar_only_the_end() {
    check(
        "user-agent: *\ndisallow: /fish*\n",
        &[("b", "/fishheads", false), ("b", "/fish", false), ("b", "/dish", true)],
    );
    check(
        "user-agent: *\ndisallow: /*.php\n",
        &[
            ("b", "/index.php", false),
            ("b", "/folder/any.php.file.html", false),
            ("b", "/filename.php/", false),
            ("b", "/", true),
            ("b", "/windows.PHP", true),
        ],
    );
    check(
        "user-agent: *\ndisallow: /*.php$\n",
        &[
            ("b", "/filename.php", false),
            ("b", "/filename.php?parameters", true),
            ("b", "/filename.php5", true),
        ],
    );
    check(
        "user-agent: *\ndisallow: /fish*.php\n",
        &[("b", "/fishheads/catfish.php?x", false), ("b", "/Fish.PHP", true)],
    );
    check(
        "user-agent: *\ndisallow: /a$b\n",
        &[("b", "/a$b", false), ("b", "/a%24b", false), ("b", "/a", true)],
    );
    check("user-agent: *\ndisallow: /$\n", &[("b", "/", false), ("b", "/x", true)]);
    check("user-agent: *\ndisallow: *\n", &[("b", "/", false), ("b", "/x?y", false)]);
    check("user-agent: *\ndisallow: $\n", &[("b", "/", true)]);
    check("user-agent: *\ndisallow: /a*$\n", &[("b", "/abc", false), ("b", "/b", true)]);
    check(
        "user-agent: *\ndisallow: /a*b*c$\n",
        &[("b", "/a-b-b-c-c", false), ("b", "/a-c-b", true), ("b", "/abc", false)],
    );
    check("user-agent: *\ndisallow: /ab*b$\n", &[("b", "/ab", true), ("b", "/abb", false)]);
}

#[test]
fn the_longest_pattern_wins_and_allow_wins_a_tie() {
    for (rules, path, expected) in [
        ("allow: /p\ndisallow: /", "/page", true),
        ("allow: /folder\ndisallow: /folder", "/folder/page", true),
        ("disallow: /folder\nallow: /folder", "/folder/page", true),
        ("allow: /page\ndisallow: /*.htm", "/page.htm", false),
        ("allow: /page\ndisallow: /*.ph", "/page.php5", true),
        ("allow: /$\ndisallow: /", "/", true),
        ("allow: /$\ndisallow: /", "/page.htm", false),
        ("disallow: /x/page.html\nallow: /x/", "/x/page.html", false),
        ("disallow: /x/page.html\nallow: /x/", "/x/", true),
        ("disallow: \nallow: ", "/x", true),
        ("disallow: /\nallow: ", "/x", false),
        ("disallow: /x\nallow: /x/", "/x", false),
        ("disallow: /x\nallow: /x/", "/x/", true),
    ] {
        check(&format!("user-agent: FooBot\n{rules}\n"), &[("FooBot", path, expected)]);
    }
}

#[test]
fn an_encoded_slash_in_a_path_is_not_a_slash() {
    for (pattern, path, denied) in [
        ("/a%3cd.html", "/a%3Cd.html", true),
        ("/a%3Cd.html", "/a<d.html", true),
        ("/a%2fb.html", "/a%2Fb.html", true),
        ("/a%2fb.html", "/a/b.html", false),
        ("/a/b.html", "/a%2fb.html", false),
        ("/%7ejoe/", "/~joe/", true),
        ("/~joe/", "/%7Ejoe/", true),
        ("/a b", "/a%20b", true),
        ("/100%", "/100%25", true),
        ("/*url=http%3A%2F%2F", "/x?url=http%3A%2F%2Fy", true),
        ("/*?x", "/a?b?x", true),
        ("/*/y?x", "/a?b/y?x", true),
        ("/a%3Fb", "/a?b", false),
        ("/a?b%26c", "/a?b&c", false),
        ("/a[1]", "/a%5B1%5D", true),
    ] {
        let body = format!("user-agent: *\ndisallow: {pattern}\n");
        check(&body, &[("b", path, !denied)]);
    }
    let latin1 = Rules::parse(b"user-agent: *\ndisallow: /caf\xe9\n", "b");
    assert!(!latin1.decide("/caf%E9").allowed);
    assert!(latin1.decide("/caf%C3%A9").allowed);
}

#[test]
fn every_end_of_line_ends_one_line_and_is_counted_once() {
    for end in ["\n", "\r\n", "\r"] {
        let body = ["# hello", "", "User-Agent: foo", "Allow: /x/page.html", "", "Disallow: /x/"].join(end);
        let rules = Rules::parse(body.as_bytes(), "foo");
        assert_eq!(rules.decide("/x/page.html").line, Some(4), "{end:?}");
        let denied = rules.decide("/x/other");
        assert_eq!((denied.allowed, denied.line), (false, Some(6)), "{end:?}");
    }
}

#[test]
fn robots_txt_itself_is_always_allowed() {
    let rules = Rules::disallow_all();
    assert!(rules.decide("/robots.txt").allowed);
    for path in ["/robots.txt.bak", "/robots.txt/", "/x/robots.txt", "/", ""] {
        let verdict = rules.decide(path);
        assert_eq!((verdict.allowed, verdict.line, verdict.rule), (false, None, Some("/")), "{path}");
    }
    assert!(Rules::allow_all().decide("/x").allowed);
}
