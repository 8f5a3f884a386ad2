//! How does a command line name its settings?

use std::path::{Path, PathBuf};

use super::{DEFAULT_FILE, Loaded, Settings, SettingsProblems};

/// Which settings a command runs with. Every command has these.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct SettingsArgs {
    /// The settings file [default: canvass.yaml, if it is there]
    #[arg(long, value_name = "FILE", global = true, help_heading = "Settings")]
    pub config: Option<PathBuf>,
    /// Set one value for this run, over file and environment; may be repeated
    ///
    /// KEY is a dotted key as `canvass config show` prints it, VALUE is text or YAML, as in
    /// `--set crawl.concurrency=8`.
    #[arg(
        long = "set",
        value_name = "KEY=VALUE",
        global = true,
        value_parser = key_and_value,
        help_heading = "Settings"
    )]
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        settings: SettingsArgs,
    }

    #[test]
    fn set_takes_a_key_and_everything_after_the_first_equals_sign() {
        let line = [
            "x",
            "--config",
            "a.yaml",
            "--set",
            "storage.cache_url=redis://c?a=b",
            "--set",
            "crawl.http2=false",
        ];
        let SettingsArgs { config, overrides } = Line::try_parse_from(line).unwrap().settings;
        assert_eq!(config, Some(PathBuf::from("a.yaml")));
        let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(overrides, [set("storage.cache_url", "redis://c?a=b"), set("crawl.http2", "false")]);
    }

    #[test]
    fn set_without_a_key_or_a_value_says_how_to_write_it() {
        for wrong in ["crawl.http2", "=3"] {
            let error = Line::try_parse_from(["x", "--set", wrong]).err().unwrap().to_string();
            assert!(error.contains("write it as KEY=VALUE, as in `--set crawl.concurrency=8`"), "{error}");
        }
    }
}
