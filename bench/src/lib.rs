//! How fast is canvass beside its peers, and how much memory does it take?
//!
//! Every client is a process of its own on one core; the sandbox that serves them all is a process on another. What a
//! client says of itself is checked, and what it cost is what the kernel says.

pub mod arena;
pub mod bare;
pub mod canvass;
pub mod clients;
pub mod machine;
pub mod measure;
pub mod memory;
pub mod process;
pub mod race;
pub mod serve;
pub mod table;
pub mod technologies;
