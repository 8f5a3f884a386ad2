//! How does the program say how it went?

use std::process::{ExitCode, Termination};

/// The outcome of a command, as the shell and a scheduler see it. Every command returns one of these and no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// It did what was asked.
    Done = 0,
    /// It did what was asked and has something to tell: failures above the threshold, or findings.
    Findings = 1,
    /// It could not run, or had to stop before the end.
    CouldNotRun = 2,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}
