//! When do two spellings of a URL mean the same page?
//!
//! Every spelling that RFC 3986 §6 and the WHATWG URL standard call equivalent gets one normal form, and a little
//! more is equated by the rules of a round: tracking parameters, trailing slashes, optionally the scheme. The normal
//! form is a fixed point: normalising it again changes nothing, so a list may be a former round's output.

mod fast;
mod not_a_url;
pub(crate) mod percent;
mod query;
mod rebuild;
mod scheme;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use not_a_url::NotAUrl;

/// No raw text longer than this is looked at, unless the rules allow longer URLs: tracking parameters may make a text
/// longer than its normal form, but not without a bound.
const RAW_LIMIT: usize = 64 * 1024;

/// The parameters that say how a visitor came, not what the page is.
const TRACKING_PARAMETERS: &[&str] = &[
    "utm_*",
    "mtm_*",
    "pk_*",
    "hsa_*",
    "fbclid",
    "fb_action_ids",
    "fb_action_types",
    "fb_ref",
    "fb_source",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "_ga",
    "_gl",
    "msclkid",
    "yclid",
    "ymclid",
    "ysclid",
    "_openstat",
    "twclid",
    "ttclid",
    "li_fat_id",
    "epik",
    "sccid",
    "igshid",
    "igsh",
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "__hstc",
    "__hssc",
    "__hsfp",
    "hsctatracking",
    "mkt_tok",
    "vero_id",
    "vero_conv",
    "oly_anon_id",
    "oly_enc_id",
    "_kx",
    "_ke",
    "s_cid",
    "wickedid",
    "rb_clickid",
    "irclickid",
    "cjevent",
    "zanpid",
    "ref",
    "ref_src",
    "ref_url",
    "spm",
    "scm",
];

/// What counts as the same page, beyond what the standards say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NormalRules {
    /// The query parameters to remove: a whole name, or the beginning of one followed by `*`. Case does not count.
    pub tracking_parameters: Vec<String>,
    /// What becomes of the slashes at the end of a path.
    pub trailing_slash: TrailingSlash,
    /// Whether `http` becomes `https`, where no port was given or the port is that of HTTPS: any other port was chosen
    /// for a server that speaks plain HTTP.
    pub upgrade_to_https: bool,
    /// The longest normal form that is accepted, in bytes.
    pub max_length: usize,
}

/// What becomes of the slashes at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrailingSlash {
    /// They are removed; the root keeps its one.
    #[default]
    Strip,
    /// They stay as they are.
    Keep,
}

impl Default for NormalRules {
    fn default() -> NormalRules {
        NormalRules {
            tracking_parameters: TRACKING_PARAMETERS.iter().map(|&name| name.to_owned()).collect(),
            trailing_slash: TrailingSlash::default(),
            upgrade_to_https: false,
            max_length: 2048,
        }
    }
}

impl NormalRules {
    /// The one normal form of a URL as people write it; `https://` is put before a host that stands without a scheme.
    ///
    /// # Errors
    /// Whatever cannot be fetched, or must not be kept, is refused with its reason; no input panics.
    pub fn normalise(&self, raw: &str) -> Result<NormalUrl, NotAUrl> {
        let text = raw.trim_matches(|c: char| c.is_ascii_whitespace());
        if text.is_empty() {
            return Err(NotAUrl::Empty);
        }
        if text.len() > RAW_LIMIT.max(self.max_length) {
            return Err(NotAUrl::TooLong { limit: self.max_length });
        }
        if let Some(url) = fast::already_normal(self, text) {
            return Ok(url);
        }
        if text.chars().any(char::is_control) {
            return Err(NotAUrl::ControlCharacter);
        }
        let complete = scheme::with_scheme(text)?;
        if complete != text
            && let Some(url) = fast::already_normal(self, &complete)
        {
            return Ok(url);
        }
        rebuild::rebuild(self, &complete)
    }

    /// The same for a line of which nobody has checked yet that it is text.
    ///
    /// # Errors
    /// As [`NormalRules::normalise`], and where the bytes are not UTF-8.
    pub fn normalise_bytes(&self, raw: &[u8]) -> Result<NormalUrl, NotAUrl> {
        self.normalise(std::str::from_utf8(raw).map_err(|_| NotAUrl::NotUtf8)?)
    }
}

/// A URL in its normal form: scheme, host, path and query are ASCII; there are no credentials and no fragment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NormalUrl {
    text: String,
    host_start: usize,
    host_end: usize,
}

impl NormalUrl {
    /// The whole URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host in lower case: a name without a final dot, an IPv4 address, or an IPv6 address in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.text[self.host_start..self.host_end]
    }

    /// Scheme, host and port: whatever one robots.txt speaks for.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.text[..self.path_start()]
    }

    /// Everything after the origin, as a request line and a robots.txt rule see it; it starts with `/`.
    #[must_use]
    pub fn path_and_query(&self) -> &str {
        &self.text[self.path_start()..]
    }

    /// The whole URL, owned.
    #[must_use]
    pub fn into_string(self) -> String {
        self.text
    }

    fn path_start(&self) -> usize {
        let after_host = &self.text[self.host_end..];
        self.host_end + after_host.find('/').unwrap_or(after_host.len())
    }
}

impl std::fmt::Display for NormalUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
