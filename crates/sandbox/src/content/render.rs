//! How does a page look in HTML?

use std::fmt::Write as _;

use super::{Organisation, PageTruth, languages::LANGUAGES};
use crate::chance::Chance;

/// A whole page: metadata, Open Graph, JSON-LD, planted technologies, and running text about the page's topics.
pub(super) fn page(
    host: &str,
    path: &str,
    of: &Organisation,
    truth: &PageTruth,
    chance: &mut Chance,
) -> String {
    let PageTruth { title, description, language, organisation, category, topics, .. } = truth;
    let section = category.vocabulary().section;
    let mut html = String::with_capacity(16 * 1024);
    put(
        &mut html,
        format_args!(
            "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
             <meta name=\"description\" content=\"{description}\">\n\
             <meta name=\"keywords\" content=\"{}\">\n\
             <meta property=\"og:title\" content=\"{title}\">\n<meta property=\"og:type\" content=\"website\">\n\
             <meta property=\"og:site_name\" content=\"{organisation}\">\n\
             <meta property=\"og:url\" content=\"http://{host}{path}\">\n\
             <meta property=\"og:image\" content=\"http://{host}/static/cover.jpg\">\n\
             <link rel=\"canonical\" href=\"http://{host}{path}\">\n\
             <script type=\"application/ld+json\">\n{}\n</script>\n{}</head>\n<body>\n",
            topics.join(", "),
            json_ld(host, path, truth),
            of.head_pieces(path),
        ),
    );
    put(
        &mut html,
        format_args!(
            "<header><nav><a href=\"/\">{organisation}</a> <a href=\"/about\">About</a> <a href=\"/contact\">Contact</a> \
             <a href=\"/{section}/3\">{section}</a> <a href=\"/{section}/4\">{section}</a></nav></header>\n<main>\n<h1>{title}</h1>\n"
        ),
    );
    if let Some(offer) = &truth.listing {
        put(
            &mut html,
            format_args!(
                "<p class=\"offer\" data-id=\"{}\" data-status=\"{}\"><b>{}.{:02} {}</b> {}</p>\n",
                offer.id,
                offer.status,
                offer.price_cents / 100,
                offer.price_cents % 100,
                offer.currency,
                if offer.status == "sold" { "Sold" } else { "Available" },
            ),
        );
    }
    // Most pages are short and a few are long, as on the web.
    let paragraphs = if chance.below(8) == 0 { chance.between(60, 110) } else { chance.between(4, 40) };
    for _ in 0..paragraphs {
        html.push_str("<p>");
        running_text(&mut html, of.language.words, topics, chance);
        html.push_str("</p>\n");
    }
    put(
        &mut html,
        format_args!(
            "</main>\n<footer>© {organisation}, {}</footer>\n{}</body>\n</html>\n",
            chance.between(2009, 2025),
            of.body_pieces(path),
        ),
    );
    html
}

/// A few sentences of one language, in which a topic comes up now and then.
fn running_text(html: &mut String, words: &[&str], topics: &[String], chance: &mut Chance) {
    for _ in 0..chance.between(2, 6) {
        for position in 0..chance.between(6, 18) {
            if position > 0 {
                html.push(' ');
            }
            if chance.below(9) == 0 && !topics.is_empty() {
                html.push_str(&topics[chance.below(topics.len())]);
            } else {
                html.push_str(chance.pick(words));
            }
        }
        html.push_str(". ");
    }
}

fn json_ld(host: &str, path: &str, truth: &PageTruth) -> String {
    let mut graph = vec![serde_json::json!({
        "@context": "https://schema.org",
        "@type": truth.category.vocabulary().schema_type,
        "name": truth.organisation,
        "url": format!("http://{host}/"),
        "description": truth.description,
    })];
    if let Some(offer) = &truth.listing {
        let availability = if offer.status == "sold" { "SoldOut" } else { "InStock" };
        graph.push(serde_json::json!({
            "@context": "https://schema.org",
            "@type": "Product",
            "name": truth.title,
            "sku": offer.id,
            "offers": {
                "@type": "Offer",
                "url": format!("http://{host}{path}"),
                "price": format!("{}.{:02}", offer.price_cents / 100, offer.price_cents % 100),
                "priceCurrency": offer.currency,
                "availability": format!("https://schema.org/{availability}"),
            },
        }));
    }
    serde_json::Value::from(graph).to_string()
}

/// The shell of a page that a script fills.
pub(super) fn shell(truth: &PageTruth, head: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n{head}</head>\n<body>\n\
         <noscript>You need to enable JavaScript to run this app.</noscript>\n<div id=\"root\"></div>\n\
         <script>\nfetch('/api/page').then(function (answer) {{ return answer.text(); }}).then(function (text) {{\n  \
         document.getElementById('root').textContent = text;\n}});\n</script>\n</body>\n</html>\n",
        truth.language, truth.organisation,
    )
}

/// A page of given words and nothing else, with `head` inside its head element.
pub(crate) fn words_page(title: &str, head: &str, words: &[&str], seed: u64) -> String {
    let mut chance = Chance::new(seed, 5);
    let mut html =
        format!("<!doctype html>\n<html>\n<head>\n{head}<title>{title}</title>\n</head>\n<body>\n");
    for _ in 0..12 {
        html.push_str("<p>");
        running_text(&mut html, words, &[], &mut chance);
        html.push_str("</p>\n");
    }
    html.push_str("</body>\n</html>\n");
    html
}

/// A page that says one sentence, long enough not to count as next to nothing.
pub(crate) fn plain_page(title: &str, sentence: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<p>{sentence}</p>\n</body>\n</html>\n"
    )
}

/// A page of exactly `bytes` bytes whose text compresses about as real pages do (to 36 % by gzip at 48.8 KB).
pub(crate) fn uniform_page(bytes: usize, seed: u64) -> String {
    let mut chance = Chance::new(seed, 6);
    let rare: Vec<String> = (0..6_000).map(|_| rare_word(&mut chance)).collect();
    let common = LANGUAGES[0].words;
    let mut html = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Page</title></head>\n<body>\n",
    );
    const TAIL: &str = "</p>\n</body>\n</html>\n";
    while html.len() + TAIL.len() < bytes {
        put(&mut html, format_args!("<p class=\"text\"><a href=\"/p/{}\">", chance.below(100_000)));
        for position in 0..chance.between(20, 60) {
            let word =
                if chance.below(100) < 62 { chance.pick(common) } else { &rare[chance.below(rare.len())] };
            html.push_str(word);
            html.push_str(if position == 2 { "</a> " } else { " " });
        }
        html.push_str("</p>\n");
    }
    html.truncate(bytes.saturating_sub(TAIL.len()));
    html.push_str(TAIL);
    html.truncate(bytes);
    html
}

fn rare_word(chance: &mut Chance) -> String {
    const SYLLABLES: &[&str] = &[
        "ba", "con", "de", "el", "fi", "gra", "hol", "in", "jo", "ker", "lan", "mo", "nes", "or", "pre",
        "qui", "ra", "ster", "ti", "un", "ver", "wil", "xen", "yar", "zo", "ment", "tion", "ly", "er", "al",
    ];
    (0..chance.between(2, 4)).map(|_| chance.pick(SYLLABLES)).collect()
}

fn put(html: &mut String, text: std::fmt::Arguments<'_>) {
    html.write_fmt(text).expect("a String takes all that is written to it");
}
