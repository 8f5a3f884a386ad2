//! Where does a decoded body's memory come from, thousands of times a second?
//!
//! Most bodies are read once and dropped on the thread that decoded them. Their memory is handed to the next one while
//! the processor still has it in its caches, and nothing is zeroed or faulted in anew.

use std::cell::RefCell;

use bytes::Bytes;

/// Larger buffers are given back to the system.
const MAX_KEPT_BYTES: usize = 256 << 10;
/// How many are kept for each thread.
const MAX_KEPT: usize = 4;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// A buffer of `size` bytes with anything in it.
pub(super) fn take(size: usize) -> Vec<u8> {
    let mut buffer = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
    buffer.resize(size, 0);
    buffer
}

/// The bytes of a decoded body; their memory is used again when the last reader is gone.
pub(crate) fn lend(bytes: Vec<u8>) -> Bytes {
    Bytes::from_owner(Lent(bytes))
}

struct Lent(Vec<u8>);

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.0);
        if buffer.capacity() > MAX_KEPT_BYTES {
            return;
        }
        // a thread that is ending has no use for it
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MAX_KEPT {
                spare.push(buffer);
            }
        });
    }
}
