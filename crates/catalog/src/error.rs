//! What went wrong in the catalog, and is it worth another try?

use std::fmt;

/// A failure of the catalog: its kind decides what a caller does, its text tells a person what happened and what to do.
///
/// It never carries a password and never a type of the engine behind it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CatalogError {
    kind: ErrorKind,
    message: String,
}

/// The kinds of failure, by what a caller can do about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The address, a setting or the credentials are wrong.
    Configuration,
    /// The database cannot be reached, or the connection to it was cut.
    Unreachable,
    /// Another transaction was in the way: a lock, a deadlock, a full pool.
    Busy,
    /// It took longer than `statement_timeout`.
    TimedOut,
    /// A rule of the tables refused it: a unique key, a check, a row that is no longer as expected.
    Conflict,
    /// A value that the catalog does not store, such as text with a NUL character.
    Value,
    /// The tables are not those that this program was built for.
    Schema,
    /// The database's own files: a full disk, a read-only folder, corruption.
    Storage,
    /// A statement and the code around it disagree: a defect of this program.
    Defect,
}

impl CatalogError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> CatalogError {
        CatalogError { kind, message: message.into() }
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the same call may succeed a little later.
    ///
    /// A connection that was cut during a commit leaves open whether the commit happened: repeat only what may be
    /// repeated.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Unreachable | ErrorKind::Busy | ErrorKind::TimedOut)
    }

    /// The same failure, with what was being done put before it.
    pub(crate) fn during(mut self, what: impl fmt::Display) -> CatalogError {
        self.message = format!("{what}: {}", self.message);
        self
    }
}

/// A database URL as it may be shown: without its password.
///
/// A password may hold any character, so everything from the user's name to the last `@` is hidden, even where that
/// hides more than needed.
#[must_use]
pub fn redact(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (login, place) = match rest.rsplit_once('@') {
        Some((login, place)) => {
            let user = login.split([':', '/', '?']).next().unwrap_or_default();
            let hidden = if user.len() < login.len() { ":***" } else { "" };
            (format!("{user}{hidden}@"), place)
        }
        None => (String::new(), rest),
    };
    let Some((place, query)) = place.split_once('?') else { return format!("{scheme}://{login}{place}") };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((key, _)) if key.to_ascii_lowercase().contains("pass") => format!("{key}=***"),
        _ => pair.to_owned(),
    });
    format!("{scheme}://{login}{place}?{}", pairs.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_url_never_holds_its_password() {
        for (url, shown) in [
            ("postgres://ann:s3cret@db:5432/x", "postgres://ann:***@db:5432/x"),
            ("postgres://ann:s3c@ret@db/x?sslmode=disable", "postgres://ann:***@db/x?sslmode=disable"),
            ("postgres://ann@db/x?password=s3cret&user=ann", "postgres://ann@db/x?password=***&user=ann"),
            ("postgres://db/x", "postgres://db/x"),
            ("sqlite:data/catalog.db", "sqlite:data/catalog.db"),
        ] {
            assert_eq!(redact(url), shown);
        }
    }

    #[test]
    fn a_password_with_a_slash_or_a_question_mark_is_hidden_too() {
        for url in
            ["postgres://ann:s3/cret@db/x", "postgres://ann:s3?cret@db/x", "postgres://a:s3?c=cret@db/x"]
        {
            let shown = redact(url);
            assert!(!shown.contains("cret") && !shown.contains("s3"), "{shown}");
        }
    }
}
