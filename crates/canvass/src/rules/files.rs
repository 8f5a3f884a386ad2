//! Where are the packs read from?

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};

/// The most that a file of fingerprints may take; the largest that people wrote has a hundredth of it.
pub const MAX_FILE_BYTES: u64 = 16 << 20;
/// The most files of one folder.
const MAX_FILES: usize = 4_096;

/// A file of a pack, not yet understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackFile {
    /// Its name, as people are told it.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// The pack files at these paths: a file is itself, a folder is the `.yaml` files in it, in the order of their names.
pub fn read_packs(paths: &[PathBuf]) -> Result<Vec<PackFile>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            for file in files_in(path, &["yaml", "yml"])? {
                files.push(read_pack(&file)?);
            }
        } else {
            files.push(read_pack(path)?);
        }
    }
    Ok(files)
}

fn read_pack(path: &Path) -> Result<PackFile> {
    let name = path.display().to_string();
    let text = String::from_utf8(read_bounded(path)?).with_context(|| format!("{name} is not UTF-8"))?;
    Ok(PackFile { name, text })
}

/// The files of a folder with one of these extensions, in the order of their names.
pub fn files_in(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>> {
    let unreadable = || format!("cannot read the folder {}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        let fits = path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted));
        if fits && path.is_file() {
            found.push(path);
        }
        ensure!(found.len() <= MAX_FILES, "{} holds more than {MAX_FILES} files", folder.display());
    }
    if found.is_empty() {
        bail!("there is no .{} file in {}", extensions[0], folder.display());
    }
    found.sort();
    Ok(found)
}

/// A whole file, if it is not larger than any that could be meant.
pub fn read_bounded(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read {}", path.display()))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        bail!("{} is larger than {} MiB: is it the right file?", path.display(), MAX_FILE_BYTES >> 20);
    }
    Ok(bytes)
}
