//! How does a secret stay out of logs, tables and screens?

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

const HIDDEN: &str = "***";

/// A token or password. It is read from the settings, and never written anywhere: `Debug` and serialising give `***`.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

/// A connection URL that may carry a password: `Debug`, `Display` and serialising hide it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct SecretUrl(String);

impl Secret {
    /// The secret itself, for the one call that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl SecretUrl {
    /// A URL as a setting would hold it.
    #[must_use]
    pub fn new(url: impl Into<String>) -> SecretUrl {
        SecretUrl(url.into())
    }

    /// The URL with its password, for the one call that connects.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hide_password(&self.0))
    }
}

impl fmt::Display for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hide_password(&self.0))
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(HIDDEN)
    }
}

impl Serialize for SecretUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hide_password(&self.0))
    }
}

impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "writeOnly": true })
    }
}

impl JsonSchema for SecretUrl {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SecretUrl".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Secret::json_schema(generator)
    }
}

/// The text without its passwords. People paste passwords with `/`, `?` and `@` in them unescaped, so this hides
/// from the first colon of the user part to the last `@` of the whole text: rather too much than a character too little.
fn hide_password(url: &str) -> String {
    let mut shown = String::with_capacity(url.len());
    let after_scheme = url.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = url.split_at(after_scheme);
    shown.push_str(scheme);
    let tail = match rest.rfind('@') {
        Some(at) => {
            let (user, host) = rest.split_at(at);
            match user.find(':') {
                Some(colon) => {
                    shown.push_str(&user[..=colon]);
                    shown.push_str(HIDDEN);
                }
                None => shown.push_str(user),
            }
            host
        }
        None => rest,
    };
    let mut first = true;
    for part in tail.split_inclusive(['?', '&', ' ', ';']) {
        match part.split_once('=') {
            Some((name, value)) if !first || scheme.is_empty() => {
                shown.push_str(name);
                shown.push('=');
                let end = value.len() - value.trim_end_matches(['?', '&', ' ', ';']).len();
                shown.push_str(if sounds_secret(name) { HIDDEN } else { &value[..value.len() - end] });
                shown.push_str(&value[value.len() - end..]);
            }
            _ => shown.push_str(part),
        }
        first = false;
    }
    shown
}

fn sounds_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["pass", "secret", "token", "key"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_hidden_however_it_is_written() {
        for (url, shown) in [
            ("postgres://ada:hunter2@db:6432/x", "postgres://ada:***@db:6432/x"),
            ("postgres://ada:hun/te?r@2@db/x", "postgres://ada:***@db/x"),
            ("redis://:hunter2@cache:6379/0", "redis://:***@cache:6379/0"),
            ("postgres://db/x?user=ada&password=hunter2&a=b", "postgres://db/x?user=ada&password=***&a=b"),
            ("host=db password=hunter2 user=ada", "host=db password=*** user=ada"),
            ("postgres://ada@db/x", "postgres://ada@db/x"),
            ("sqlite:data/canvass.db", "sqlite:data/canvass.db"),
            ("", ""),
        ] {
            assert_eq!(hide_password(url), shown, "{url}");
        }
    }

    #[test]
    fn debug_and_json_of_a_secret_show_stars() {
        let secret: Secret = serde_json::from_str("\"hunter2\"").unwrap();
        assert_eq!(format!("{secret:?} {}", serde_json::to_string(&secret).unwrap()), "*** \"***\"");
        assert_eq!(secret.expose(), "hunter2");
        let url = SecretUrl::new("redis://:hunter2@cache");
        assert_eq!(format!("{url:?} {url}"), "redis://:***@cache redis://:***@cache");
        assert_eq!(serde_json::to_string(&url).unwrap(), "\"redis://:***@cache\"");
    }
}
