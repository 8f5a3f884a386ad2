use super::{super::parts::Parts, *};

fn fits(selector: &str, html: &str) -> bool {
    let selectors = Selector::parse_list(selector).unwrap();
    let html = html.as_bytes();
    let (mut parts, mut tree) = (Parts::default(), Tree::default());
    parts.scan(html);
    tree.build(html, &parts);
    let mut tag = Tag::default();
    (0..tree.len()).any(|place| {
        tag.read_at(html, tree.start(place));
        selectors.iter().any(|one| one.fits(html, &tag) && one.relatives_fit(html, &tree, place, &mut 0))
    })
}

#[test]
fn compounds_are_decided_by_the_elements_own_tag() {
    let html = r#"<p>x</p><DIV id="Root" class='a  wide b' data-x=7 wire:id="4" href="https://a.example/v/2.1.js" hidden>"#;
    for (selector, expected) in [
        ("div", true),
        ("*[hidden]", true),
        ("span", false),
        ("#root.wide", true),
        (".wid", false),
        ("div[data-x='7'].b", true),
        ("[data-x=8]", false),
        ("[href^='https://a.']", true),
        ("[href$=\".js\"][href*='/v/']", true),
        ("[class~=wide]", true),
        ("[wire:id]", true),
        (r"[wire\:id='4']", true),
        ("span, [hidden]", true),
        ("[lang|=en]", false),
        ("div:not(.wide)", false),
        ("div:not(.narrow):not(p)", true),
    ] {
        assert_eq!(fits(selector, html), expected, "{selector}");
    }
}

#[test]
fn relatives_are_found_by_who_encloses_whom() {
    let html = r#"<html><head><title>t</title></head><body><div id=a><br><p>one<p>two <a href=x><img src=y></a></div>
        <ul><li>1<li class=last>2</ul><footer><div><form name=f></form></div></footer><!-- <i><b></b></i> -->
        <script>"<u><s></s></u>"</script></body></html>"#;
    for (selector, expected) in [
        ("head > title", true),
        ("body > title", false),
        ("a[href=x] > img", true),
        ("#a img", true),
        ("#a > img", false),
        ("div > p > a > img[src=y]", true),
        ("p + p", true),
        ("br ~ p", true),
        ("br > p", false),
        ("li + li.last", true),
        ("li li", false),
        ("ul li + .last", true),
        ("footer > div > form", true),
        ("footer + div", false),
        ("ul ~ footer form", true),
        ("i > b", false),
        ("u > s", false),
        ("body * form", true),
        ("p:not(.x) > a", true),
        ("section > a, head > title", true),
    ] {
        assert_eq!(fits(selector, html), expected, "{selector}");
    }
}

#[test]
fn what_needs_a_browser_is_refused_by_name() {
    for pseudo in ["a:hover", "div:has(a)", "a:not(b c)", "li:not(:first-child)", "p::before"] {
        assert!(matches!(Selector::parse_list(pseudo), Err(SelectorError::Pseudo(_))), "{pseudo}");
    }
    for bad in ["", "[", "a[b", "a[b=]c", "..", "#", "a >", "> a", "a > > b", "a,", "a b{"] {
        assert!(Selector::parse_list(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_hit_is_in_the_last_tag_before_it_or_in_the_text_behind_that() {
    let html = b"text <a title='x > y'>inner</a> tail <b>bold 5 < 6 bold</b>";
    let mut tag = Tag::default();
    let mut cost = 0;
    for (needle, expected) in [
        ("text", None),
        ("title", Some((5, Place::Inside))),
        ("y'", Some((5, Place::Inside))),
        ("inner", Some((5, Place::Behind))),
        ("tail", None),
        ("bold 5", Some((37, Place::Behind))),
        ("6 bold", None),
    ] {
        let at = memchr::memmem::find(html, needle.as_bytes()).unwrap();
        let found = tag.read_around(html, at, &mut cost).map(|place| (tag.start(), place));
        assert_eq!(found, expected, "{needle}");
        let afresh = Tag::default().read_around(html, at, &mut 0);
        assert_eq!(afresh, expected.map(|(_, place)| place), "{needle}");
    }
}
