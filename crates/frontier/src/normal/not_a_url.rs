//! Why is a text not a URL that a round can visit?

/// Why a text was refused. The message is for people; [`NotAUrl::name`] is for files and counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NotAUrl {
    /// Nothing but white space.
    #[error("there is nothing here")]
    Empty,
    /// Longer than the rules allow.
    #[error("longer than {limit} bytes")]
    TooLong {
        /// What the rules allow.
        limit: usize,
    },
    /// The bytes are not UTF-8.
    #[error("not UTF-8 text")]
    NotUtf8,
    /// A control character stands within the text.
    #[error("contains a control character")]
    ControlCharacter,
    /// Neither a scheme nor anything that looks like a host.
    #[error("no scheme, and it does not look like a host: write it as https://…")]
    NoScheme,
    /// A scheme that is not fetched.
    #[error("only http and https can be fetched: if this is a host, write https:// before it")]
    SchemeNotHttp,
    /// A scheme, but no host after it.
    #[error("no host")]
    NoHost,
    /// The host is neither a valid name nor a valid address.
    #[error("the host is neither a valid name nor a valid address")]
    BadHost,
    /// The port is not a number from 1 to 65535.
    #[error("the port is not a number from 1 to 65535")]
    BadPort,
    /// A user name or a password before the host: secrets never enter a round.
    #[error("carries a user name or a password: remove the part before `@`")]
    HasCredentials,
}

impl NotAUrl {
    /// Its stable name, as `rejected.csv` and the counts carry it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            NotAUrl::Empty => "empty",
            NotAUrl::TooLong { .. } => "too_long",
            NotAUrl::NotUtf8 => "not_utf8",
            NotAUrl::ControlCharacter => "control_character",
            NotAUrl::NoScheme => "no_scheme",
            NotAUrl::SchemeNotHttp => "scheme_not_http",
            NotAUrl::NoHost => "no_host",
            NotAUrl::BadHost => "bad_host",
            NotAUrl::BadPort => "bad_port",
            NotAUrl::HasCredentials => "has_credentials",
        }
    }
}
