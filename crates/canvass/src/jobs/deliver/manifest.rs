//! What did the export leave to deliver, and what is told to whoever gets it?

use std::{fs::File, io::Read, path::Path};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::jobs::export::{ExportedFile, MANIFEST_FILE, SCHEMA_VERSION};

/// A manifest has some dozen files; what is longer is none.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What an export says of itself, as far as a delivery must know it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Manifest {
    /// The version of this form.
    pub schema_version: u64,
    /// The round that was exported.
    pub round: String,
    /// The month that it tells of.
    pub month: String,
    /// The files.
    pub files: Vec<ExportedFile>,
    /// Whatever else it says, which a delivery hands on.
    #[serde(flatten)]
    rest: Map<String, Json>,
}

impl Manifest {
    /// Reads the manifest of an export's folder.
    pub fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join(MANIFEST_FILE);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                bail!("there is no export at {}: run `canvass export`", path.display());
            }
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let mut text = Vec::new();
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut text)
            .with_context(|| format!("cannot read {}", path.display()))?;
        if text.len() as u64 > MAX_BYTES {
            bail!("{} is too long to be a manifest: run `canvass export` again", path.display());
        }
        let manifest: Manifest = serde_json::from_slice(&text)
            .with_context(|| format!("{} is damaged: run `canvass export` again", path.display()))?;
        manifest.check().with_context(|| format!("{} is no manifest of an export", path.display()))?;
        Ok(manifest)
    }

    fn check(&self) -> Result<()> {
        if self.schema_version != u64::from(SCHEMA_VERSION) {
            bail!("it is of version {}, and this canvass knows {SCHEMA_VERSION}", self.schema_version);
        }
        for (at, file) in self.files.iter().enumerate() {
            let ExportedFile { name, sha256, .. } = file;
            let is_plain = !name.is_empty()
                && !name.starts_with('.')
                && name.len() <= 200
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
            if !is_plain || name == MANIFEST_FILE {
                bail!("`{}` cannot be the name of a file in it", name.escape_debug());
            }
            if sha256.len() != 64 || !sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
                bail!("the file `{name}` has no SHA-256 in it");
            }
            if self.files[..at].iter().any(|other| other.name == *name) {
                bail!("the file `{name}` is in it twice");
            }
        }
        Ok(())
    }

    /// The manifest of a delivery of these files. It follows from their content alone: an export that was made again and
    /// came out the same is the same delivery, so the moment of the export is left out.
    pub fn of_delivery(&self, files: &[&ExportedFile]) -> Result<Vec<u8>> {
        let Manifest { schema_version, round, month, files: _, rest } = self;
        let files: Vec<Json> = files
            .iter()
            .map(|file| {
                let ExportedFile { name, rows, bytes, sha256 } = file;
                json!({
                    "name": name, "rows": rows, "bytes": bytes, "sha256": sha256,
                    "delivered_as": delivered_name(name),
                })
            })
            .collect();
        let mut told = Map::new();
        told.insert("schema_version".to_owned(), json!(schema_version));
        told.insert("round".to_owned(), json!(round));
        told.insert("month".to_owned(), json!(month));
        let handed_on = rest.iter().filter(|(name, _)| *name != "made_at");
        told.extend(handed_on.map(|(name, value)| (name.clone(), value.clone())));
        told.insert("files".to_owned(), Json::Array(files));
        let mut text = serde_json::to_vec_pretty(&told)?;
        text.push(b'\n');
        Ok(text)
    }
}

/// What a file is called where it is delivered.
pub fn delivered_name(name: &str) -> String {
    format!("{name}.gz")
}

/// Whether a name fits a pattern in which `*` stands for any characters.
pub fn fits(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn manifest(files: &[&str]) -> Json {
        let files: Vec<Json> = files
            .iter()
            .map(|name| json!({ "name": name, "rows": 1, "bytes": 2, "sha256": "ab".repeat(32) }))
            .collect();
        json!({
            "schema_version": 1, "round": "r", "month": "2026-11", "made_at": 5, "rule_set": 7,
            "files": files, "coverage": { "sites": 3 },
        })
    }

    fn read(value: &Json) -> Result<Manifest> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(MANIFEST_FILE), value.to_string()).unwrap();
        Manifest::read(dir.path())
    }

    #[test]
    fn a_delivery_tells_its_own_files_and_not_when_they_were_made() {
        let read = read(&manifest(&["a.csv", "b.csv"])).unwrap();
        let told: Json = serde_json::from_slice(&read.of_delivery(&[&read.files[1]]).unwrap()).unwrap();
        assert_eq!(
            told,
            json!({
                "schema_version": 1, "round": "r", "month": "2026-11", "rule_set": 7, "coverage": { "sites": 3 },
                "files": [{
                    "name": "b.csv", "rows": 1, "bytes": 2, "sha256": "ab".repeat(32), "delivered_as": "b.csv.gz",
                }],
            })
        );
    }

    #[test]
    fn a_manifest_that_would_lead_astray_is_refused() {
        for bad in [
            "../a",
            "/etc/passwd",
            "a/b",
            "",
            ".",
            ".hidden",
            "a b",
            "manifest.json",
            "a\n",
            &"x".repeat(201),
        ] {
            assert!(read(&manifest(&[bad])).is_err(), "{bad:?}");
        }
        assert!(read(&manifest(&["a.csv", "a.csv"])).is_err());
        let mut newer = manifest(&["a.csv"]);
        newer["schema_version"] = json!(2);
        assert!(read(&newer).is_err());
        let mut unhashed = manifest(&["a.csv"]);
        unhashed["files"][0]["sha256"] = json!("AB");
        assert!(read(&unhashed).is_err());
    }

    #[test]
    fn a_pattern_stands_for_the_names_that_it_covers() {
        for (name, pattern, expected) in [
            ("a.csv", "*", true),
            ("a.csv", "*.csv", true),
            ("a.csv", "a.csv", true),
            ("a.csv", "a", false),
            ("a.csv", "*.json", false),
            ("Findings_2026-11.csv", "Findings_*.csv", true),
            ("Findings_.csv", "Findings_*.csv", true),
            ("aba", "a*a*a", false),
            ("abab", "a*b*b", true),
            ("", "*", true),
            ("ab", "*a*b*", true),
        ] {
            assert_eq!(fits(name, pattern), expected, "{name} {pattern}");
        }
    }

    proptest! {
        #[test]
        fn a_name_fits_itself_with_anything_starred_out(name in "[ab.]{0,12}", from in 0usize..12, to in 0usize..12) {
            let (from, to) = (from.min(name.len()), to.min(name.len()));
            let pattern = format!("{}*{}", &name[..from.min(to)], &name[from.max(to)..]);
            prop_assert!(fits(&name, &pattern), "{} {}", name, pattern);
        }
    }
}
