//! Which URL may be fetched next, and when?

mod codec;
pub mod enlist;
mod front;
pub mod normal;
pub mod pace;
mod queue;
pub mod robots;
pub mod schedule;
pub mod site;
pub mod source;

pub use front::CompletionFront;
pub use queue::{host_of, walk_open_targets};
