//! What is on the pages?

use std::fmt::Write;

/// Chance that can be had again.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
}

const SYLLABLES: [&str; 24] = [
    "ba", "con", "de", "el", "fi", "gra", "hol", "in", "jo", "ker", "lan", "mo", "nes", "or", "pre", "qui",
    "ra", "ster", "ti", "un", "ver", "wil", "ment", "er",
];

const END: &str = "</body>";

/// A page grown to `bytes` bytes: what real pages have beside what gives a product away, which is lists of links, pictures,
/// paragraphs and data for scripts, put in before the body's end. The same page always grows in the same way.
#[must_use]
pub fn grow(page: &str, bytes: usize, seed: u64) -> String {
    let (before, end) = page.rfind(END).map_or((page, ""), |at| page.split_at(at));
    let room = bytes.saturating_sub(page.len());
    let mut grown = String::with_capacity(bytes + 512);
    grown.push_str(before);
    // an xorshift never leaves zero
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let full = before.len() + room;
    while grown.len() < full {
        match chance.below(4) {
            0 => links(&mut grown, &mut chance),
            1 => picture(&mut grown, &mut chance),
            2 => data(&mut grown, &mut chance),
            _ => paragraph(&mut grown, &mut chance),
        }
    }
    // everything written here is ASCII, so it may be cut anywhere
    grown.truncate(full.max(before.len()));
    grown.push_str(end);
    grown
}

fn word(to: &mut String, chance: &mut Chance) {
    for _ in 0..2 + chance.below(3) {
        to.push_str(SYLLABLES[chance.below(SYLLABLES.len())]);
    }
}

fn words(to: &mut String, chance: &mut Chance, count: usize) {
    for _ in 0..count {
        word(to, chance);
        to.push(' ');
    }
}

fn paragraph(to: &mut String, chance: &mut Chance) {
    to.push_str("<p class=\"text\">");
    let count = 25 + chance.below(40);
    words(to, chance, count);
    to.push_str("</p>\n");
}

fn links(to: &mut String, chance: &mut Chance) {
    to.push_str("<ul class=\"menu menu--wide\">\n");
    for _ in 0..6 {
        put(to, format_args!("<li class=\"menu__item\"><a href=\"/{}/", chance.below(900)));
        word(to, chance);
        to.push_str("\">");
        words(to, chance, 2);
        to.push_str("</a></li>\n");
    }
    to.push_str("</ul>\n");
}

fn picture(to: &mut String, chance: &mut Chance) {
    let (number, width) = (chance.below(1_000_000), 100 + chance.below(1_100));
    put(
        to,
        format_args!(
            "<figure><img loading=\"lazy\" src=\"/media/{number}-{width}.jpg\" width=\"{width}\" alt=\""
        ),
    );
    words(to, chance, 4);
    to.push_str("\"></figure>\n");
}

fn data(to: &mut String, chance: &mut Chance) {
    to.push_str("<script type=\"application/json\">{\"items\":[");
    for number in 0..8 {
        let comma = if number > 0 { "," } else { "" };
        put(to, format_args!("{comma}{{\"id\":{},\"name\":\"", chance.below(10_000_000)));
        word(to, chance);
        put(to, format_args!("\",\"price\":{}.{:02}}}", chance.below(500), chance.below(100)));
    }
    to.push_str("]}</script>\n");
}

fn put(to: &mut String, text: std::fmt::Arguments<'_>) {
    to.write_fmt(text).expect("a String takes all that is written to it");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_grows_to_its_size_before_its_end_and_always_in_the_same_way() {
        let page = "<html><body><p>é</p></body></html>";
        let grown = grow(page, 50_000, 7);
        assert_eq!(grown.len(), 50_000);
        assert!(grown.starts_with("<html><body><p>é</p>") && grown.ends_with("</body></html>"));
        assert_eq!(grown, grow(page, 50_000, 7));
        assert_ne!(grown, grow(page, 50_000, 8));
        assert_eq!(grow(page, 10, 7), page);
    }
}
