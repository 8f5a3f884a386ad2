//! How does a stretch of a file go over the wire without being held in memory?

use std::{
    io,
    path::PathBuf,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use sha2::{Digest, Sha256};
use tokio::{
    fs::File,
    io::{AsyncRead, AsyncSeekExt, ReadBuf},
};

use crate::store::{StoreError, blob::hex};

const CHUNK: usize = 64 * 1024;

/// What a request carries; it can be sent again.
#[derive(Debug, Clone)]
pub(super) enum Payload {
    Bytes(Bytes),
    File { path: PathBuf, offset: u64, bytes: u64, sha256: [u8; 32] },
}

impl Payload {
    pub(super) fn empty() -> Payload {
        Payload::Bytes(Bytes::new())
    }

    pub(super) fn bytes(&self) -> u64 {
        match self {
            Payload::Bytes(bytes) => bytes.len() as u64,
            Payload::File { bytes, .. } => *bytes,
        }
    }

    /// The SHA-256 that is signed, in hexadecimal digits: so the server refuses what was damaged on the way.
    pub(super) fn sha256(&self) -> String {
        match self {
            Payload::Bytes(bytes) => hex(&Sha256::digest(bytes)),
            Payload::File { sha256, .. } => hex(sha256),
        }
    }

    /// A body from its first byte on.
    pub(super) async fn open(&self) -> Result<PayloadBody, StoreError> {
        match self {
            Payload::Bytes(bytes) => Ok(PayloadBody::Bytes(bytes.clone())),
            Payload::File { path, offset, bytes, .. } => {
                let mut file = File::open(path).await.map_err(StoreError::io(path))?;
                file.seek(io::SeekFrom::Start(*offset)).await.map_err(StoreError::io(path))?;
                Ok(PayloadBody::File { file, left: *bytes, chunk: Vec::new() })
            }
        }
    }
}

/// A request's body.
pub(super) enum PayloadBody {
    Bytes(Bytes),
    File { file: File, left: u64, chunk: Vec<u8> },
}

impl Body for PayloadBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match &mut *self {
            PayloadBody::Bytes(bytes) if bytes.is_empty() => Poll::Ready(None),
            PayloadBody::Bytes(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            PayloadBody::File { left: 0, .. } => Poll::Ready(None),
            PayloadBody::File { file, left, chunk } => {
                chunk.resize(CHUNK.min(usize::try_from(*left).unwrap_or(CHUNK)), 0);
                let mut buffer = ReadBuf::new(chunk);
                ready!(Pin::new(file).poll_read(context, &mut buffer))?;
                let read = buffer.filled().len();
                if read == 0 {
                    // the hash would not fit either, but only after the whole upload
                    return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())));
                }
                *left -= read as u64;
                let mut full = std::mem::take(chunk);
                full.truncate(read);
                Poll::Ready(Some(Ok(Frame::data(full.into()))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.size_hint().exact() == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match self {
            PayloadBody::Bytes(bytes) => bytes.len() as u64,
            PayloadBody::File { left, .. } => *left,
        })
    }
}
