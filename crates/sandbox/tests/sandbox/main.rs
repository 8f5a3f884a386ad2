//! Is the sandbox what it says it is?

mod answers;
mod client;
mod months;
mod robots;
mod serving;
mod tls;
mod world;
