//! Where does the tested program live?

use std::{
    cell::Cell,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use tempfile::TempDir;

use super::program::{Ended, PATIENCE, Running, program};

/// A folder with settings of its own and nothing else yet.
pub struct Home {
    dir: TempDir,
    sets: Vec<String>,
    commands: Cell<u32>,
}

impl Home {
    /// Settings from `yaml`, and over them `sets` as `KEY=VALUE`.
    pub fn new(yaml: &str, sets: &[&str]) -> Home {
        let dir = tempfile::tempdir().expect("there is a temporary folder");
        let sets = sets.iter().map(|set| (*set).to_owned()).collect();
        let home = Home { dir, sets, commands: Cell::new(0) };
        home.write_settings(yaml);
        home
    }

    /// The same with the catalog's tables in place.
    pub fn migrated(yaml: &str, sets: &[&str]) -> Home {
        let home = Home::new(yaml, sets);
        home.run(&["migrate"]).expect(0);
        home
    }

    pub fn write_settings(&self, yaml: &str) {
        self.write("canvass.yaml", yaml.as_bytes());
    }

    pub fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("a temporary folder can be written");
        path
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A file of a round.
    pub fn round(&self, round: &str, name: &str) -> PathBuf {
        self.path("data/rounds").join(round).join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.dir.path()).arg("--config").arg(self.path("canvass.yaml"));
        for set in &self.sets {
            command.args(["--set", set]);
        }
        // the environment is a layer of the settings, and the test's own must not be one
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CANVASS_")) {
            command.env_remove(name);
        }
        command.args(args);
        command
    }

    pub fn start(&self, args: &[&str]) -> Running {
        self.start_with(args, None)
    }

    fn start_with(&self, args: &[&str], input: Option<&Path>) -> Running {
        let number = self.commands.get();
        self.commands.set(number + 1);
        Running::start(self.command(args), &self.path(&format!("command-{number}")), input)
    }

    pub fn run(&self, args: &[&str]) -> Ended {
        self.start(args).wait(PATIENCE)
    }

    /// Runs a command that reads `input`.
    pub fn run_with(&self, args: &[&str], input: &Path) -> Ended {
        self.start_with(args, Some(input)).wait(PATIENCE)
    }

    /// Crawls `list` as `round` to its end.
    pub fn crawl(&self, round: &str, list: &Path) -> Ended {
        self.run(&["crawl", "--quiet", "--round", round, text(list)])
    }

    /// Runs a command and reads the JSON that it prints.
    #[track_caller]
    pub fn json(&self, args: &[&str], code: i32) -> serde_json::Value {
        let printed = self.run(args).expect(code);
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{args:?}: {error} in {printed}"))
    }

    /// Starts a crawl and waits until `ready`.
    pub fn start_until(&self, args: &[&str], what: &str, mut ready: impl FnMut() -> bool) -> Running {
        let mut running = self.start(args);
        super::wait_until(what, Duration::from_secs(60), || {
            if let Some(status) = running.status() {
                panic!("{what}: ended before with {status}: {}", running.stderr());
            }
            ready()
        });
        running
    }
}

/// A path that is known to be text.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary folder has a plain name")
}
