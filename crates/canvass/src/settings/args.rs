//! How does a command line name its settings?

use std::path::{Path, PathBuf};

use super::{DEFAULT_FILE, Loaded, Settings, SettingsProblems};

/// Which settings a command runs with. Every command has these.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct SettingsArgs {
    /// The settings file [default: canvass.yaml, if it is there]
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// Set one value for this run, over file and environment; may be repeated
    ///
    /// KEY is a dotted key as `canvass config show` prints it. VALUE is text or YAML:
    /// --set crawl.concurrency=8 --set network.allow_private='[127.0.0.0/8]'
    #[arg(long = "set", value_name = "KEY=VALUE", global = true, value_parser = key_and_value)]
    pub overrides: Vec<(String, String)>,
}

impl SettingsArgs {
    /// The file that these arguments mean: the named one, or the default one if it is there.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        self.config.clone().or_else(|| Path::new(DEFAULT_FILE).exists().then(|| PathBuf::from(DEFAULT_FILE)))
    }

    /// Reads the settings that these arguments mean.
    ///
    /// # Errors
    /// Everything that is wrong with them, at once.
    pub fn load(&self, env: &dyn Fn(&str) -> Option<String>) -> Result<Loaded, SettingsProblems> {
        Settings::load(self.file().as_deref(), &self.overrides, env)
    }
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.to_owned())),
        _ => Err("write it as KEY=VALUE, as in `--set crawl.concurrency=8`".to_owned()),
    }
}
