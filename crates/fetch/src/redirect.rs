//! Where does a redirect lead, and may it be followed?

use domain::{Failure, FailureKind};
use url::Url;

/// A location longer than this is an attack or an accident.
const MAX_LOCATION_BYTES: usize = 8 * 1024;

/// Which redirects are followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectRules {
    /// How many redirects one target may take.
    pub limit: usize,
    /// Whether an `https` address may lead to an `http` one.
    pub allow_downgrade: bool,
}

impl Default for RedirectRules {
    fn default() -> RedirectRules {
        RedirectRules { limit: 10, allow_downgrade: true }
    }
}

/// Whether an answer with this status sends the client elsewhere.
#[must_use]
pub fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

impl RedirectRules {
    /// The address to ask next, without its fragment.
    ///
    /// `current` gave the answer; `passed` are the addresses that were asked before it, the target's own first.
    ///
    /// # Errors
    /// `RedirectLoop` where it was asked before, `TooManyRedirects` past the limit, `BadRedirect` for all else.
    pub fn next_hop(
        &self,
        current: &str,
        status: u16,
        location: Option<&[u8]>,
        passed: &[String],
    ) -> Result<String, Failure> {
        let fail = |kind, detail| Err(Failure { status: Some(status), ..Failure::new(kind, detail) });
        let bad = |detail| fail(FailureKind::BadRedirect, detail);
        if !is_redirect(status) {
            return bad("the status is not a redirect");
        }
        let Some(location) = location else {
            return bad("no location");
        };
        if location.len() > MAX_LOCATION_BYTES {
            return bad("the location is too long");
        }
        let Some(location) =
            std::str::from_utf8(location).ok().filter(|text| !text.chars().any(char::is_control))
        else {
            return bad("the location holds bytes that no URL has");
        };
        let Ok(base) = Url::parse(current) else {
            return bad("the redirecting address is not a URL");
        };
        let Ok(mut next) = base.join(location) else {
            return bad("the location is not a URL");
        };
        if !matches!(next.scheme(), "http" | "https") {
            return bad("the location is neither http nor https");
        }
        if !next.username().is_empty() || next.password().is_some() {
            return bad("the location carries credentials");
        }
        if base.scheme() == "https" && next.scheme() == "http" && !self.allow_downgrade {
            return bad("the location leaves https");
        }
        next.set_fragment(None);
        let next = String::from(next);
        if next == current || passed.contains(&next) {
            return fail(FailureKind::RedirectLoop, "the location was asked before");
        }
        if passed.len() >= self.limit {
            return fail(FailureKind::TooManyRedirects, "more redirects than the limit");
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "https://shop.example/a/b?c=d";

    fn hop(location: &str) -> Result<String, FailureKind> {
        RedirectRules::default().next_hop(AT, 302, Some(location.as_bytes()), &[]).map_err(|f| f.kind)
    }

    #[test]
    fn a_location_is_resolved_against_the_address_that_sent_it() {
        for (location, expected) in [
            ("https://other.example/x", "https://other.example/x"),
            ("http://other.example", "http://other.example/"),
            ("//other.example/y", "https://other.example/y"),
            ("/root", "https://shop.example/root"),
            ("sibling", "https://shop.example/a/sibling"),
            ("../up", "https://shop.example/up"),
            ("?q=1", "https://shop.example/a/b?q=1"),
            ("/x#part", "https://shop.example/x"),
            (" /spaced ", "https://shop.example/spaced"),
            ("/münchen", "https://shop.example/m%C3%BCnchen"),
            ("HTTP://OTHER.example:80/", "http://other.example/"),
            ("http://127.0.0.1/admin", "http://127.0.0.1/admin"),
        ] {
            assert_eq!(hop(location).as_deref(), Ok(expected), "{location}");
        }
    }

    #[test]
    fn a_location_that_cannot_be_asked_is_a_bad_redirect() {
        for location in [
            "ftp://other.example/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "mailto:a@b.example",
            "https://user:secret@other.example/",
            "https://user@other.example/",
            "http://",
            "http://[::1",
            "http://a b/",
            "/a\u{0}b",
            "/a\tb",
            "https://other.example:99999/",
        ] {
            assert_eq!(hop(location), Err(FailureKind::BadRedirect), "{location:?}");
        }
        let rules = RedirectRules::default();
        for (status, location) in
            [(302, None), (302, Some(&b"\xff\xfe"[..])), (304, Some(&b"/x"[..])), (300, Some(&b"/x"[..]))]
        {
            let failure = rules.next_hop(AT, status, location, &[]).unwrap_err();
            assert_eq!((failure.kind, failure.status), (FailureKind::BadRedirect, Some(status)));
        }
        let long = format!("/{}", "x".repeat(MAX_LOCATION_BYTES));
        assert_eq!(hop(&long), Err(FailureKind::BadRedirect));
    }

    #[test]
    fn credentials_are_never_repeated_in_the_failure() {
        let rules = RedirectRules::default();
        let failure = rules.next_hop(AT, 302, Some(b"https://u:hunter2@x.example/"), &[]).unwrap_err();
        assert!(!failure.to_string().contains("hunter2"));
    }

    #[test]
    fn coming_back_to_an_address_is_a_loop() {
        assert_eq!(hop(AT), Err(FailureKind::RedirectLoop));
        assert_eq!(hop("b?c=d#other"), Err(FailureKind::RedirectLoop));
        let passed = vec!["https://shop.example/start".to_owned()];
        let failure = RedirectRules::default().next_hop(AT, 301, Some(b"/start"), &passed).unwrap_err();
        assert_eq!(failure.kind, FailureKind::RedirectLoop);
    }

    #[test]
    fn the_limit_counts_the_redirects_that_were_followed() {
        let rules = RedirectRules { limit: 2, allow_downgrade: true };
        let mut passed = Vec::new();
        let mut current = "http://a.example/0".to_owned();
        for step in 1..=2 {
            let next = rules.next_hop(&current, 307, Some(format!("/{step}").as_bytes()), &passed).unwrap();
            passed.push(std::mem::replace(&mut current, next));
        }
        let failure = rules.next_hop(&current, 307, Some(b"/3"), &passed).unwrap_err();
        assert_eq!(failure.kind, FailureKind::TooManyRedirects);
    }

    #[test]
    fn leaving_https_is_refused_where_the_rules_say_so() {
        let strict = RedirectRules { allow_downgrade: false, ..RedirectRules::default() };
        let failure = strict.next_hop(AT, 308, Some(b"http://shop.example/"), &[]).unwrap_err();
        assert_eq!(failure.kind, FailureKind::BadRedirect);
        assert!(strict.next_hop("http://shop.example/", 308, Some(AT.as_bytes()), &[]).is_ok());
    }
}
