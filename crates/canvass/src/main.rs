//! canvass: visit every address on a list, politely, once per round, and write down what you found.

use canvass::{commands, exit::Exit};

// pages are allocated on one thread and freed on another, thousands of times a second: the system's allocator faults
// their memory in anew each time
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Exit {
    commands::main()
}
