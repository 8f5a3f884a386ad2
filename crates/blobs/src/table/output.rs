//! How is a file hashed and counted while it is written?

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

use sha2::{Digest, Sha256};

/// A file that is written from its beginning to its end.
pub(super) struct Output {
    file: BufWriter<File>,
    hash: Sha256,
    bytes: u64,
}

impl Output {
    /// Begins a new file. What has the name loses it and is not written over: whoever may still be writing to it goes on
    /// in a file of its own, and the two never mix.
    pub(super) fn create(path: &Path) -> io::Result<Output> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = BufWriter::with_capacity(1 << 16, File::create_new(path)?);
        Ok(Output { file, hash: Sha256::new(), bytes: 0 })
    }

    pub(super) fn write_whole(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Makes it durable; its size and its SHA-256.
    pub(super) fn finish(self) -> io::Result<(u64, String)> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        Ok((self.bytes, hex(&self.hash.finalize())))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_whole(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
