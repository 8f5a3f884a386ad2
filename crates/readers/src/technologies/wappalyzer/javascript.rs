//! What does a JavaScript regular expression mean in ours?
//!
//! The two languages look alike and differ in corners: `\A` and `\<` are the letters there, `{` may stand for itself, a
//! class may hold a bare `[`, `[^]` is any character. Look-around is left as it is.

/// The same expression in the syntax of the `regex` and `fancy-regex` crates.
#[must_use]
pub fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut letters = pattern.char_indices().peekable();
    let mut in_class = false;
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some((_, escaped)) => {
                    let rest = &pattern[at + 1..];
                    let used = push_escape(&mut out, escaped, rest, in_class);
                    for _ in 1..used {
                        letters.next();
                    }
                }
                None => out.push_str(r"\\"),
            },
            '[' if in_class => out.push_str(r"\["),
            '[' if pattern[at..].starts_with("[^]") => {
                out.push_str(r"(?s:.)");
                letters.next();
                letters.next();
            }
            '[' if pattern[at..].starts_with("[]") => {
                // nothing is in it, so nothing matches
                out.push_str(r"[^\x00-\xff]");
                letters.next();
            }
            '[' => {
                in_class = true;
                out.push('[');
                if letters.next_if(|(_, next)| *next == '^').is_some() {
                    out.push('^');
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            ']' => out.push_str(r"\]"),
            // two of them in a row are an operator in our classes
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(letter);
            }
            '-' if in_class && pattern[at + 1..].starts_with('-') => out.push_str(r"\-"),
            '{' if !in_class && !is_counted(&pattern[at..]) => out.push_str(r"\{"),
            '}' if !in_class && !ends_count(&pattern[..at]) => out.push_str(r"\}"),
            _ => out.push(letter),
        }
    }
    out
}

/// Writes an escape; says how many characters behind the backslash it took.
fn push_escape(out: &mut String, escaped: char, rest: &str, in_class: bool) -> usize {
    match escaped {
        'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 'r' | 't' | 'f' | 'v' | '1'..='9' => {
            out.push('\\');
            out.push(escaped);
            1
        }
        'b' if in_class => {
            out.push_str(r"\x08");
            1
        }
        'b' | 'B' => {
            out.push('\\');
            out.push(escaped);
            1
        }
        '0' => {
            out.push_str(r"\x00");
            1
        }
        'x' | 'u' => {
            let digits = if escaped == 'x' { 2 } else { 4 };
            let code = rest.get(1..=digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
            match code.and_then(char::from_u32) {
                Some(letter) => {
                    push_literal(out, letter);
                    digits + 1
                }
                None => {
                    out.push(escaped);
                    1
                }
            }
        }
        _ => {
            push_literal(out, escaped);
            1
        }
    }
}

/// Writes a character that stands for itself.
fn push_literal(out: &mut String, letter: char) {
    // `\<` and `\>` are edges of words in our syntax
    if letter.is_ascii_punctuation() && !matches!(letter, '<' | '>' | '_') {
        out.push('\\');
    }
    out.push(letter);
}

/// Whether a count such as `{2}`, `{2,}` or `{2,5}` begins here.
fn is_counted(text: &str) -> bool {
    let Some((count, _)) = text[1..].split_once('}') else { return false };
    let (least, most) = count.split_once(',').unwrap_or((count, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && digits(least) && digits(most)
}

/// Whether a `}` behind this closes a count.
fn ends_count(before: &str) -> bool {
    before.rfind('{').is_some_and(|at| {
        let escaped = before[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
        !escaped && is_counted(&format!("{}}}", &before[at..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let translated = translate(pattern);
        fancy_regex::Regex::new(&format!("(?i){translated}"))
            .unwrap_or_else(|error| panic!("{pattern} became {translated}: {error}"))
            .is_match(text)
            .unwrap()
    }

    #[test]
    fn corners_mean_what_they_mean_in_javascript() {
        for (pattern, yes, no) in [
            (r"\APC\b", "APC", "PC"),
            (r"\<script\>", "<script>", "script"),
            (r"a{x", "a{x", "ax"),
            (r"a{2}", "aa", "a{2}"),
            (r"[[x]y", "[y", "]y"),
            (r"a[^]b", "a\nb", "ab"),
            (r"\/v(\d+)\/", "/v3/", "v3"),
            (r"foo(?=bar)", "foobar", "foobaz"),
            (r"(?<!-)\bUPS\b", "by UPS", "x-ups"),
            (r"caf\u00e9", "café", "cafe"),
            (r"[\w-]+\.js", "a-b.js", "!.js"),
            (r"a\_b", "a_b", "ab"),
            (r"[a&&b]", "&", "c"),
            (r"}x]", "}x]", "x"),
            (r#"\"k\":\{"#, r#""k":{"#, "k"),
        ] {
            assert!(matches(pattern, yes), "{pattern} on {yes}: {}", translate(pattern));
            assert!(!matches(pattern, no), "{pattern} on {no}: {}", translate(pattern));
        }
    }
}
