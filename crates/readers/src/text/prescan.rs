//! Which encoding does a page declare in its first bytes?
//!
//! The HTML standard's "prescan a byte stream to determine its encoding", step by step: `<meta charset>`,
//! `<meta http-equiv>` and, where there is neither, an XML declaration.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// The encoding that the start of a page declares.
pub(super) fn declared_encoding(start: &[u8]) -> Option<&'static Encoding> {
    if start.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if start.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    encoding_of_meta(start).or_else(|| encoding_of_xml_declaration(start))
}

/// The name can be read, so it is not UTF-16, whatever it says.
fn as_readable(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

fn encoding_of_meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut cursor = Cursor { bytes, at: 0 };
    while cursor.at < bytes.len() {
        let rest = &bytes[cursor.at..];
        if rest.starts_with(b"<!--") {
            // The dashes that open a comment may also close it: `<!-->`.
            cursor.at += 2 + find(&rest[2..], b"-->")? + 2;
        } else if starts_meta(rest) {
            cursor.at += 5;
            if let Some(encoding) = cursor.meta_encoding()? {
                return Some(encoding);
            }
        } else if starts_tag(rest) {
            cursor.at += rest.iter().position(|byte| is_space(*byte) || *byte == b'>')?;
            while cursor.next_attribute()?.is_some() {}
        } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
            cursor.at += rest.iter().position(|byte| *byte == b'>')?;
        }
        cursor.at += 1;
    }
    None
}

fn starts_meta(rest: &[u8]) -> bool {
    matches!(rest, [b'<', name @ .., ] if name.len() > 4
        && name[..4].eq_ignore_ascii_case(b"meta")
        && (is_space(name[4]) || name[4] == b'/'))
}

fn starts_tag(rest: &[u8]) -> bool {
    matches!(rest, [b'<', letter, ..] | [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic())
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// An attribute's name and value, both in lower case.
type Attribute = (Vec<u8>, Vec<u8>);

// `None` from these methods means that the bytes ran out, which ends the whole prescan.
impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, skipped: impl Fn(u8) -> bool) -> Option<u8> {
        while skipped(self.peek()?) {
            self.at += 1;
        }
        self.peek()
    }

    fn meta_encoding(&mut self) -> Option<Option<&'static Encoding>> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let mut is_pragma = false;
        // Whether the declaration counts only beside `http-equiv`, and what it declares.
        let mut declared: Option<(bool, Option<&'static Encoding>)> = None;
        while let Some((name, value)) = self.next_attribute()? {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => is_pragma |= value == b"content-type",
                b"content" if declared.is_none() => {
                    declared = encoding_of_content(&value).map(|encoding| (true, Some(encoding)));
                }
                b"charset" => declared = Some((false, Encoding::for_label(&value))),
                _ => {}
            }
            seen.push(name);
        }
        Some(match declared {
            Some((needs_pragma, Some(encoding))) if is_pragma || !needs_pragma => Some(as_readable(encoding)),
            _ => None,
        })
    }

    fn next_attribute(&mut self) -> Option<Option<Attribute>> {
        if self.skip(|byte| is_space(byte) || byte == b'/')? == b'>' {
            return Some(None);
        }
        let mut name = Vec::new();
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => break,
                b'/' | b'>' => return Some(Some((name, Vec::new()))),
                byte if is_space(byte) => {
                    if self.skip(is_space)? != b'=' {
                        return Some(Some((name, Vec::new())));
                    }
                    break;
                }
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        self.at += 1;
        let value = self.attribute_value()?;
        Some(Some((name, value)))
    }

    fn attribute_value(&mut self) -> Option<Vec<u8>> {
        let first = self.skip(is_space)?;
        let quote = matches!(first, b'"' | b'\'').then_some(first);
        self.at += usize::from(quote.is_some());
        let mut value = Vec::new();
        loop {
            let byte = self.peek()?;
            match quote {
                Some(quote) if byte == quote => {
                    self.at += 1;
                    return Some(value);
                }
                None if is_space(byte) || byte == b'>' => return Some(value),
                _ => value.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
    }
}

/// The encoding in `text/html; charset=…`, as a `content` attribute in lower case gives it.
fn encoding_of_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        rest = &rest[find(rest, b"charset")? + 7..];
        let after = rest.trim_ascii_start();
        if let [b'=', value @ ..] = after {
            let value = value.trim_ascii_start();
            let label = match value {
                [quote @ (b'"' | b'\''), quoted @ ..] => {
                    &quoted[..quoted.iter().position(|byte| byte == quote)?]
                }
                _ => {
                    let end = value.iter().position(|byte| is_space(*byte) || *byte == b';');
                    &value[..end.unwrap_or(value.len())]
                }
            };
            return Encoding::for_label(label);
        }
    }
}

fn encoding_of_xml_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    if !bytes.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &bytes[..bytes.iter().position(|byte| *byte == b'>')?];
    let after = &declaration[find(declaration, b"encoding")? + 8..];
    let value = skip_controls(skip_controls(after).strip_prefix(b"=")?);
    let (quote, quoted) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let label = &quoted[..quoted.iter().position(|byte| byte == quote)?];
    if label.iter().any(|byte| *byte <= b' ') {
        return None;
    }
    Encoding::for_label(label).map(as_readable)
}

fn skip_controls(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|byte| **byte <= b' ').count()..]
}
