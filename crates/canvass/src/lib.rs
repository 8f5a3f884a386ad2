//! How do the parts become one program?

pub mod commands;
pub mod exit;
pub mod settings;
