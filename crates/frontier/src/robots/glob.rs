//! Does a pattern with `*` and a final `$` match a path?

use memchr::memmem;

/// Whether the pattern matches a beginning of the path, or all of it if the pattern ends in `$`.
///
/// Between two `*` the leftmost place is always as good as any other, so nothing is ever tried twice: the time is
/// linear in both lengths.
pub(super) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split(|&octet| octet == b'*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else {
        return !anchored || rest.is_empty();
    };
    for piece in pieces {
        match memmem::find(rest, piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    if anchored { rest.ends_with(last) } else { memmem::find(rest, last).is_some() }
}
