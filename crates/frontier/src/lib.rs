//! Which URL may be fetched next, and when?

mod codec;
pub mod enlist;
mod front;
mod queue;

pub use front::CompletionFront;
pub use queue::{host_of, walk_open_targets};
