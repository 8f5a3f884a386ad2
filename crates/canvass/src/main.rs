//! canvass: visit every address on a list, politely, once per round, and write down what you found.

use canvass::{commands, exit::Exit};

fn main() -> Exit {
    commands::main()
}
