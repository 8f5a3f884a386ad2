//! Do the examples of RFC 9309 come out as the RFC says?

use super::check;
use crate::robots::Rules;

#[test]
fn section_2_2_1_groups_for_one_agent_are_merged() {
    let body =
        "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n";
    check(
        body,
        &[
            ("ExampleBot", "/foo", false),
            ("ExampleBot", "/bar", false),
            ("ExampleBot", "/baz", false),
            ("examplebot", "/baz", false),
            ("ExampleBot/0.1 (https://example.com/bot.html)", "/baz", false),
            ("ExampleBot", "/qux", true),
            ("OtherBot", "/foo", true),
        ],
    );
}

#[test]
fn section_2_2_1_everyones_group_counts_only_for_those_without_their_own() {
    let body = "user-agent: *\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n";
    check(
        body,
        &[
            ("ExampleBot", "/foo", true),
            ("ExampleBot", "/baz", false),
            ("OtherBot", "/foo", false),
            ("OtherBot", "/bar", false),
            ("OtherBot", "/baz", true),
        ],
    );
}

#[test]
fn section_2_2_2_paths_are_compared_in_one_spelling() {
    for (pattern, path) in [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar?baz=https%3a%2f%2ffoo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/ツ"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A"),
    ] {
        let body = format!("user-agent: *\ndisallow: {pattern}\n");
        check(&body, &[("foobot", path, false), ("foobot", "/foo", true)]);
    }
}

#[test]
fn section_2_2_3_special_characters_are_signs_unless_they_are_encoded() {
    let body = "user-agent: *\ndisallow: / # comment in line\n# comment at the end\nallow: /this/path/exactly$\nallow: /this/*/too\n";
    check(
        body,
        &[
            ("foobot", "/this/path/exactly", true),
            ("foobot", "/this/path/exactly/", false),
            ("foobot", "/this/path/exactly?x", false),
            ("foobot", "/this/a/b/c/too/far", true),
            ("foobot", "/this/too", false),
        ],
    );
    check(
        "user-agent: *\ndisallow: /path/file-with-a-%2A.html\ndisallow: /path/foo-%24\n",
        &[
            ("foobot", "/path/file-with-a-*.html", false),
            ("foobot", "/path/file-with-a-%2a.html", false),
            ("foobot", "/path/file-with-a-b.html", true),
            ("foobot", "/path/foo-$", false),
            ("foobot", "/path/foo-$/more", false),
            ("foobot", "/path/foo-", true),
        ],
    );
}

#[test]
fn section_2_2_4_other_records_do_not_interfere() {
    let body = "user-agent: a\nsitemap: https://example.com/sitemap.xml\nuser-agent: b\ndisallow: /x\nhost: y\ndisallow: /z\n";
    check(body, &[("a", "/x", false), ("b", "/x", false), ("a", "/z", false), ("b", "/z", false)]);
}

#[test]
fn section_5_1_the_simple_example() {
    let body = "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n\
        User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n\
        User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n\
        User-Agent: quxbot";
    check(
        body,
        &[
            ("anybot", "/a.gif", false),
            ("anybot", "/a.gif?x", true),
            ("anybot", "/example/x", false),
            ("anybot", "/publications/x", true),
            ("anybot", "/other", true),
            ("foobot", "/example/page.html", true),
            ("foobot", "/example/allowed.gif", true),
            ("foobot", "/example/", false),
            ("foobot", "/", false),
            ("barbot", "/example/page.html", false),
            ("bazbot", "/example/page.html", false),
            ("bazbot", "/example/other.html", true),
            ("quxbot", "/example/page.html", true),
            ("quxbot", "/a.gif", true),
        ],
    );
}

#[test]
fn section_5_2_the_longest_match_wins_and_names_its_line() {
    let body = b"User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
    let rules = Rules::parse(body, "foobot");
    let denied = rules.decide("/example/page/disallowed.gif");
    assert_eq!((denied.allowed, denied.line), (false, Some(3)));
    assert_eq!(denied.rule, Some("/example/page/disallowed.gif"));
    let allowed = rules.decide("/example/page/other.gif");
    assert_eq!((allowed.allowed, allowed.line, allowed.rule), (true, Some(2), Some("/example/page/")));
    let unmentioned = rules.decide("/");
    assert_eq!((unmentioned.allowed, unmentioned.line, unmentioned.rule), (true, None, None));
}
