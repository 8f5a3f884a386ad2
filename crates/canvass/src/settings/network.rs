//! Which addresses may be reached, and how are names looked up?

use std::{borrow::Cow, path::PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::section;

section! {
    /// Which addresses may be reached, and how names are looked up.
    Network {
        /// Whether addresses that are not globally routable may be reached: `false`, `true`, or a list of networks such as `127.0.0.0/8`.
        allow_private: AllowPrivate = AllowPrivate::Any(false),
        /// A file of `ADDRESS NAME [FROM=TO …]` lines that is asked before DNS; FROM=TO maps a port.
        hosts_file: Option<PathBuf> = None,
        /// Name servers as `ADDRESS` or `ADDRESS:PORT`; empty: those of the system.
        nameservers: Vec<String> = Vec::new(),
        /// A PEM file of certificate authorities that are trusted beside the public ones.
        extra_ca_file: Option<PathBuf> = None,
    }
}

/// Which addresses that are not globally routable may be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AllowPrivate {
    /// All of them, or none.
    Any(bool),
    /// Those within these networks, as `ADDRESS/PREFIX`.
    Networks(Vec<String>),
}

impl JsonSchema for AllowPrivate {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AllowPrivate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "boolean" }, { "type": "array", "items": { "type": "string" } }] })
    }
}
