//! How is a selector written?

use super::{Compound, Operator, Relation, Selector, SelectorError, Test};

/// A selector does not ask for more.
const MAX_TESTS: usize = 32;
/// Nor of more relatives.
const MAX_RELATIVES: usize = 8;

impl Selector {
    /// Reads a list of selectors.
    ///
    /// # Errors
    /// If one of them is none, or asks what cannot be answered.
    pub fn parse_list(text: &str) -> Result<Vec<Selector>, SelectorError> {
        split_list(text).into_iter().map(|one| Selector::parse(one.trim())).collect()
    }

    fn parse(text: &str) -> Result<Selector, SelectorError> {
        let bad = || SelectorError::Bad(text.to_owned());
        let (mut subject, mut rest) = compound(text, text)?;
        let mut relatives = Vec::new();
        while !rest.is_empty() {
            let (relation, behind) = relation(rest).ok_or_else(bad)?;
            let (next, behind) = compound(behind, text)?;
            relatives.insert(0, (relation, std::mem::replace(&mut subject, next)));
            rest = behind;
        }
        if relatives.len() <= MAX_RELATIVES { Ok(Selector { subject, relatives }) } else { Err(bad()) }
    }
}

/// What stands between two compounds.
fn relation(text: &str) -> Option<(Relation, &str)> {
    let behind = text.trim_start();
    let relation = match behind.chars().next()? {
        '>' => Relation::Child,
        '+' => Relation::Next,
        '~' => Relation::Later,
        _ if behind.len() < text.len() => return Some((Relation::Descendant, behind)),
        _ => return None,
    };
    Some((relation, behind[1..].trim_start()))
}

/// One compound and what stands behind it; `whole` is for the error.
fn compound<'a>(text: &'a str, whole: &str) -> Result<(Compound, &'a str), SelectorError> {
    let bad = || SelectorError::Bad(whole.to_owned());
    let mut found = Compound::default();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match first {
            '#' | '.' => {
                let (name, behind) = identifier(&rest[1..]).ok_or_else(bad)?;
                let (attribute, operator) =
                    if first == '#' { ("id", Operator::Equals) } else { ("class", Operator::Word) };
                found.tests.push(Test { attribute: attribute.to_owned(), operator, value: name });
                rest = behind;
            }
            '[' => {
                let (test, behind) = attribute_test(rest).ok_or_else(bad)?;
                found.tests.push(test);
                rest = behind;
            }
            '*' if rest.len() == text.len() => rest = &rest[1..],
            ':' => {
                let inner = rest.strip_prefix(":not(").and_then(|inner| inner.split_once(')'));
                let (inner, behind) = inner.ok_or_else(|| SelectorError::Pseudo(whole.to_owned()))?;
                match compound(inner.trim(), whole)? {
                    (denied, "") if denied.not.is_empty() => found.not.push(denied),
                    _ => return Err(SelectorError::Pseudo(whole.to_owned())),
                }
                rest = behind;
            }
            '>' | '+' | '~' => break,
            _ if first.is_whitespace() => break,
            _ if rest.len() == text.len() => {
                let (name, behind) = identifier(rest).ok_or_else(bad)?;
                found.tag = Some(name.to_ascii_lowercase());
                rest = behind;
            }
            _ => return Err(bad()),
        }
    }
    let sensible = rest.len() < text.len() && found.tests.len() < MAX_TESTS && found.not.len() < MAX_TESTS;
    if sensible { Ok((found, rest)) } else { Err(bad()) }
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
