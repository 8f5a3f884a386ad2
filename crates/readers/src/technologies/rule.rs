//! What is a fingerprint, and what does it see?

use serde::{Deserialize, Serialize};

/// A vendor's product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// The product's usual name, which is its identity.
    pub name: String,
    /// Who sells or maintains it.
    pub vendor: String,
    /// Products of one family are one choice: a second one of it is no second vendor.
    pub family: String,
    /// The category, by its key (`live-chat`).
    pub category: String,
    /// Where its maker describes it.
    #[serde(default)]
    pub website: String,
    /// What it always brings along.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub implies: Vec<Implied>,
    /// It counts only where one of these signals was found too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// It counts only where a signal of one of these categories was found too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires_category: Vec<String>,
    /// Where it is found, these are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excludes: Vec<String>,
}

/// A signal that another brings along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implied {
    /// Its name.
    pub signal: String,
    /// How sure that is, of a hundred.
    pub confidence: u8,
}

/// One way to see a signal on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Its identity over all packs.
    pub id: String,
    /// The signal that it sees.
    pub signal: String,
    /// Where it looks.
    pub part: Part,
    /// What must be there.
    pub pattern: Pattern,
    /// What is read off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extracts: Vec<Extract>,
    /// How sure it makes, of a hundred; several add up.
    pub confidence: u8,
}

/// A part of a capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The document as it came.
    Body,
    /// What a reader sees of it, from tag to tag.
    Text,
    /// A response header with this name; it may end in `*`.
    Header(String),
    /// A cookie that the response sets.
    Cookie(String),
    /// Each script's address by itself.
    Script,
    /// The scripts in the document.
    Inline,
    /// The style sheets in the document.
    Style,
    /// A meta element with this name or property.
    Meta(String),
    /// Each address of a link element by itself.
    Link,
    /// Each address of an image or frame by itself.
    Image,
    /// Elements that a selector finds, or one of their attributes.
    Dom {
        /// The selector.
        selector: String,
        /// The attribute to look at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attribute: Option<String>,
    },
    /// The address where the redirects ended.
    Url,
    /// The site's robots.txt.
    Robots,
}

impl Part {
    /// The word for it in packs and evidence.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Part::Body => "body",
            Part::Text => "text",
            Part::Header(_) => "header",
            Part::Cookie(_) => "cookie",
            Part::Script => "script",
            Part::Inline => "inline",
            Part::Style => "style",
            Part::Meta(_) => "meta",
            Part::Link => "link",
            Part::Image => "image",
            Part::Dom { .. } => "dom",
            Part::Url => "url",
            Part::Robots => "robots",
        }
    }
}

/// What must be in a part. Case never matters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Anything: it is enough that the part is there.
    Exists,
    /// This text.
    Text(String),
    /// What this regular expression describes.
    Regex(String),
}

/// A value that a fingerprint reads off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extract {
    /// What it is.
    pub kind: ExtractKind,
    /// Where it stands; `None` for the fingerprint's own regular expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// How it is put together: `\1` is the first group, `\1?a:b` is `a` if it matched and `b` if not.
    pub template: String,
}

/// What an extracted value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtractKind {
    /// The product's version.
    Version,
    /// The site's account with the vendor.
    Account,
    /// The site's tracker, pixel or property.
    Tracker,
}

impl ExtractKind {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ExtractKind::Version => "version",
            ExtractKind::Account => "account",
            ExtractKind::Tracker => "tracker",
        }
    }
}
