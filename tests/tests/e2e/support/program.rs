//! Which program is tested, and how is it run?

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

/// No command of the program takes longer than this in a test.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// The program, built once in the profile of this test binary.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(build)
}

/// `CANVASS_TEST_PROGRAM` names another build of the program; otherwise cargo makes the one beside this binary.
fn build() -> PathBuf {
    if let Some(named) = env::var_os("CANVASS_TEST_PROGRAM") {
        eprintln!("testing {}, as CANVASS_TEST_PROGRAM says", named.display());
        return named.into();
    }
    // TARGET/PROFILE/deps/e2e-HASH, wherever CARGO_TARGET_DIR put it
    let this = env::current_exe().expect("a running program has a path");
    let folder = this.parent().and_then(Path::parent).expect("cargo puts tests into PROFILE/deps").to_owned();
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        None | Some("debug") => "dev",
        Some(name) => name,
    };
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "canvass", "--bin", "canvass", "--profile", profile]);
    cargo.arg("--target-dir").arg(folder.parent().expect("PROFILE lies in the target folder"));
    cargo.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    eprintln!("building the program: {cargo:?}");
    let status = cargo.status().expect("cargo can be started");
    assert!(status.success(), "the program does not build");
    folder.join("canvass")
}

/// A program that runs; it is killed when this is dropped.
pub struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

/// A program that has ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Running {
    /// Starts a command, its output in files that begin with `output`: a pipe that nobody reads would stop it.
    pub fn start(mut command: Command, output: &Path, input: Option<&Path>) -> Running {
        let (out, err) = (output.with_extension("out"), output.with_extension("err"));
        let file = |path: &Path| File::create(path).expect("a temporary folder can be written");
        let input =
            input.map_or_else(Stdio::null, |path| File::open(path).expect("the input is there").into());
        command.stdin(input).stdout(file(&out)).stderr(file(&err));
        let child = command.spawn().expect("the program can be started");
        Running { child, out, err }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).expect("a child has a number");
        // a child that has ended and is not waited for still has its number, so this hits no other
        kill_process(pid, signal).expect("a child can be signalled");
    }

    /// Waits for the end.
    ///
    /// # Panics
    /// If it does not come within `patience`.
    pub fn wait(mut self, patience: Duration) -> Ended {
        let start = Instant::now();
        loop {
            if let Some(status) = self.status() {
                return self.ended(status);
            }
            assert!(start.elapsed() < patience, "still running after {patience:?}: {}", self.stderr());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// How it ended, if it has.
    pub fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child can be waited for")
    }

    /// What it has said so far.
    pub fn stderr(&self) -> String {
        fs::read_to_string(&self.err).unwrap_or_default()
    }

    /// `kill -9`; says how it had ended if it was quicker.
    pub fn kill(mut self) -> Option<Ended> {
        if let Some(status) = self.status() {
            return Some(self.ended(status));
        }
        self.child.kill().expect("a child can be killed");
        let status = self.child.wait().expect("a child can be waited for");
        // it may have ended by itself in between
        status.code().map(|_| self.ended(status))
    }

    /// What the kernel says of its memory under this name, in bytes; `None` if it has ended.
    pub fn memory(&self, name: &str) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kibibytes << 10)
    }

    fn ended(&self, status: ExitStatus) -> Ended {
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        Ended { code: status.code(), out: read(&self.out), err: read(&self.err) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Ended {
    /// Checks the exit code and gives back the standard output.
    ///
    /// # Panics
    /// If it is another one.
    #[track_caller]
    pub fn expect(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "out: {}\nerr: {}", self.out, self.err);
        self.out
    }
}
