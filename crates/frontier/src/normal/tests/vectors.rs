//! Do known spellings have the normal form that the standards give them?
//!
//! The right-hand sides were written from RFC 3986 §6.2, UTS 46 and the WHATWG URL standard, not from output.

use crate::normal::{NormalRules, TrailingSlash};

fn check(rules: &NormalRules, vectors: &[(&str, &str)]) {
    for (raw, expected) in vectors {
        match rules.normalise(raw) {
            Ok(url) => assert_eq!(url.as_str(), *expected, "{raw}"),
            Err(refusal) => panic!("{raw}: {refusal}"),
        }
    }
}

#[test]
fn scheme_host_and_port_have_one_spelling() {
    check(
        &NormalRules::default(),
        &[
            ("https://example.com/", "https://example.com/"),
            ("https://example.com", "https://example.com/"),
            ("HTTP://EXAMPLE.COM/", "http://example.com/"),
            ("hTTpS://eXample.Com/Path", "https://example.com/Path"),
            ("  https://example.com/ \r\n", "https://example.com/"),
            ("http://example.com:80/", "http://example.com/"),
            ("https://example.com:443/", "https://example.com/"),
            ("http://example.com:443/", "http://example.com:443/"),
            ("https://example.com:80/", "https://example.com:80/"),
            ("http://example.com:/", "http://example.com/"),
            ("http://example.com:8080", "http://example.com:8080/"),
            ("http://example.com:0080/", "http://example.com/"),
            ("http://example.com:00081/a", "http://example.com:81/a"),
            ("https://example.com./", "https://example.com/"),
            ("https://example.com.:8443/", "https://example.com:8443/"),
            ("https://@example.com/", "https://example.com/"),
            ("https://localhost/", "https://localhost/"),
            ("https://my_host.example/", "https://my_host.example/"),
            ("https://ex%61mple.com/", "https://example.com/"),
            ("https:example.com/a", "https://example.com/a"),
            ("https:/example.com/a", "https://example.com/a"),
            ("https:\\\\example.com\\a", "https://example.com/a"),
            ("https:////example.com/a", "https://example.com/a"),
        ],
    );
}

#[test]
fn a_missing_scheme_is_https() {
    check(
        &NormalRules::default(),
        &[
            ("example.com", "https://example.com/"),
            ("www.example.com/x", "https://www.example.com/x"),
            ("WWW.Example.COM", "https://www.example.com/"),
            ("example.com:8080/x", "https://example.com:8080/x"),
            ("example.com:443", "https://example.com/"),
            ("example.com?q=a", "https://example.com/?q=a"),
            ("example.com#top", "https://example.com/"),
            ("example.com/a:b", "https://example.com/a:b"),
            ("example.com/?next=http://other.example", "https://example.com/?next=http://other.example"),
            ("//example.com/x", "https://example.com/x"),
            ("192.0.2.7/x", "https://192.0.2.7/x"),
            ("192.0.2.7:8080", "https://192.0.2.7:8080/"),
            ("[2001:DB8::1]/x", "https://[2001:db8::1]/x"),
            ("bücher.example", "https://xn--bcher-kva.example/"),
        ],
    );
}

#[test]
fn names_and_addresses_have_one_spelling() {
    check(
        &NormalRules::default(),
        &[
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
            ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
            ("https://XN--BCHER-KVA.example/", "https://xn--bcher-kva.example/"),
            ("https://b\u{fc}cher.example/", "https://xn--bcher-kva.example/"),
            ("https://bu\u{308}cher.example/", "https://xn--bcher-kva.example/"),
            ("https://faß.example/", "https://xn--fa-hia.example/"),
            ("https://例え.テスト/", "https://xn--r8jz45g.xn--zckzah/"),
            ("https://ｅｘａｍｐｌｅ.com/", "https://example.com/"),
            ("https://example。com/", "https://example.com/"),
            ("https://127.0.0.1/", "https://127.0.0.1/"),
            ("https://127.1/", "https://127.0.0.1/"),
            ("https://2130706433/", "https://127.0.0.1/"),
            ("https://0x7f.1/", "https://127.0.0.1/"),
            ("https://0177.0.0.1/", "https://127.0.0.1/"),
            ("https://127.0.0.1./", "https://127.0.0.1/"),
            ("https://[::1]:443/", "https://[::1]/"),
            ("https://[0:0:0:0:0:0:0:1]/", "https://[::1]/"),
            ("https://[2001:DB8:0:0::1]/", "https://[2001:db8::1]/"),
            ("https://[::ffff:192.0.2.1]/", "https://[::ffff:c000:201]/"),
        ],
    );
}

#[test]
fn dot_segments_are_resolved_and_trailing_slashes_stripped() {
    check(
        &NormalRules::default(),
        &[
            ("https://example.com/a/./b", "https://example.com/a/b"),
            ("https://example.com/a/../b", "https://example.com/b"),
            ("https://example.com/a/b/c/./../../g", "https://example.com/a/g"),
            ("https://example.com/../../a", "https://example.com/a"),
            ("https://example.com/a/..", "https://example.com/"),
            ("https://example.com/a/b/..", "https://example.com/a"),
            ("https://example.com/a/.", "https://example.com/a"),
            ("https://example.com/a/%2e/b", "https://example.com/a/b"),
            ("https://example.com/a/%2E%2E/b", "https://example.com/b"),
            ("https://example.com/a/.%2e/b", "https://example.com/b"),
            ("https://example.com/a/...", "https://example.com/a/..."),
            ("https://example.com/.well-known/x", "https://example.com/.well-known/x"),
            ("https://example.com/a.b/c.", "https://example.com/a.b/c."),
            ("https://example.com/a/", "https://example.com/a"),
            ("https://example.com/a///", "https://example.com/a"),
            ("https://example.com//", "https://example.com/"),
            ("https://example.com//a//b/", "https://example.com//a//b"),
            ("https://example.com/a/?q=1", "https://example.com/a?q=1"),
            ("https://example.com/?q=/a/", "https://example.com/?q=/a/"),
            ("https://example.com\\a\\b", "https://example.com/a/b"),
            ("https://example.com/a%2F", "https://example.com/a%2F"),
        ],
    );
}

#[test]
fn percent_encoding_has_one_spelling() {
    check(
        &NormalRules::default(),
        &[
            ("https://example.com/%7euser", "https://example.com/~user"),
            ("https://example.com/%41%5A%61%7a%30%39", "https://example.com/AZaz09"),
            ("https://example.com/%2d%2E%5f%7E", "https://example.com/-._~"),
            ("https://example.com/a%2fb", "https://example.com/a%2Fb"),
            ("https://example.com/a%3fb%23c", "https://example.com/a%3Fb%23c"),
            ("https://example.com/a%c3%a9", "https://example.com/a%C3%A9"),
            ("https://example.com/aé", "https://example.com/a%C3%A9"),
            ("https://example.com/日本", "https://example.com/%E6%97%A5%E6%9C%AC"),
            ("https://example.com/a b", "https://example.com/a%20b"),
            ("https://example.com/a+b", "https://example.com/a+b"),
            ("https://example.com/a%2Bb", "https://example.com/a%2Bb"),
            ("https://example.com/<\"`{|}^>", "https://example.com/%3C%22%60%7B%7C%7D%5E%3E"),
            ("https://example.com/a[1]", "https://example.com/a%5B1%5D"),
            ("https://example.com/!$&'()*+,;=:@", "https://example.com/!$&'()*+,;=:@"),
            ("https://example.com/100%", "https://example.com/100%25"),
            ("https://example.com/%zz", "https://example.com/%25zz"),
            ("https://example.com/%%34%31", "https://example.com/%2541"),
            ("https://example.com/%2541", "https://example.com/%2541"),
            ("https://example.com/%00", "https://example.com/%00"),
            ("https://example.com/%ff", "https://example.com/%FF"),
            ("https://example.com/?q=%7e%2f", "https://example.com/?q=~%2F"),
            ("https://example.com/?q=é", "https://example.com/?q=%C3%A9"),
            ("https://example.com/?q=a b", "https://example.com/?q=a%20b"),
            ("https://example.com/?q='x'", "https://example.com/?q=%27x%27"),
            ("https://example.com/?a[]=1", "https://example.com/?a%5B%5D=1"),
            ("https://example.com/?a=b?c/d", "https://example.com/?a=b?c/d"),
            ("https://example.com/?q=a\\b", "https://example.com/?q=a%5Cb"),
        ],
    );
}

#[test]
fn tracking_parameters_and_fragments_go_and_the_rest_keeps_its_order() {
    check(
        &NormalRules::default(),
        &[
            ("https://example.com/#top", "https://example.com/"),
            ("https://example.com/a#b?c=d", "https://example.com/a"),
            ("https://example.com/?", "https://example.com/"),
            ("https://example.com/?#", "https://example.com/"),
            ("https://example.com/?b=2&a=1", "https://example.com/?b=2&a=1"),
            ("https://example.com/?utm_source=x", "https://example.com/"),
            ("https://example.com/?b=2&utm_source=x&a=1", "https://example.com/?b=2&a=1"),
            ("https://example.com/?UTM_Medium=x&a", "https://example.com/?a"),
            ("https://example.com/?%75tm_source=x&a=1", "https://example.com/?a=1"),
            ("https://example.com/?fbclid=1&gclid=2&dclid=3&msclkid=4", "https://example.com/"),
            ("https://example.com/?ref=home&id=7", "https://example.com/?id=7"),
            ("https://example.com/?ref", "https://example.com/"),
            ("https://example.com/?reference=7", "https://example.com/?reference=7"),
            ("https://example.com/?xutm_source=7", "https://example.com/?xutm_source=7"),
            ("https://example.com/?a=utm_source=1", "https://example.com/?a=utm_source=1"),
            ("https://example.com/?a=1&a=2", "https://example.com/?a=1&a=2"),
            ("https://example.com/?a=&b", "https://example.com/?a=&b"),
            ("https://example.com/?a=1&&b=2", "https://example.com/?a=1&&b=2"),
            ("https://example.com/?&", "https://example.com/"),
            ("https://example.com/?utm_id=1&", "https://example.com/"),
            ("https://example.com/?=x", "https://example.com/?=x"),
            ("https://example.com/a/?spm=1#x", "https://example.com/a"),
        ],
    );
}

#[test]
fn the_rules_of_a_round_may_differ() {
    let keep = NormalRules { trailing_slash: TrailingSlash::Keep, ..NormalRules::default() };
    check(
        &keep,
        &[
            ("https://example.com/a/", "https://example.com/a/"),
            ("https://example.com/a", "https://example.com/a"),
            ("https://example.com/a/b/..", "https://example.com/a/"),
            ("https://example.com//", "https://example.com//"),
        ],
    );
    let upgrade = NormalRules { upgrade_to_https: true, ..NormalRules::default() };
    check(
        &upgrade,
        &[
            ("http://example.com/a", "https://example.com/a"),
            ("http://example.com:80/", "https://example.com/"),
            ("http://example.com:443/", "https://example.com/"),
            ("http://example.com:8080/", "http://example.com:8080/"),
            ("https://example.com:80/", "https://example.com:80/"),
        ],
    );
    let own = NormalRules {
        tracking_parameters: vec!["session".into(), "x y".into(), "p_*".into()],
        ..NormalRules::default()
    };
    check(
        &own,
        &[
            ("https://example.com/?SESSION=1&utm_id=2", "https://example.com/?utm_id=2"),
            ("https://example.com/?x+y=1&x%20y=2&x=3", "https://example.com/?x=3"),
            ("https://example.com/?p_=1&p_a=2&p=3", "https://example.com/?p=3"),
        ],
    );
}

#[test]
fn a_normal_url_knows_its_parts() {
    let url = NormalRules::default().normalise("http://EXAMPLE.com:8080/a/b?c=/d").unwrap();
    assert_eq!(url.host(), "example.com");
    assert_eq!(url.origin(), "http://example.com:8080");
    assert_eq!(url.path_and_query(), "/a/b?c=/d");
    let address = NormalRules::default().normalise("[2001:db8::1]:8443").unwrap();
    assert_eq!(address.host(), "[2001:db8::1]");
    assert_eq!(address.origin(), "https://[2001:db8::1]:8443");
    assert_eq!(address.path_and_query(), "/");
}
