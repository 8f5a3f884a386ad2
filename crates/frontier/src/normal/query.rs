//! Which parameters of a query say what the page is?

use super::{
    NormalRules,
    percent::{Plain, append_normal, leading_encoded},
};

/// What stands for itself in a query: RFC 3986's set without `'`, which WHATWG encodes in the query of a web address.
pub(super) const PLAIN_IN_QUERY: Plain = Plain::unreserved_and(b"!$&()*+,;=:@/?");

/// Appends `?` and what is left of the query when tracking parameters are gone, in its order; nothing if nothing is
/// left.
pub(super) fn append_query(out: &mut String, query: &str, rules: &NormalRules) {
    let begin = out.len();
    let mut something = false;
    for piece in query.split('&') {
        let name = piece.split('=').next().unwrap_or(piece);
        if rules.is_tracking(name.as_bytes()) {
            continue;
        }
        something |= !piece.is_empty();
        out.push(if out.len() == begin { '?' } else { '&' });
        append_normal(out, piece.as_bytes(), &PLAIN_IN_QUERY);
    }
    if !something {
        out.truncate(begin);
    }
}

impl NormalRules {
    /// Whether a parameter's name, as spelt in a query, is one of those to remove.
    pub(super) fn is_tracking(&self, name: &[u8]) -> bool {
        let Some((initial, _)) = leading_octet(name) else { return false };
        self.tracking_parameters.iter().any(|pattern| {
            let pattern = pattern.as_bytes();
            // almost every parameter is told apart by its first letter
            let may_match =
                pattern.first().is_some_and(|first| *first == b'*' || first.eq_ignore_ascii_case(&initial));
            may_match
                && match pattern.strip_suffix(b"*") {
                    Some(beginning) => after_beginning(name, beginning).is_some(),
                    None => after_beginning(name, pattern).is_some_and(<[u8]>::is_empty),
                }
        })
    }
}

/// What follows `beginning` in a name that is still encoded, if the name decodes to something that begins so.
fn after_beginning<'a>(name: &'a [u8], beginning: &[u8]) -> Option<&'a [u8]> {
    let mut rest = name;
    for wanted in beginning {
        let (octet, after) = leading_octet(rest)?;
        if !octet.eq_ignore_ascii_case(wanted) {
            return None;
        }
        rest = after;
    }
    Some(rest)
}

/// The first octet of a parameter's name when decoded, and what follows it.
fn leading_octet(name: &[u8]) -> Option<(u8, &[u8])> {
    leading_encoded(name).or_else(|| match name.split_first()? {
        (b'+', after) => Some((b' ', after)),
        (octet, after) => Some((*octet, after)),
    })
}
