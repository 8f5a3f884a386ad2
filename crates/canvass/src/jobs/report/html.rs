//! How does text become HTML that says the same and does nothing?

use std::fmt;

/// Text that is safe between tags and in quoted attributes, whatever a page or a file said.
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(|c: char| matches!(c, '&' | '<' | '>' | '"' | '\'') || is_hidden(c)) {
            f.write_str(&rest[..at])?;
            let special = rest[at..].chars().next().unwrap_or_default();
            f.write_str(match special {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                '\'' => "&#39;",
                _ => "\u{fffd}",
            })?;
            rest = &rest[at + special.len_utf8()..];
        }
        f.write_str(rest)
    }
}

/// Whether a character could make text look like other text: controls, and marks that turn the direction of writing.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Appends formatted HTML.
macro_rules! put {
    ($to:expr, $($text:tt)*) => {{
        use std::fmt::Write as _;
        write!($to, $($text)*).expect("a String takes all that is written to it")
    }};
}
pub(super) use put;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_opens_a_tag_or_leaves_its_quotes() {
        let hostile = "</td><script>alert('x')</script>\" onload=\"y & \u{202e}\u{0}";
        let safe = Text(hostile).to_string();
        assert!(!safe.contains(['<', '>', '"', '\'', '\u{202e}', '\u{0}']), "{safe}");
        assert_eq!(Text("Müller & Söhne\n").to_string(), "Müller &amp; Söhne\n");
    }
}
