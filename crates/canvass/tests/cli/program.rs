//! How is the program run in a test?

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

/// A folder to run the program in; it goes when the test ends.
pub struct Home(TempDir);

/// Settings under which a round of addresses that are never asked ends at once.
const QUICK: &str = "crawl: {default_crawl_delay_seconds: 0}\n";

/// A list of which no line leads to a request: two private addresses, a repeated line and two that are no targets.
pub const LIST: &str = "website_id,url\n\
                        1,http://127.0.0.1/\n\
                        2,http://10.0.0.1/a\n\
                        1,http://127.0.0.1\n\
                        3,ftp://example.com/\n\
                        4,\n";

impl Home {
    /// An empty folder.
    pub fn empty() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    /// A folder with settings, a migrated catalog and [`LIST`] as `list.csv`.
    pub fn begun() -> Home {
        let home = Home::empty();
        home.write("canvass.yaml", QUICK);
        home.write("list.csv", LIST);
        home.run(&["migrate"]);
        home
    }

    /// A folder in which round `may` of [`LIST`] is done.
    pub fn with_round() -> Home {
        let home = Home::begun();
        let told = home.run(&["crawl", "list.csv", "--round", "may", "--quiet"]);
        assert!(told.ends_with("[exit 0]\n"), "{told}");
        home
    }

    /// A file or folder in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// The names in it.
    pub fn names(&self) -> Vec<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        fs::read_dir(self.0.path()).unwrap().map(name).collect()
    }

    /// What a person sees of a command: standard output, the lines of standard error after a `!`, the exit code.
    pub fn run(&self, arguments: &[&str]) -> String {
        self.feed(arguments, b"")
    }

    /// The same, with standard input.
    pub fn feed(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut child = start(self.0.path(), arguments, Stdio::piped());
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        let mut told = String::from_utf8(output.stdout).unwrap();
        for line in String::from_utf8(output.stderr).unwrap().lines() {
            told += format!("! {line}").trim_end();
            told += "\n";
        }
        told + &format!("[exit {}]\n", output.status.code().unwrap())
    }

    /// What a command prints as JSON.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let told = self.run(arguments);
        let (json, _) = told.rsplit_once("[exit").unwrap();
        serde_json::from_str(json).unwrap_or_else(|problem| panic!("{problem} in\n{told}"))
    }

    /// Whether a command that nobody listens to ends well, and what it says to standard error.
    pub fn run_unheard(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut child = start(self.0.path(), arguments, Stdio::piped());
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

fn start(folder: &Path, arguments: &[&str], stdout: Stdio) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_canvass"));
    // what is set on the machine that tests must not change what a person sees here
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CANVASS_")) {
        command.env_remove(name);
    }
    let piped = command.current_dir(folder).args(arguments).env("COLUMNS", "80").stdin(Stdio::piped());
    piped.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap()
}

/// Fails if a line is wider than 80 columns.
pub fn assert_fits(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
}
