//! How are findings written for others?

use blobs::table::Format;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::section;

section! {
    /// How findings are written for others.
    Export {
        /// How each table is written.
        #[schemars(length(min = 1))]
        formats: Vec<ExportFormat> = vec![ExportFormat::Csv, ExportFormat::Json, ExportFormat::Parquet],
    }
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// Comma-separated values, for spreadsheets.
    Csv,
    /// One JSON array.
    Json,
    /// Apache Parquet, for databases.
    Parquet,
}

impl Export {
    /// The formats, as tables know them.
    #[must_use]
    pub fn formats(&self) -> Vec<Format> {
        let format = |format: &ExportFormat| match format {
            ExportFormat::Csv => Format::Csv,
            ExportFormat::Json => Format::Json,
            ExportFormat::Parquet => Format::Parquet,
        };
        self.formats.iter().map(format).collect()
    }
}
