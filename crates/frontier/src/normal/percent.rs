//! Which octets stand for themselves, and which as `%XX`?

/// The octets that stand for themselves in one part of a URL.
pub(crate) struct Plain([bool; 256]);

const UNRESERVED: Plain = Plain::unreserved_and(b"");

impl Plain {
    /// RFC 3986's unreserved characters, which never need an encoding, and some more.
    pub(crate) const fn unreserved_and(more: &[u8]) -> Plain {
        let mut plain = [false; 256];
        let mut at = 0;
        while at < 256 {
            let octet = at as u8;
            plain[at] = octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~');
            at += 1;
        }
        let mut at = 0;
        while at < more.len() {
            plain[more[at] as usize] = true;
            at += 1;
        }
        Plain(plain)
    }

    /// Whether the octet stands for itself.
    pub(crate) const fn has(&self, octet: u8) -> bool {
        self.0[octet as usize]
    }
}

/// Appends `bytes` in their one normal spelling: unreserved characters decoded, other encodings in upper case, and
/// whatever is not `plain` encoded.
///
/// A `%` that begins no encoding becomes `%25`: left alone, `%%34%31` would turn into `%41` now and into `A` next time.
pub(crate) fn append_normal(out: &mut String, bytes: &[u8], plain: &Plain) {
    let mut rest = bytes;
    while let Some((&octet, tail)) = rest.split_first() {
        if let Some((encoded, after)) = leading_encoded(rest) {
            rest = after;
            if UNRESERVED.has(encoded) {
                out.push(char::from(encoded))
            } else {
                append_encoded(out, encoded)
            }
            continue;
        }
        rest = tail;
        if plain.has(octet) { out.push(char::from(octet)) } else { append_encoded(out, octet) }
    }
}

/// The octet that an encoding at the beginning of `bytes` stands for, and what follows it.
pub(crate) fn leading_encoded(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let [b'%', high, low, after @ ..] = bytes else { return None };
    Some((hex_value(*high)? << 4 | hex_value(*low)?, after))
}

/// Appends one octet as `%XX`.
pub(crate) fn append_encoded(out: &mut String, octet: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(octet >> 4)]));
    out.push(char::from(DIGITS[usize::from(octet & 15)]));
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}
