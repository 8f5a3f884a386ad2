//! Do the laws of the normal form hold for whatever comes?

use proptest::{prelude::*, sample::select};
use url::Url;

use crate::normal::{NormalRules, TrailingSlash, fast, rebuild};

const SCHEMES: &[&str] =
    &["https://", "http://", "HTTP://", "", "//", "https:", "http:/", "ftp://", "https:\\\\", " https://"];
const HOSTS: &[&str] = &[
    "example.com",
    "Example.COM",
    "www.example.com.",
    "bücher.example",
    "xn--bcher-kva.example",
    "faß.de",
    "127.0.0.1",
    "0x7f.1",
    "1.2.3.4.",
    "[::1]",
    "[2001:DB8::A]",
    "localhost",
    "a_b.example",
    "-a-.example",
    "a--b.example",
    "例え.テスト",
    "user@example.com",
    "a..b",
    "ａ.com",
    "xn--a.com",
    "1.example.5x",
    "a.0x",
    "a.b.",
    "x.0xg",
    "\u{200d}a.com",
    "a%2eb.com",
];
const PORTS: &[&str] = &["", "", "", ":80", ":443", ":8080", ":0", ":", ":x"];
const PIECES: &[&str] = &[
    "/", "//", "/.", "/..", "/%2e", "/%2E.", "/a", "/A.b", "/...", "/.a", "%", "%4", "%41", "%%34%31", "%2f",
    "%zz", "é", "\\", " ", "'", "[", "|", "^", "~", "%7e", ":", "@", "+", "*", "日", "\u{feff}", ";x=1",
    "%c3%a9",
];
const PARAMETERS: &[&str] = &[
    "a=1",
    "utm_source=x",
    "UTM_x",
    "%75tm_y=1",
    "ref=2",
    "",
    "=",
    "b",
    "a=%7E",
    "q='x'",
    "ref%",
    "p=a+b",
    "x=é",
    "s[]=?",
    "fbclid",
    "%2575tm_x=1",
    "y=%zz",
    "z=a/b:c@d",
];

fn spelt_urls() -> impl Strategy<Value = String> {
    let path = prop::collection::vec(select(PIECES), 0..7).prop_map(|pieces| pieces.concat());
    let query =
        prop::option::of(prop::collection::vec(select(PARAMETERS), 0..5).prop_map(|all| all.join("&")));
    let fragment = prop::option::of(select(&["", "top", "a?b#c"][..]));
    (select(SCHEMES), select(HOSTS), select(PORTS), path, query, fragment).prop_map(
        |(scheme, host, port, path, query, fragment)| {
            let mut url = format!("{scheme}{host}{port}{path}");
            if let Some(query) = query {
                url.push('?');
                url.push_str(&query);
            }
            if let Some(fragment) = fragment {
                url.push('#');
                url.push_str(fragment);
            }
            url
        },
    )
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => spelt_urls(),
        1 => any::<String>(),
        1 => "https?://[a-z0-9._-]{1,12}[/a-z.%?&=#]{0,20}",
        1 => "https?://\\PC{1,8}/\\PC{0,12}",
    ]
}

fn any_rules() -> impl Strategy<Value = NormalRules> {
    (any::<bool>(), any::<bool>()).prop_map(|(keep, upgrade_to_https)| NormalRules {
        trailing_slash: if keep { TrailingSlash::Keep } else { TrailingSlash::Strip },
        upgrade_to_https,
        ..NormalRules::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_normal_form_is_a_fixed_point_that_a_browser_would_not_change(raw in any_text(), rules in any_rules()) {
        let Ok(url) = rules.normalise(&raw) else { return Ok(()) };
        let again = rules.normalise(url.as_str());
        prop_assert_eq!(again.as_ref(), Ok(&url), "not idempotent for {:?}", raw);

        let parsed = Url::parse(url.as_str()).expect("a normal URL parses");
        prop_assert_eq!(parsed.as_str(), url.as_str());
        prop_assert_eq!(parsed.host_str(), Some(url.host()));
        prop_assert!(url.host().bytes().all(|b| b.is_ascii_graphic() && !b.is_ascii_uppercase()));
        prop_assert!(url.as_str().is_ascii() && url.as_str().len() <= rules.max_length);
        prop_assert_eq!(format!("{}{}", url.origin(), url.path_and_query()), url.as_str());
    }

    #[test]
    fn the_short_way_answers_what_the_long_way_answers(raw in any_text(), rules in any_rules()) {
        if let Some(short) = fast::already_normal(&rules, &raw) {
            prop_assert_eq!(rebuild::rebuild(&rules, &raw), Ok(short));
        }
    }
}
