//! What is wrong with the settings, and where does it stand?

use std::fmt;

/// Where a value came from. Later ones win: default, file, environment, command line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// A line of the settings file.
    File {
        /// The file, as it was named.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// An environment variable.
    Variable(String),
    /// `--set` on the command line; which key it set.
    Set(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { file, line } => write!(f, "{file}:{line}"),
            Origin::Variable(name) => write!(f, "env {name}"),
            Origin::Set(key) => write!(f, "--set {key}"),
        }
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where it stands.
    pub origin: Origin,
    /// The key that it is about; empty where the file as a whole is meant.
    pub key: String,
    /// What is wrong and what to do, for a person. It never holds a secret.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            // Line 0: the file as a whole.
            Origin::File { file, line: 0 } => write!(f, "{file}: {}", self.message),
            Origin::Default => f.write_str(&self.message),
            origin => write!(f, "{origin}: {}", self.message),
        }
    }
}

/// Everything that is wrong with the settings, in the order of the file, then environment, then command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsProblems(pub Vec<Problem>);

impl fmt::Display for SettingsProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SettingsProblems {}
