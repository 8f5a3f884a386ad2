//! Where were these numbers measured?

use std::{fs, path::Path, process::Command};

/// The machine, the day, the command and the canvass that was measured, as lines of a list in Markdown.
#[must_use]
pub fn describe(root: &Path, canvass: &Path) -> String {
    lines(root, "bench/crawl") + &format!("- canvass: {}\n", first_line(canvass, "--version"))
}

/// The machine, the day and the command, as lines of a list in Markdown.
#[must_use]
pub fn lines(root: &Path, program: &str) -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    let cores = cpu.lines().filter(|line| line.starts_with("processor")).count();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok());
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let lines = [
        format!(
            "machine: {} × {}, {} GiB, Linux {}",
            cores,
            model.unwrap_or("unknown CPU"),
            kib.unwrap_or(0u64) >> 20,
            kernel.trim()
        ),
        format!("files on {}", file_system(root)),
        format!("load before: {}", fs::read_to_string("/proc/loadavg").unwrap_or_default().trim()),
        format!("date: {}", jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC")),
        format!("command: `{}`", format!("{program} {}", arguments.join(" ")).trim()),
    ];
    lines.map(|line| format!("- {}\n", line.trim())).concat()
}

/// What a program says of its version; a program that says nothing has none.
#[must_use]
pub fn first_line(program: &Path, argument: &str) -> String {
    let output = Command::new(program).arg(argument).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().next().unwrap_or("unknown").to_owned()
}

/// The kind of file system that holds a folder: a log on one in memory costs nothing to make durable.
fn file_system(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mounts = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        Some((fields.next()?, fields.next()?))
    });
    let holding = mounts.filter(|(at, _)| folder.starts_with(at)).max_by_key(|(at, _)| at.len());
    holding.map_or("an unknown file system", |(_, kind)| kind).to_owned()
}
