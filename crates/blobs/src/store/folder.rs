//! How is a folder a store?

use std::{
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use tokio::io::AsyncReadExt;

use super::{Blob, Download, DownloadFrom, Entry, ErrorKind, Head, StoreError, blob::in_background};
use crate::{TEMPORARY_SUFFIX, sync_folder};

const CHUNK: usize = 64 * 1024;

/// A folder whose files are blobs, their paths below it the keys.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(super) fn new(root: &Path) -> Folder {
        Folder { root: root.to_owned() }
    }

    /// Copies the blob beside its place and renames it there; `false` if there is one already and it must stay.
    pub(super) async fn put(&self, key: &str, blob: &Blob, over: bool) -> Result<bool, StoreError> {
        let (to, blob) = (self.root.join(key), blob.clone());
        in_background(move || {
            let folder = to.parent().unwrap_or(Path::new("/"));
            fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
            let temporary = temporary_of(&to);
            // held to the end, so that two writers of one key take turns
            let file = open_alone(&temporary).map_err(StoreError::io(&temporary))?;
            let done = copy(&blob, &file, &temporary).and_then(|()| rename(&temporary, &to, over));
            if !matches!(done, Ok(true)) {
                // a leftover may always be deleted, and the next attempt would write over it
                let _ = fs::remove_file(&temporary);
            }
            let done = done?;
            sync_folder(folder).map_err(StoreError::io(folder))?;
            Ok(done)
        })
        .await
    }

    pub(super) async fn head(&self, key: &str) -> Result<Option<Head>, StoreError> {
        let path = self.root.join(key);
        in_background(move || match fs::metadata(&path) {
            Ok(found) if found.is_file() => Ok(Some(Head { bytes: found.len(), sha256: None, etag: None })),
            Ok(_) => Ok(None),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(StoreError::io(&path)(error)),
        })
        .await
    }

    pub(super) async fn get(&self, key: &str) -> Result<Option<Download>, StoreError> {
        let Some(head) = self.head(key).await? else { return Ok(None) };
        let path = self.root.join(key);
        let file = match tokio::fs::File::open(&path).await {
            Ok(file) => file,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(StoreError::io(&path)(error)),
        };
        let reading = Reading { file, path, left: head.bytes };
        Ok(Some(Download { bytes: head.bytes, from: DownloadFrom::Folder(reading) }))
    }

    pub(super) async fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let mut walk = Walk {
            root: self.root.clone(),
            prefix: prefix.to_owned(),
            after: after.map(str::to_owned),
            limit,
            found: Vec::new(),
        };
        in_background(move || {
            walk.folder("")?;
            Ok(walk.found)
        })
        .await
    }

    pub(super) async fn delete(&self, key: &str) -> Result<(), StoreError> {
        let path = self.root.join(key);
        in_background(move || match fs::remove_file(&path) {
            Ok(()) => Ok(()),
            Err(error) if is_absent(&error) => Ok(()),
            Err(error) => Err(StoreError::io(&path)(error)),
        })
        .await
    }
}

/// The name is fixed, so that the next attempt after a crash writes over the leftover of the last.
fn temporary_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY_SUFFIX);
    name.into()
}

/// Opens a temporary file that no other writer has open; after a wait it may be another file under the same name.
fn open_alone(path: &Path) -> io::Result<File> {
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        file.lock()?;
        match fs::metadata(path) {
            Ok(there) if (there.dev(), there.ino()) == inode(&file)? => return Ok(file),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

fn inode(file: &File) -> io::Result<(u64, u64)> {
    let found = file.metadata()?;
    Ok((found.dev(), found.ino()))
}

fn copy(blob: &Blob, mut to: &File, path: &Path) -> Result<(), StoreError> {
    let mut from = File::open(blob.path()).map_err(StoreError::io(blob.path()))?;
    to.set_len(0).map_err(StoreError::io(path))?;
    let bytes = io::copy(&mut from, &mut to).map_err(StoreError::io(path))?;
    if bytes != blob.bytes() {
        let message = format!("{}: has changed since it was hashed", blob.path().display());
        return Err(StoreError::new(ErrorKind::Io, message));
    }
    to.sync_all().map_err(StoreError::io(path))
}

fn rename(from: &Path, to: &Path, over: bool) -> Result<bool, StoreError> {
    if over {
        fs::rename(from, to).map_err(StoreError::io(to))?;
        return Ok(true);
    }
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::EXIST) => Ok(false),
        // some network file systems cannot; looking first is the next best
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            if to.exists() {
                return Ok(false);
            }
            fs::rename(from, to).map_err(StoreError::io(to))?;
            Ok(true)
        }
        Err(error) => Err(StoreError::io(to)(error.into())),
    }
}

/// Whether nothing can be there: no such name, or a file where a folder would have to be.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Collects a page of a listing; of the folders it holds one per level in memory.
struct Walk {
    root: PathBuf,
    prefix: String,
    after: Option<String>,
    limit: usize,
    found: Vec<Entry>,
}

impl Walk {
    /// Walks the folder of this key, which is empty or ends with a slash.
    fn folder(&mut self, key: &str) -> Result<(), StoreError> {
        let path = self.root.join(key);
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) => return Err(StoreError::io(&path)(error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(StoreError::io(&path))?;
            // a name that is not text is no key of ours
            let Ok(name) = entry.file_name().into_string() else { continue };
            let is_folder = entry.file_type().map_err(StoreError::io(&path))?.is_dir();
            // with its slash a folder sorts where its keys do
            names.push(if is_folder { format!("{key}{name}/") } else { format!("{key}{name}") });
        }
        names.sort_unstable();
        for name in names {
            if self.found.len() >= self.limit {
                return Ok(());
            }
            if name.ends_with('/') {
                let leads_there = name.starts_with(&self.prefix) || self.prefix.starts_with(&name);
                let ends_before =
                    self.after.as_ref().is_some_and(|after| *after > name && !after.starts_with(&name));
                if leads_there && !ends_before {
                    self.folder(&name)?;
                }
                continue;
            }
            let is_after = self.after.as_ref().is_none_or(|after| name > *after);
            if !is_after || !name.starts_with(&self.prefix) || name.ends_with(TEMPORARY_SUFFIX) {
                continue;
            }
            match fs::metadata(self.root.join(&name)) {
                Ok(file) if file.is_file() => self.found.push(Entry { key: name, bytes: file.len() }),
                Ok(_) => {}
                Err(error) if is_absent(&error) => {}
                Err(error) => return Err(StoreError::io(&self.root.join(&name))(error)),
            }
        }
        Ok(())
    }
}

/// A file that is being read.
#[derive(Debug)]
pub(super) struct Reading {
    file: tokio::fs::File,
    path: PathBuf,
    left: u64,
}

impl Reading {
    pub(super) async fn next_chunk(&mut self) -> Result<Option<Bytes>, StoreError> {
        if self.left == 0 {
            return Ok(None);
        }
        let mut chunk = vec![0; CHUNK.min(usize::try_from(self.left).unwrap_or(CHUNK))];
        let read = self.file.read(&mut chunk).await.map_err(StoreError::io(&self.path))?;
        if read == 0 {
            let message = format!("{}: ends {} bytes early", self.path.display(), self.left);
            return Err(StoreError::new(ErrorKind::Corrupt, message));
        }
        self.left -= read as u64;
        chunk.truncate(read);
        Ok(Some(chunk.into()))
    }
}
