//! What does a home hold: which rows are in its catalog, and which files stand beside it?

use std::{collections::BTreeMap, fmt, fs, path::Path};

use catalog::{Catalog, OpenOptions, Session, Statement};
use tokio::runtime::Runtime;

use super::home::Home;

/// What `process`, `aggregate`, `changes` and `archive` write.
const TABLES: [&str; 9] = [
    "pages",
    "matches",
    "processed_segments",
    "processed_months",
    "findings",
    "site_months",
    "changes",
    "dual_vendors",
    "archives",
];
/// Columns that say when a row was written, which no two runs have in common.
const TIMES: [&str; 3] = ["started_at", "created_at", "updated_at"];
/// Columns of which only matters whether there is a time.
const MARKS: [&str; 2] = ["finished_at", "removed_at"];
/// Folders of a round that are not about the way from segments to a delivery.
const OTHER_FOLDERS: [&str; 2] = ["logs", "frontier"];

/// Which catalog is read.
#[derive(Debug, Clone)]
pub struct Database {
    pub url: String,
}

impl Database {
    /// The file in a home's data folder.
    pub fn of(home: &Home) -> Database {
        Database { url: format!("sqlite:{}", home.path("data/canvass.db").display()) }
    }

    /// The answer's only column, which must be called `it`, row by row.
    pub fn ask(&self, question: &str) -> Vec<String> {
        Runtime::new().unwrap().block_on(async { ask(&self.open().await, question).await })
    }

    /// Every row of every table that processing fills, as text, in order.
    fn tables(&self) -> BTreeMap<String, Vec<String>> {
        Runtime::new().unwrap().block_on(async {
            let catalog = self.open().await;
            let mut tables = BTreeMap::new();
            for table in TABLES {
                let question = every_row(&catalog, table).await;
                let mut rows = ask(&catalog, &question).await;
                rows.sort_unstable();
                tables.insert(table.to_owned(), rows);
            }
            tables
        })
    }

    async fn open(&self) -> Catalog {
        let options = OpenOptions { max_connections: 1, ..OpenOptions::default() };
        Catalog::open(&self.url, options).await.expect("the catalog can be opened")
    }
}

async fn ask(catalog: &Catalog, question: &str) -> Vec<String> {
    let statement = Statement::ad_hoc("test/ask", question.to_owned().leak());
    let answer = catalog.run(statement, []).await.expect("a question is answered");
    answer.rows.iter().map(|row| row.text("it").expect("it is a text")).collect()
}

/// The question for a table's rows, each as one text. Columns are looked up, so that a new one is compared too.
async fn every_row(catalog: &Catalog, table: &str) -> String {
    let columns = match catalog.session() {
        Session::Sqlite(_) => format!("SELECT name AS it FROM pragma_table_info('{table}')"),
        Session::Postgres(_) => format!(
            "SELECT column_name::text AS it FROM information_schema.columns WHERE table_name = '{table}' \
             AND table_schema = current_schema() ORDER BY ordinal_position"
        ),
    };
    let columns = ask(catalog, &columns).await;
    assert!(columns.len() > 2, "{table} has the columns {columns:?}");
    let parts: Vec<String> = columns
        .iter()
        .filter(|column| !TIMES.contains(&column.as_str()))
        .map(|column| match MARKS.contains(&column.as_str()) {
            true => format!("CAST({column} IS NOT NULL AS text)"),
            false => format!("COALESCE(CAST({column} AS text), '-')"),
        })
        .collect();
    format!("SELECT {} AS it FROM {table}", parts.join(" || ' | ' || "))
}

/// Rows and files, by table and by `files`; two of them are compared without looking at when they were made.
#[derive(Clone, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<String, Vec<String>>);

impl Snapshot {
    /// The tables of a catalog and the files of a home.
    pub fn take(home: &Home, database: &Database) -> Snapshot {
        let mut all = database.tables();
        let mut files = Vec::new();
        list_files(&home.path("data"), "", &mut files);
        files.sort_unstable();
        all.insert("files".to_owned(), files);
        Snapshot(all)
    }

    /// The rows of a table, or the files.
    pub fn of(&self, name: &str) -> &[String] {
        &self.0[name]
    }

    /// The same without the files.
    pub fn tables(mut self) -> Snapshot {
        self.0.remove("files");
        self
    }

    /// What is in one of the two only, some of it in words; nothing if they are equal.
    pub fn differences(&self, expected: &Snapshot) -> Vec<String> {
        const SOME: usize = 5;
        let mut told = Vec::new();
        for (name, wanted) in &expected.0 {
            let mut surplus: BTreeMap<&str, i64> = BTreeMap::new();
            for row in self.of(name) {
                *surplus.entry(row).or_default() += 1;
            }
            for row in wanted {
                *surplus.entry(row).or_default() -= 1;
            }
            surplus.retain(|_, times| *times != 0);
            let words = |(row, times): (&&str, &i64)| match times {
                ..0 => format!("{name}: {} × missing: {row}", -times),
                _ => format!("{name}: {times} × too many: {row}"),
            };
            told.extend(surplus.iter().take(SOME).map(words));
            if surplus.len() > SOME {
                told.push(format!("{name}: and {} more", surplus.len() - SOME));
            }
        }
        told
    }
}

/// How many there are of each.
impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> =
            self.0.iter().map(|(name, rows)| format!("{} {name}", rows.len())).collect();
        f.write_str(&counts.join(", "))
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Each file below `folder` with its length and checksum, but for the catalog's own and what is not of this way.
fn list_files(folder: &Path, within: &str, into: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("a folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let shown = format!("{within}{name}");
        if path.is_dir() {
            if !OTHER_FOLDERS.contains(&name.as_str()) {
                list_files(&path, &format!("{shown}/"), into);
            }
        } else if !shown.starts_with("canvass.db") {
            let content = content_without_times(&path);
            let mut crc = flate2::Crc::new();
            crc.update(&content);
            into.push(format!("{shown} of {} bytes, {:08x}", content.len(), crc.sum()));
        }
    }
}

/// A file's bytes; a manifest says when it was made, which no two have in common.
fn content_without_times(path: &Path) -> Vec<u8> {
    let content = fs::read(path).expect("a file can be read");
    if !path.ends_with("export/manifest.json") {
        return content;
    }
    let mut manifest: serde_json::Value = serde_json::from_slice(&content).expect("a manifest is JSON");
    let made = manifest.as_object_mut().and_then(|fields| fields.remove("made_at"));
    assert!(made.is_some(), "the manifest does not say when it was made: {manifest}");
    manifest.to_string().into_bytes()
}
