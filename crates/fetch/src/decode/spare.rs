//! Where does a body's memory come from, thousands of times a second?
//!
//! Most bodies are read once and dropped on the thread that made them. Their memory is handed to the next one while the
//! processor still has it in its caches, and nothing is zeroed or faulted in anew.

use std::{cell::RefCell, thread::LocalKey};

use bytes::Bytes;

/// Larger buffers are given back to the system.
const MAX_KEPT_BYTES: usize = 256 << 10;
/// How many of each kind are kept for each thread.
const MAX_KEPT: usize = 4;

type Spare = RefCell<Vec<Vec<u8>>>;

thread_local! {
    // apart, because a body is several times as large when it is decoded
    static WIRE: Spare = const { RefCell::new(Vec::new()) };
    static DECODED: Spare = const { RefCell::new(Vec::new()) };
}

/// An empty buffer for a body as it comes.
pub(crate) fn take_for_wire(capacity: usize) -> Vec<u8> {
    let mut buffer = WIRE.with_borrow_mut(Vec::pop).unwrap_or_default();
    buffer.clear();
    buffer.reserve_exact(capacity);
    buffer
}

/// A buffer of `size` bytes with anything in it, for a decoded body.
pub(super) fn take_for_decoded(size: usize) -> Vec<u8> {
    let mut buffer = DECODED.with_borrow_mut(Vec::pop).unwrap_or_default();
    buffer.resize(size, 0);
    buffer
}

/// The bytes of a body as it came; their memory is used again when the last reader is gone.
pub(crate) fn lend_wire(bytes: Vec<u8>) -> Bytes {
    Bytes::from_owner(Lent { bytes, home: &WIRE })
}

/// Likewise of a decoded body.
pub(crate) fn lend_decoded(bytes: Vec<u8>) -> Bytes {
    Bytes::from_owner(Lent { bytes, home: &DECODED })
}

struct Lent {
    bytes: Vec<u8>,
    home: &'static LocalKey<Spare>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.bytes);
        if buffer.capacity() > MAX_KEPT_BYTES {
            return;
        }
        // a thread that is ending has no use for it
        let _ = self.home.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MAX_KEPT {
                spare.push(buffer);
            }
        });
    }
}
