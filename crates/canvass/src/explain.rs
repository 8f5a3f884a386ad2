//! How is an error told to a person?

/// An error with its causes, in one line: a cause that is told already is not told again.
///
/// A crate's error names its file and what the system said, because it may be all that a caller shows; so the chain
/// behind it repeats the end of it.
#[must_use]
pub fn explain(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain() {
        let words = cause.to_string();
        if told.contains(&words) {
            continue;
        }
        if !told.is_empty() {
            told.push_str(": ");
        }
        told.push_str(&words);
    }
    told
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context;

    use super::*;

    #[test]
    fn a_cause_is_told_once_even_where_the_error_before_it_repeats_it() {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        let plain = Err::<(), _>(missing()).context("cannot read a.csv").unwrap_err();
        assert_eq!(explain(&plain), "cannot read a.csv: no such file");
        let repeated =
            Err::<(), _>(missing()).context("cannot read a.csv: no such file; write one").unwrap_err();
        assert_eq!(explain(&repeated), "cannot read a.csv: no such file; write one");
    }
}
