//! How many bytes were looked at, whatever was charged for them?
//!
//! Tests ask this of hostile pages: a clock depends on the machine, and the engine's own account may be wrong.

use std::cell::Cell;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// Counts bytes that are looked at for one rule.
pub(super) fn count(bytes: usize) {
    BYTES.set(BYTES.get() + bytes);
}

/// How many bytes were counted in this thread since it was last asked.
pub(super) fn taken() -> usize {
    BYTES.take()
}
