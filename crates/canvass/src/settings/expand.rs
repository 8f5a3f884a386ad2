//! What does a value say once `${VARIABLE}` is filled in?

/// What all references of one file together may bring in.
const MAX_EXPANDED_BYTES: usize = 4 * 1024 * 1024;

/// Fills in variables and keeps count of how much came in.
pub(super) struct Expander<'a> {
    env: &'a dyn Fn(&str) -> Option<String>,
    bytes: usize,
}

/// A text with its references filled in.
pub(super) struct Expanded {
    pub(super) text: String,
    /// Whether a variable had a part in it.
    pub(super) referred: bool,
}

impl<'a> Expander<'a> {
    pub(super) fn new(env: &'a dyn Fn(&str) -> Option<String>) -> Expander<'a> {
        Expander { env, bytes: 0 }
    }

    /// Fills in `${NAME}` and `${NAME:-default}`; `$$` is a dollar sign, and a dollar before anything else is itself.
    /// What a variable brings is not looked at again.
    pub(super) fn expand(&mut self, text: &str) -> Result<Expanded, String> {
        let mut expanded = Expanded { text: String::with_capacity(text.len()), referred: false };
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            expanded.text.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix('$') {
                expanded.text.push('$');
                rest = after;
            } else if let Some(after) = rest.strip_prefix('{') {
                let Some((reference, after)) = after.split_once('}') else {
                    return Err(
                        "`${` has no closing `}`; a dollar sign of its own is written `$$`".to_owned()
                    );
                };
                let value = self.look_up(reference)?;
                self.bytes += value.len();
                if self.bytes > MAX_EXPANDED_BYTES {
                    return Err("the variables up to here bring in more than 4 MiB".to_owned());
                }
                expanded.text.push_str(&value);
                expanded.referred = true;
                rest = after;
            } else {
                expanded.text.push('$');
            }
        }
        expanded.text.push_str(rest);
        Ok(expanded)
    }

    fn look_up(&self, reference: &str) -> Result<String, String> {
        let (name, default) = match reference.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (reference, None),
        };
        let well_formed = !name.starts_with(|c: char| c.is_ascii_digit())
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !well_formed {
            return Err(format!(
                "`${{{reference}}}` names no variable; write `${{NAME}}` or `${{NAME:-default}}`"
            ));
        }
        // As in a shell, `:-` also stands in for a variable that is set to nothing.
        let value = (self.env)(name).filter(|value| !value.is_empty() || default.is_none());
        value.or_else(|| default.map(str::to_owned)).ok_or_else(|| {
            format!("the variable `{name}` is not set; set it, or give a default: `${{{name}:-…}}`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> Result<String, String> {
        let env = |name: &str| match name {
            "A" => Some("one".to_owned()),
            "EMPTY" => Some(String::new()),
            "NESTED" => Some("${A}".to_owned()),
            "BIG" => Some("x".repeat(1 << 20)),
            _ => None,
        };
        Expander::new(&env).expand(text).map(|expanded| expanded.text)
    }

    #[test]
    fn references_are_filled_in_once_and_dollars_can_be_written() {
        for (text, value) in [
            ("${A}", "one"),
            ("x${A}y${A}z", "xoneyonez"),
            ("${NONE:-two}", "two"),
            ("${NONE:-}", ""),
            ("${EMPTY:-two}", "two"),
            ("${EMPTY}", ""),
            ("${NESTED}", "${A}"),
            ("$${A}", "${A}"),
            ("a$b$", "a$b$"),
            ("$$$$", "$$"),
            ("", ""),
        ] {
            assert_eq!(expand(text).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn a_reference_that_cannot_be_filled_in_says_why() {
        insta::assert_snapshot!(expand("${NONE}").unwrap_err(), @"the variable `NONE` is not set; set it, or give a default: `${NONE:-…}`");
        insta::assert_snapshot!(expand("${NONE").unwrap_err(), @"`${` has no closing `}`; a dollar sign of its own is written `$$`");
        insta::assert_snapshot!(expand("${1X}").unwrap_err(), @"`${1X}` names no variable; write `${NAME}` or `${NAME:-default}`");
        insta::assert_snapshot!(expand("${A-b}").unwrap_err(), @"`${A-b}` names no variable; write `${NAME}` or `${NAME:-default}`");
        insta::assert_snapshot!(expand(&"${BIG}".repeat(9)).unwrap_err(), @"the variables up to here bring in more than 4 MiB");
    }
}
