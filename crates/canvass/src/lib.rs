//! The program: commands, jobs, settings.

pub mod clock;
pub mod commands;
pub mod exit;
pub mod explain;
pub mod jobs;
pub mod month;
pub mod pipeline;
pub mod round;
pub mod rules;
pub mod settings;
