//! Does an element fit a selector?
//!
//! Nineteen of twenty selectors in use are one compound (`a.b[c="d"]`), which the element's own tag decides. Such a
//! selector is searched by a literal that its tag must hold, and then the tag is read. Combinators need the element's
//! ancestors, which a pass without a tree does not have: they are refused when the rule is loaded, and it is said.

use super::{grams::commonness, parts::Attributes};

/// How far before a hit its tag may begin.
const MAX_TAG_BEFORE: usize = 8 << 10;
/// A selector does not ask for more.
const MAX_TESTS: usize = 32;
/// How much of a tag is read.
const MAX_TAG_BYTES: usize = 16 << 10;

/// A compound selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    tag: Option<String>,
    tests: Vec<Test>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Test {
    attribute: String,
    operator: Operator,
    value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Exists,
    Equals,
    Starts,
    Ends,
    Contains,
    Word,
    Dash,
}

/// Why a selector cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// It speaks of an element's relatives.
    #[error("`{0}` asks for an element's relatives, which a page read without a tree does not know")]
    Combinator(String),
    /// It asks what only a browser knows.
    #[error("`{0}` has a pseudo class, which only a browser can answer")]
    Pseudo(String),
    /// It is not a selector.
    #[error("`{0}` is not a selector")]
    Bad(String),
}

impl Selector {
    /// Reads a list of compounds.
    pub fn parse_list(text: &str) -> Result<Vec<Selector>, SelectorError> {
        split_list(text).into_iter().map(Selector::parse).collect()
    }

    fn parse(text: &str) -> Result<Selector, SelectorError> {
        let bad = || SelectorError::Bad(text.to_owned());
        let mut selector = Selector { tag: None, tests: Vec::new() };
        let trimmed = text.trim();
        let mut rest = trimmed;
        while let Some(first) = rest.chars().next() {
            match first {
                '#' | '.' => {
                    let (name, behind) = identifier(&rest[1..]).ok_or_else(bad)?;
                    let (attribute, operator) =
                        if first == '#' { ("id", Operator::Equals) } else { ("class", Operator::Word) };
                    selector.tests.push(Test { attribute: attribute.to_owned(), operator, value: name });
                    rest = behind;
                }
                '[' => {
                    let (test, behind) = attribute_test(rest).ok_or_else(bad)?;
                    selector.tests.push(test);
                    rest = behind;
                }
                '*' if rest.len() == trimmed.len() => rest = &rest[1..],
                ':' => return Err(SelectorError::Pseudo(trimmed.to_owned())),
                ' ' | '>' | '+' | '~' | '\t' | '\n' => {
                    return Err(SelectorError::Combinator(trimmed.to_owned()));
                }
                _ if rest.len() == trimmed.len() => {
                    let (name, behind) = identifier(rest).ok_or_else(bad)?;
                    selector.tag = Some(name.to_ascii_lowercase());
                    rest = behind;
                }
                _ => return Err(bad()),
            }
        }
        let sensible =
            (selector.tag.is_some() || !selector.tests.is_empty()) && selector.tests.len() < MAX_TESTS;
        if sensible { Ok(selector) } else { Err(bad()) }
    }

    /// The rarest literal that the tag of a fitting element holds, in lower case.
    #[must_use]
    pub fn needle(&self) -> Vec<u8> {
        let tag = self.tag.as_ref().map(|tag| format!("<{tag}"));
        self.tests
            .iter()
            .flat_map(|test| [Some(test.attribute.clone()), Some(test.value.clone())])
            .chain([tag])
            .flatten()
            .map(|literal| literal.to_ascii_lowercase().into_bytes())
            .min_by_key(|literal| (commonness(literal), std::cmp::Reverse(literal.len())))
            .unwrap_or_default()
    }

    /// Whether the element whose tag holds the byte at `at` fits; if so, where its tag begins. Adds to `cost` how many
    /// bytes it looked at.
    pub fn fits(&self, html: &[u8], at: usize, cost: &mut usize) -> Option<usize> {
        let start = tag_around(html, at)?;
        *cost += at - start;
        let name_end = name_end(html, start);
        if let Some(tag) = &self.tag
            && !html[start + 1..name_end].eq_ignore_ascii_case(tag.as_bytes())
        {
            return None;
        }
        let mut open = (1u64 << self.tests.len()) - 1;
        let mut attributes = Attributes::new(html, name_end);
        while let Some((key, value)) = attributes.next() {
            if value.end - start > MAX_TAG_BYTES {
                break;
            }
            for (place, test) in self.tests.iter().enumerate() {
                let fits = open >> place & 1 != 0
                    && html[key.clone()].eq_ignore_ascii_case(test.attribute.as_bytes())
                    && test.holds(&html[value.clone()]);
                open &= !(u64::from(fits) << place);
            }
        }
        *cost += attributes.at - start;
        (open == 0).then_some(start)
    }
}

/// The value of an attribute of the tag that begins at `start`.
#[must_use]
pub fn attribute_of(html: &[u8], start: usize, name: &str) -> Option<std::ops::Range<usize>> {
    Attributes::new(html, name_end(html, start)).find(name.as_bytes())
}

/// The text between the tag that begins at `start` and the next one.
#[must_use]
pub fn text_behind(html: &[u8], start: usize) -> std::ops::Range<usize> {
    let mut attributes = Attributes::new(html, name_end(html, start));
    while attributes.next().is_some() {}
    let from = attributes.at;
    from..memchr::memchr(b'<', &html[from..]).map_or(html.len(), |end| from + end)
}

fn name_end(html: &[u8], start: usize) -> usize {
    let name =
        html[start + 1..].iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
    name.map_or(html.len(), |end| start + 1 + end)
}

/// Where the tag that holds the byte at `at` begins.
fn tag_around(html: &[u8], at: usize) -> Option<usize> {
    let from = at.saturating_sub(MAX_TAG_BEFORE);
    let start = from + memchr::memrchr(b'<', html.get(from..=at)?)?;
    html.get(start + 1).is_some_and(u8::is_ascii_alphabetic).then_some(start)
}

impl Test {
    fn holds(&self, value: &[u8]) -> bool {
        let wanted = self.value.as_bytes();
        let same = |one: &[u8]| one.eq_ignore_ascii_case(wanted);
        match self.operator {
            Operator::Exists => true,
            Operator::Equals => same(value),
            Operator::Starts => value.get(..wanted.len()).is_some_and(same),
            Operator::Ends => value.len().checked_sub(wanted.len()).is_some_and(|from| same(&value[from..])),
            Operator::Contains => value.windows(wanted.len().max(1)).any(same),
            Operator::Word => value.split(u8::is_ascii_whitespace).any(same),
            Operator::Dash => {
                same(value) || (value.get(wanted.len()) == Some(&b'-') && same(&value[..wanted.len()]))
            }
        }
    }
}

/// Splits at commas that are not within brackets or quotes.
fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut quote, mut depth) = (Vec::new(), 0, None, 0i32);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// A name and what stands behind it; a backslash takes the next character as it is.
fn identifier(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => name.push(letters.next()?.1),
            _ if letter.is_alphanumeric() || matches!(letter, '-' | '_') => name.push(letter),
            _ => return (!name.is_empty()).then_some((name, &text[at..])),
        }
    }
    (!name.is_empty()).then_some((name, ""))
}

fn attribute_test(text: &str) -> Option<(Test, &str)> {
    let text = text[1..].trim_start();
    // frameworks put colons, dots and signs into names, which a selector should escape and often does not
    let end = text.find(|letter: char| letter.is_whitespace() || "]=^$*~|".contains(letter))?;
    let (attribute, rest) = (text[..end].replace('\\', ""), text[end..].trim_start());
    if attribute.is_empty() {
        return None;
    }
    if let Some(behind) = rest.strip_prefix(']') {
        return Some((Test { attribute, operator: Operator::Exists, value: String::new() }, behind));
    }
    let (operator, rest) = match rest.split_at_checked(1)? {
        ("=", rest) => (Operator::Equals, rest),
        (mark, rest) => {
            let operator = match mark {
                "^" => Operator::Starts,
                "$" => Operator::Ends,
                "*" => Operator::Contains,
                "~" => Operator::Word,
                "|" => Operator::Dash,
                _ => return None,
            };
            (operator, rest.strip_prefix('=')?)
        }
    };
    let rest = rest.trim_start();
    let (value, rest) = match rest.chars().next()? {
        quote @ ('"' | '\'') => {
            let (value, behind) = rest[1..].split_once(quote)?;
            (value.replace('\\', ""), behind)
        }
        _ => {
            let end = rest.find(|letter: char| letter == ']' || letter.is_whitespace())?;
            (rest[..end].to_owned(), &rest[end..])
        }
    };
    // a flag that asks for case to be ignored changes nothing: it always is
    let behind = rest.trim_start().trim_start_matches(['i', 'I', 's', 'S']).trim_start().strip_prefix(']')?;
    Some((Test { attribute, operator, value }, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(selector: &str, html: &str) -> bool {
        let selectors = Selector::parse_list(selector).unwrap();
        (0..html.len()).any(|at| selectors.iter().any(|one| one.fits(html.as_bytes(), at, &mut 0).is_some()))
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
        ] {
            assert_eq!(fits(selector, html), expected, "{selector}");
        }
    }

    #[test]
    fn what_needs_a_tree_or_a_browser_is_refused_by_name() {
        assert!(matches!(Selector::parse_list("div > a"), Err(SelectorError::Combinator(_))));
        assert!(matches!(Selector::parse_list("a:hover"), Err(SelectorError::Pseudo(_))));
        for bad in ["", "[", "a[b", "a[b=]c", "..", "#"] {
            assert!(Selector::parse_list(bad).is_err(), "{bad}");
        }
    }
}
