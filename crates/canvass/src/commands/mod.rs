//! What can be asked of the program? One file per verb; each is a plain function that returns an exit status.

pub mod config;
pub mod init;
