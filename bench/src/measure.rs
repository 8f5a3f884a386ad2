//! What does a process cost?

use std::{
    ffi::OsString,
    fs::File,
    io::{Read, Seek},
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use wait4::Wait4;

/// How often a running process is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(25);
/// More than this of a client's words nobody reads.
const ERROR_BYTES: u64 = 4 << 10;

/// What a process cost, from its start to its end.
#[derive(Debug)]
pub struct Cost {
    /// How long it took.
    pub wall: Duration,
    /// User and system time, with those of the children that it waited for.
    pub cpu: Duration,
    /// The most memory that was resident at once, in bytes.
    ///
    /// Linux counts what the parent had when it forked, so the benchmark itself stays small.
    pub peak_rss: u64,
    /// What it wrote to standard output, to be read from the start.
    pub output: File,
    /// How it looked on the way.
    pub looks: Vec<Look>,
}

/// How a process looked at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// When that was.
    pub at: Timestamp,
    /// What was resident, in bytes.
    pub rss: u64,
    /// User and system time so far.
    pub cpu: Duration,
}

/// A program with its arguments.
#[derive(Debug, Clone)]
pub struct Line {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl Line {
    /// A program with these arguments.
    pub fn new(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Line {
        Line { program: program.into(), arguments: arguments.into_iter().map(Into::into).collect() }
    }

    /// The command that runs this on one core.
    #[must_use]
    pub fn on_core(&self, core: usize) -> Command {
        // taskset becomes the program, so its process is the one that is measured.
        let mut command = Command::new("taskset");
        command.arg("-c").arg(core.to_string()).arg(&self.program).args(&self.arguments);
        command
    }

    /// The command that runs this on whatever cores there are.
    #[must_use]
    pub fn anywhere(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }
}

/// Runs a program on one core to its end.
///
/// # Errors
/// If it cannot be started or does not end with 0; its last words are part of the error.
pub fn run(line: &Line, core: usize) -> Result<Cost> {
    run_to_end(line.on_core(core), &line.program.to_string_lossy())
}

/// Runs a program on all cores to its end.
///
/// # Errors
/// If it cannot be started or does not end with 0; its last words are part of the error.
pub fn run_anywhere(line: &Line) -> Result<Cost> {
    run_to_end(line.anywhere(), &line.program.to_string_lossy())
}

fn run_to_end(mut command: Command, name: &str) -> Result<Cost> {
    // Files and not pipes: nobody has to read along, so nobody takes time from the process.
    let (output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let started = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(errors.try_clone()?)
        .spawn()
        .with_context(|| format!("cannot run {} for {name}", command.get_program().display()))?;
    let pid = child.id();
    let (ended, end) = mpsc::channel();
    let looking = thread::spawn(move || look_until(pid, &end));
    let used = child.wait4().with_context(|| format!("cannot wait for {name}"))?;
    let wall = started.elapsed();
    drop(ended);
    let looks = looking.join().unwrap_or_default();
    if !used.status.success() {
        let length = errors.metadata()?.len();
        errors.seek(std::io::SeekFrom::Start(length.saturating_sub(ERROR_BYTES)))?;
        let mut words = Vec::new();
        errors.read_to_end(&mut words)?;
        bail!("{name} ended with {}: {}", used.status, String::from_utf8_lossy(&words).trim());
    }
    let mut output = output;
    output.rewind()?;
    let cpu = used.rusage.utime + used.rusage.stime;
    Ok(Cost { wall, cpu, peak_rss: used.rusage.maxrss, output, looks })
}

fn look_until(pid: u32, end: &mpsc::Receiver<()>) -> Vec<Look> {
    let mut looks = Vec::new();
    while end.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        looks.extend(look(pid));
    }
    looks
}

/// How a process looks now; none once it has ended.
fn look(pid: u32) -> Option<Look> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold anything; what counts comes after the bracket that closes it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok());
    // proc(5): utime, stime in ticks of 10 ms, rss in pages of 4 KiB; the state is the first field here.
    let (user, system, pages) = (number(11)?, number(12)?, number(21)?);
    Some(Look { at: Timestamp::now(), rss: pages * 4_096, cpu: Duration::from_millis((user + system) * 10) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_costs_what_it_uses_and_says_what_it_wrote() {
        let script = "dd if=/dev/zero of=/dev/null bs=64M count=4 2>/dev/null; sleep 0.2; echo done";
        let mut cost = run(&Line::new("sh", ["-c", script]), 0).unwrap();
        assert!(cost.wall >= Duration::from_millis(200) && cost.cpu < cost.wall, "{cost:?}");
        assert!((64 << 20..80 << 20).contains(&cost.peak_rss), "{} bytes", cost.peak_rss);
        assert!(cost.looks.len() > 2, "{:?}", cost.looks);
        let mut words = String::new();
        cost.output.read_to_string(&mut words).unwrap();
        assert_eq!(words, "done\n");
    }

    #[test]
    fn a_process_that_fails_is_an_error_with_its_last_words() {
        let why = run(&Line::new("sh", ["-c", "echo no such luck >&2; exit 3"]), 0).unwrap_err().to_string();
        assert!(why.contains("exit status: 3") && why.contains("no such luck"), "{why}");
    }
}
