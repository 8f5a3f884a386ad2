//! Is this a type of content that we keep?

/// Content types that are wanted, `*` standing for any characters.
#[derive(Debug)]
pub(crate) struct WantedTypes(Vec<String>);

impl WantedTypes {
    pub(crate) fn new(globs: &[String]) -> WantedTypes {
        WantedTypes(globs.iter().map(|glob| glob.trim().to_ascii_lowercase()).collect())
    }

    /// Whether a response with this `Content-Type` is wanted; one that does not say is.
    pub(crate) fn accept(&self, content_type: Option<&[u8]>) -> bool {
        let Some(value) = content_type else { return true };
        let essence = value.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        if essence.is_empty() {
            return true;
        }
        self.0.iter().any(|glob| glob_matches(glob.as_bytes(), essence))
    }
}

/// Linear in the text for each star, because only the last star is ever returned to.
fn glob_matches(glob: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while read < text.len() {
        match glob.get(at) {
            Some(b'*') => {
                last_star = Some((at, read));
                at += 1;
            }
            Some(byte) if *byte == text[read].to_ascii_lowercase() => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((star, from)) = last_star else { return false };
                last_star = Some((star, from + 1));
                at = star + 1;
                read = from + 1;
            }
        }
    }
    glob[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_wanted_by_name_or_by_glob() {
        let wanted = |globs: &[&str], value: &str| {
            WantedTypes::new(&globs.iter().map(|glob| (*glob).to_owned()).collect::<Vec<_>>())
                .accept(Some(value.as_bytes()))
        };
        for (globs, value, expected) in [
            (&["text/html"][..], "text/html", true),
            (&["text/html"], "Text/HTML; charset=utf-8", true),
            (&["text/html"], " text/html ;x", true),
            (&["text/html"], "text/htmlx", false),
            (&["text/html"], "image/png", false),
            (&["text/*"], "text/css", true),
            (&["application/*+xml"], "application/rss+xml", true),
            (&["application/*+xml"], "application/xml", false),
            (&["*"], "anything/at-all", true),
            (&["*/*"], "image/png", true),
            (&["a*a*b"], "aaaab", true),
            (&["a*a*b"], "aaaac", false),
            (&[], "text/html", false),
            (&["text/html"], "", true),
            (&["text/html"], "; charset=x", true),
        ] {
            assert_eq!(wanted(globs, value), expected, "{globs:?} {value}");
        }
        assert!(WantedTypes::new(&[]).accept(None));
    }
}
