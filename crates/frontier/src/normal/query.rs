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
        !name.is_empty()
            && self.tracking_parameters.iter().any(|pattern| match pattern.strip_suffix('*') {
                Some(beginning) => after_beginning(name, beginning.as_bytes()).is_some(),
                None => after_beginning(name, pattern.as_bytes()).is_some_and(<[u8]>::is_empty),
            })
    }
}

/// What follows `beginning` in a name that is still encoded, if the name decodes to something that begins so.
fn after_beginning<'a>(name: &'a [u8], beginning: &[u8]) -> Option<&'a [u8]> {
    let mut rest = name;
    for wanted in beginning {
        let (octet, after) = match leading_encoded(rest) {
            Some(decoded) => decoded,
            None => match rest.split_first()? {
                (b'+', after) => (b' ', after),
                (octet, after) => (*octet, after),
            },
        };
        if !octet.eq_ignore_ascii_case(wanted) {
            return None;
        }
        rest = after;
    }
    Some(rest)
}
