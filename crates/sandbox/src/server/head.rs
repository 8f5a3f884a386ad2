//! What does a request's head say?

/// What the server needs to know of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    /// Without its port; in the client's letters.
    pub(super) host: &'a str,
    pub(super) user_agent: &'a str,
    pub(super) accept_encoding: &'a str,
    /// Whether the connection must end after the answer.
    pub(super) last: bool,
}

/// The length of the head at the start of `bytes`, its last empty line included, once it is there.
pub(super) fn length_of_head(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == b'\n') {
        let end = from + at + 1;
        if bytes[..end].ends_with(b"\r\n\r\n") {
            return Some(end);
        }
        from = end;
    }
    None
}

/// Reads a whole head; none if it is not one of HTTP/1.1.
pub(super) fn read_head(bytes: &[u8]) -> Option<Head<'_>> {
    let mut lines = std::str::from_utf8(bytes).ok()?.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, path, version) = (words.next()?, words.next()?, words.next()?);
    if !path.starts_with('/') || !version.starts_with("HTTP/1.") {
        return None;
    }
    let mut head =
        Head { method, path, host: "", user_agent: "", accept_encoding: "", last: version == "HTTP/1.0" };
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("host") {
            head.host = value.split(':').next().unwrap_or(value);
        } else if name.eq_ignore_ascii_case("user-agent") {
            head.user_agent = value;
        } else if name.eq_ignore_ascii_case("accept-encoding") {
            head.accept_encoding = value;
        } else if name.eq_ignore_ascii_case("connection") {
            head.last |= value.eq_ignore_ascii_case("close");
        } else if name.eq_ignore_ascii_case("content-length")
            || name.eq_ignore_ascii_case("transfer-encoding")
        {
            // Nothing here takes a body, so what follows it cannot be told from it.
            head.last |= value != "0";
        }
    }
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_found_only_when_it_is_whole_and_the_next_one_is_left_alone() {
        let one = b"GET /a HTTP/1.1\r\nHost: x.test:80\r\n\r\n";
        assert_eq!(length_of_head(&one[..one.len() - 1]), None);
        let two = [&one[..], b"GET /b HTTP/1.1\r\n"].concat();
        assert_eq!(length_of_head(&two), Some(one.len()));
    }

    #[test]
    fn a_head_gives_up_its_fields_whatever_their_case() {
        let head = read_head(
            b"GET /a?b HTTP/1.1\r\nHOST: X.test:80\r\nuser-agent: me: 1\r\nAccept-encoding: gzip, br\r\nConnection: Close\r\n\r\n",
        )
        .expect("a whole head");
        let expected = Head {
            method: "GET",
            path: "/a?b",
            host: "X.test",
            user_agent: "me: 1",
            accept_encoding: "gzip, br",
            last: true,
        };
        assert_eq!(head, expected);
    }

    #[test]
    fn what_is_not_a_head_is_refused() {
        for bad in [
            &b"\r\n\r\n"[..],
            b"GET\r\n\r\n",
            b"GET x HTTP/1.1\r\n\r\n",
            b"GET / SMTP\r\n\r\n",
            b"\xff / HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(read_head(bad), None, "{bad:?}");
        }
    }
}
