//! How does a file appear whole or not at all?

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// What a half-written file is called; a leftover one may always be deleted.
pub const TEMPORARY_SUFFIX: &str = ".tmp";

/// Writes `path` so that a reader, a crash or a power cut sees the old content or the new one, never a mixture.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut temporary = OsString::from(path);
    temporary.push(TEMPORARY_SUFFIX);
    let mut file = File::create(&temporary)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

/// Makes the names in a folder durable: a rename is not until its folder is synced.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}
