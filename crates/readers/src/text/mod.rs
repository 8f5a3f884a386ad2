//! In which characters is a body written, and what is its text?
//!
//! The order of belief is a browser's: a byte order mark, the `Content-Type` header, the page's own declaration, and
//! then a guess from the bytes.

mod prescan;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// How much of a body a guess is made from.
const GUESSED_BYTES: usize = 64 * 1024;
/// How much of a page is searched for a declaration, as the HTML standard has it.
const PRESCANNED_BYTES: usize = 1024;

/// The name of the character set in which a body is written, as the Encoding standard spells it (`UTF-8`,
/// `windows-1252`, `Shift_JIS`).
#[must_use]
pub fn detect_charset(content_type: Option<&str>, body: &[u8]) -> &'static str {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return encoding.name();
    }
    let declared = content_type.and_then(charset_of_header).or_else(|| {
        let start = &body[..body.len().min(PRESCANNED_BYTES)];
        if may_be_markup(content_type) { prescan::declared_encoding(start) } else { None }
    });
    declared.unwrap_or_else(|| guess(body)).name()
}

/// The text of a body in this character set; what makes no sense in it becomes U+FFFD, and a byte order mark is left
/// out. A name that nobody knows is read as UTF-8.
#[must_use]
pub fn decode_text<'a>(body: &'a [u8], charset: &str) -> Cow<'a, str> {
    let encoding = Encoding::for_label(charset.as_bytes()).unwrap_or(UTF_8);
    encoding.decode_with_bom_removal(body).0
}

/// The `charset` parameter of a `Content-Type`, quoted or not.
fn charset_of_header(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        if !name.trim().eq_ignore_ascii_case("charset") {
            return None;
        }
        Encoding::for_label_no_replacement(value.trim().trim_matches(['"', '\'']).as_bytes())
    })
}

/// Only markup declares its encoding within; a plain text may quote such a declaration without meaning it.
fn may_be_markup(content_type: Option<&str>) -> bool {
    let Some(content_type) = content_type else { return true };
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.is_empty() || essence.contains("html") || essence.contains("xml")
}

fn guess(body: &[u8]) -> &'static Encoding {
    let start = &body[..body.len().min(GUESSED_BYTES)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let beyond_ascii = detector.feed(start, start.len() == body.len());
    // What is ASCII so far is most likely UTF-8 where it stops being so.
    if beyond_ascii { detector.guess(None, Utf8Detection::Allow) } else { UTF_8 }
}

#[cfg(test)]
mod tests;
