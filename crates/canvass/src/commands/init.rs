//! How does somebody begin?

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use serde_json::json;

use crate::{
    clock::Clock,
    exit::Exit,
    jobs::connect_catalog,
    settings::{DEFAULT_FILE, Settings, field_at, key_lines, wrapped},
};

/// What `canvass init` is asked for.
#[derive(Debug, clap::Args)]
pub struct InitArgs {
    /// The folder to begin in; made if it is not there
    #[arg(default_value = ".")]
    pub dir: PathBuf,
    /// Write canvass.yaml anew; the one that is there is kept as canvass.yaml.bak
    #[arg(long)]
    pub force: bool,
    /// Print the paths as JSON
    #[arg(long)]
    pub json: bool,
}

/// What was written.
#[derive(Debug, PartialEq, Eq)]
pub struct Begun {
    /// The settings file.
    pub settings: PathBuf,
    /// The data folder.
    pub data_dir: PathBuf,
}

/// The knobs that people change, in the order in which they meet them.
const STARTERS: &[(&str, &[&str])] = &[
    (
        "crawl",
        &["user_agent", "default_crawl_delay_seconds", "concurrency", "max_content_bytes", "deadline_hours"],
    ),
    ("source", &["key_column", "url_column"]),
    ("normalise", &["trailing_slash", "upgrade_to_https"]),
    ("politeness", &["robots_cache_ttl_hours", "per_ip_concurrency", "max_requests_per_second"]),
    ("storage", &["data_dir", "metadata_db_url"]),
    ("logs", &["level"]),
];

/// Writes a first settings file, makes the data folder and the catalog in it, and says where they are and what is next.
///
/// # Errors
/// Where a settings file is there already and `--force` was not given, or the folder cannot be written to.
pub async fn init(args: &InitArgs, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let Begun { settings, data_dir } = begin(&args.dir, args.force)?;
    let loaded = Settings::load(Some(&settings), &[], &|name| std::env::var(name).ok())?.settings;
    let catalog = connect_catalog(&loaded.storage).await?;
    catalog.migrate(Clock::start().now()).await?;
    if args.json {
        let paths =
            json!({ "settings": settings.display().to_string(), "data_dir": data_dir.display().to_string() });
        writeln!(out, "{paths:#}").context("writing JSON")?;
        return Ok(Exit::Done);
    }
    writeln!(out, "settings  {}\ndata      {}", settings.display(), data_dir.display())
        .context("writing the paths")?;
    writeln!(out, "\nnext: `canvass config show`, then `canvass crawl LIST`").context("writing the paths")?;
    Ok(Exit::Done)
}

/// Writes a first settings file into `dir` and makes the data folder beside it.
///
/// # Errors
/// Where a settings file is there already and `force` is not given, or the folder cannot be written to.
pub fn begin(dir: &Path, force: bool) -> anyhow::Result<Begun> {
    let settings = dir.join(DEFAULT_FILE);
    let data_dir = dir.join(Settings::default().storage.data_dir);
    fs::create_dir_all(dir).with_context(|| format!("cannot make the folder {}", dir.display()))?;
    if force && settings.exists() {
        let kept = dir.join(format!("{DEFAULT_FILE}.bak"));
        fs::rename(&settings, &kept)
            .with_context(|| format!("cannot keep the old file as {}", kept.display()))?;
    }
    match OpenOptions::new().write(true).create_new(true).open(&settings) {
        Ok(mut file) => file
            .write_all(starter_yaml().as_bytes())
            .and_then(|()| file.sync_all())
            .with_context(|| format!("cannot write {}", settings.display()))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{} is there already; --force writes it anew and keeps the old one", settings.display());
        }
        Err(error) => {
            return Err(error).with_context(|| format!("cannot write {}", settings.display()));
        }
    }
    fs::create_dir_all(&data_dir)
        .with_context(|| format!("cannot make the folder {}", data_dir.display()))?;
    Ok(Begun { settings, data_dir })
}

const HEAD: &str = "\
# The settings of canvass. Every key is optional; these are the ones that people
# change, each with its default. Take the `# ` off a key to set it.
#
#   canvass config show     every key, its value and where it came from
#   canvass config check    what is wrong with this file
#   ${NAME} in a value      an environment variable; ${NAME:-text} has a default
";

const TAIL: &str = "
  # A pause of its own for a domain and its subdomains:
  # domain_overrides:
  #   example.com:
  #     crawl_delay_seconds: 5
";

/// The first settings file: made from the settings' own table, so that it cannot fall behind.
fn starter_yaml() -> String {
    let mut text = String::from(HEAD);
    for (section, names) in STARTERS {
        text += &format!("\n{section}:");
        for name in *names {
            let Some(field) = field_at(&format!("{section}.{name}")) else { continue };
            text += "\n";
            for line in wrapped(&field.doc, 76) {
                text += &format!("  # {line}\n");
            }
            for line in key_lines(name, &field.default, 2) {
                text += &format!("  # {line}\n");
            }
        }
        if *section == "politeness" {
            text += TAIL;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn the_first_file_changes_nothing_and_has_no_problem() {
        let text = starter_yaml();
        let loaded = Settings::from_yaml(&text, "canvass.yaml", &|_| None).unwrap();
        assert_eq!(loaded.settings, Settings::default());
        assert_eq!(loaded.origins.set().count(), 0);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn taking_the_marks_off_every_key_gives_the_defaults_again() {
        let starts: Vec<String> =
            STARTERS.iter().flat_map(|(_, names)| names.iter()).map(|name| format!("  # {name}: ")).collect();
        let unmark = |line: &str| match starts.iter().any(|start| line.starts_with(start)) {
            true => line.replacen("# ", "", 1),
            false => line.to_owned(),
        };
        let text: String = starter_yaml().lines().map(|line| unmark(line) + "\n").collect();
        let loaded = Settings::from_yaml(&text, "canvass.yaml", &|_| None).unwrap();
        assert_eq!(loaded.settings, Settings::default());
        assert_eq!(loaded.origins.set().count(), starts.len());
    }

    #[test]
    fn every_starter_is_a_key() {
        for (section, names) in STARTERS {
            for name in *names {
                assert!(field_at(&format!("{section}.{name}")).is_some(), "{section}.{name}");
            }
        }
    }

    #[test]
    fn beginning_twice_is_refused_and_force_keeps_the_old_file() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("new/place");
        let begun = begin(&dir, false).unwrap();
        assert!(begun.data_dir.is_dir());
        fs::write(&begun.settings, "crawl: {concurrency: 3}\n").unwrap();
        let refused = begin(&dir, false).unwrap_err().to_string();
        assert!(
            refused.ends_with("is there already; --force writes it anew and keeps the old one"),
            "{refused}"
        );
        assert_eq!(begin(&dir, true).unwrap(), begun);
        assert_eq!(fs::read_to_string(dir.join("canvass.yaml.bak")).unwrap(), "crawl: {concurrency: 3}\n");
        assert_eq!(fs::read_to_string(&begun.settings).unwrap(), starter_yaml());
    }
}
