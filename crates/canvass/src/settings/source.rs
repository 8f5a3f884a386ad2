//! How is a list read, and what makes two of its URLs the same?

use frontier::normal::NormalRules;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::section;

section! {
    /// How a list of targets is read.
    Source {
        /// Whether the list is CSV or text; `auto` asks the file's name, then its first line.
        format: ListFormat = ListFormat::Auto,
        /// The CSV column that holds the key of the site or account.
        key_column: String = "website_id".to_owned(),
        /// The CSV column that holds the URL.
        url_column: String = "url".to_owned(),
        /// What separates CSV fields, one ASCII character; not set: comma, or tab for `.tsv`.
        delimiter: Option<String> = None,
        /// A longer line is rejected.
        #[schemars(range(min = 256, max = 16777216))]
        max_line_bytes: u64 = 65_536,
    }
}

/// What a list looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListFormat {
    /// By the file's name, then by its first line.
    Auto,
    /// Columns with a header.
    Csv,
    /// One URL a line.
    Text,
}

section! {
    /// What makes two URLs the same.
    Normalise {
        /// Query parameters that say where a visitor came from and not what is shown; a trailing `*` stands for any rest.
        tracking_parameters: Vec<String> = NormalRules::default().tracking_parameters,
        /// What becomes of slashes at the end of a path.
        trailing_slash: TrailingSlash = TrailingSlash::Strip,
        /// Whether every http URL is asked for as https.
        upgrade_to_https: bool = false,
        /// A longer URL is rejected.
        #[schemars(range(min = 16, max = 65536))]
        max_url_length: u32 = 2048,
    }
}

/// What becomes of slashes at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrailingSlash {
    /// They are removed, but for the root's.
    Strip,
    /// They stay as they are.
    Keep,
}
