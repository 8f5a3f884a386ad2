//! How does a file of the export become the one that is delivered?
//!
//! Gzip without a time or a name in it: the same content gives the same bytes, so that an upload which a crash cut off
//! from its note in the ledger is recognised.

use std::{
    fs::{self, File},
    io::{BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use blobs::store::Blob;
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

use super::manifest::delivered_name;
use crate::jobs::export::ExportedFile;

const CHUNK: usize = 256 * 1024;

/// A folder for what is about to be sent; emptied when it is made and gone when it is dropped.
pub struct Spool {
    folder: PathBuf,
}

impl Spool {
    /// Makes the folder, without what a crash left in it.
    pub fn new(folder: PathBuf) -> Result<Spool> {
        let made = match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir_all(&folder),
        };
        made.with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Spool { folder })
    }

    /// Compresses a file of the export, and checks that it is the one that its manifest tells of.
    pub async fn compress(&self, export: &Path, file: &ExportedFile) -> Result<Blob> {
        let (from, file) = (export.join(&file.name), file.clone());
        let to = self.folder.join(delivered_name(&file.name));
        let done = tokio::task::spawn_blocking(move || {
            compress(&from, &to, &file).with_context(|| format!("cannot compress {}", from.display()))?;
            anyhow::Ok(to)
        });
        Ok(Blob::of_file(done.await??).await?)
    }

    /// Takes this content as a file.
    pub async fn keep(&self, name: &str, content: &[u8]) -> Result<Blob> {
        let path = self.folder.join(name);
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Blob::of_file(path).await?)
    }

    /// Makes room on the disk again.
    pub fn drop_blob(&self, blob: &Blob) {
        // what stays is removed with the folder
        let _ = fs::remove_file(blob.path());
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::warn!(%error, folder = %self.folder.display(), "the spool stays until the next delivery");
        }
    }
}

fn compress(from: &Path, to: &Path, file: &ExportedFile) -> Result<()> {
    let mut source = File::open(from)?;
    let target = BufWriter::with_capacity(CHUNK, File::create(to)?);
    // 255 is "unknown": the system must not show in the bytes either
    let mut gzip = GzBuilder::new().mtime(0).operating_system(255).write(target, Compression::default());
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = source.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        hash.update(&chunk[..read]);
        gzip.write_all(&chunk[..read])?;
    }
    gzip.finish()?.flush()?;
    if hex(&hash.finalize()) != file.sha256 {
        bail!("it is not the file that the manifest tells of: run `canvass export` again");
    }
    Ok(())
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // writing to a string cannot fail
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exported(name: &str, content: &[u8]) -> ExportedFile {
        let sha256 = hex(&Sha256::digest(content));
        ExportedFile { name: name.to_owned(), rows: 1, bytes: content.len() as u64, sha256 }
    }

    #[tokio::test]
    async fn the_same_content_gives_the_same_bytes_and_comes_back_whole() {
        let dir = tempfile::tempdir().unwrap();
        let content = "site,signal\n".repeat(100_000).into_bytes();
        fs::write(dir.path().join("a.csv"), &content).unwrap();
        let file = exported("a.csv", &content);
        let mut made = Vec::new();
        for folder in ["one", "two"] {
            let spool = Spool::new(dir.path().join(folder)).unwrap();
            let blob = spool.compress(dir.path(), &file).await.unwrap();
            made.push(fs::read(blob.path()).unwrap());
            drop(spool);
            assert!(!dir.path().join(folder).exists());
        }
        assert_eq!(made[0], made[1]);
        // bytes 4 to 7 are the time
        assert_eq!(made[0][4..8], [0; 4]);
        let mut back = Vec::new();
        flate2::read::GzDecoder::new(made[0].as_slice()).read_to_end(&mut back).unwrap();
        assert_eq!(back, content);
    }

    #[tokio::test]
    async fn a_file_that_changed_since_its_manifest_is_not_delivered() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.csv"), "new").unwrap();
        let spool = Spool::new(dir.path().join("spool")).unwrap();
        let error = spool.compress(dir.path(), &exported("a.csv", b"old")).await.unwrap_err();
        assert!(format!("{error:#}").contains("run `canvass export` again"), "{error:#}");
    }
}
