//! canvass
fn main() {}
