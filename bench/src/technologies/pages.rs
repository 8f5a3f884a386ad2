//! Which pages are read?
//!
//! Real ones from an archive or a folder, where there is one; pages made of the pack's own examples otherwise.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use readers::technologies::Example;
use serde::Deserialize;

/// A page as every reader gets it.
#[derive(Debug)]
pub struct Capture {
    /// Its file in the folder that the peers read.
    pub file: String,
    /// Where it came from.
    pub url: String,
    /// The document.
    pub body: Vec<u8>,
}

/// Pages in memory, and as files for programs that want files.
#[derive(Debug)]
pub struct Captures {
    /// The pages, in the order of their files.
    pub pages: Vec<Capture>,
    /// A folder that holds them, with `pages.tsv` naming file and address of each.
    pub folder: PathBuf,
}

impl Captures {
    /// All bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.pages.iter().map(|page| page.body.len() as u64).sum()
    }

    /// Makes pages ready under `work`: those of a `.tar.zst` or a folder, or pages made of examples.
    ///
    /// # Errors
    /// If there is no page, or one cannot be read or written.
    pub fn open(from: Option<&Path>, examples: &[Example], work: &Path) -> Result<Captures> {
        let folder = work.join("pages");
        fs::create_dir_all(&folder)?;
        let pages = match from {
            Some(archive) if archive.is_file() => {
                let unpacked = work.join("unpacked");
                unpack(archive, &unpacked)?;
                real_pages(&unpacked)?
            }
            Some(real) => real_pages(real)?,
            None => pages_of_examples(examples),
        };
        ensure!(!pages.is_empty(), "there is no page to read");
        let mut list = io::BufWriter::new(File::create(folder.join("pages.tsv"))?);
        for page in &pages {
            fs::write(folder.join(&page.file), &page.body)?;
            writeln!(list, "{}\t{}", page.file, page.url)?;
        }
        list.flush()?;
        Ok(Captures { pages, folder })
    }
}

/// Unpacks a `.tar.zst` into a folder.
///
/// # Errors
/// If it is no such archive.
pub fn unpack(archive: &Path, into: &Path) -> Result<()> {
    let file = File::open(archive).with_context(|| format!("cannot open {}", archive.display()))?;
    tar::Archive::new(zstd::Decoder::new(file)?)
        .unpack(into)
        .with_context(|| format!("{} is no archive in tar.zst", archive.display()))
}

/// What a manifest beside the pages says of one.
#[derive(Deserialize)]
struct Entry {
    file: String,
    url: String,
}

fn real_pages(folder: &Path) -> Result<Vec<Capture>> {
    let (mut files, mut urls, mut open) = (Vec::new(), HashMap::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => open.push(path),
                Some("html") => files.push(path),
                Some("json") if path.ends_with("manifest.json") => {
                    let entries: Vec<Entry> = serde_json::from_reader(io::BufReader::new(File::open(path)?))?;
                    urls.extend(entries.into_iter().map(|entry| (entry.file, entry.url)));
                }
                _ => {}
            }
        }
    }
    files.sort();
    let read = |path: PathBuf| {
        let file =
            path.file_name().and_then(|name| name.to_str()).context("a name that is not UTF-8")?.to_owned();
        let url = urls.get(&file).cloned().unwrap_or_else(|| "https://www.example.com/".to_owned());
        Ok(Capture { file, url, body: fs::read(path)? })
    };
    files.into_iter().map(read).collect()
}

/// Pages of forty examples each, between paragraphs of words: they show everything and look like nothing real.
fn pages_of_examples(examples: &[Example]) -> Vec<Capture> {
    let words = "It is a long way from one example to the next, and a page is mostly words. ".repeat(40);
    let page = |(number, some): (usize, &[Example])| {
        let pieces = some.iter().map(|example| format!("{}\n<p>{words}</p>\n", example.html));
        let body = format!("<!doctype html><html><body>{}</body></html>", pieces.collect::<String>());
        Capture {
            file: format!("{number:05}.html"),
            url: "https://www.example.com/".to_owned(),
            body: body.into_bytes(),
        }
    };
    examples.chunks(40).enumerate().map(page).collect()
}
