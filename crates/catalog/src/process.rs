//! Which process is this, and is that one still there?

use std::{fs, path::Path};

/// A process as others can tell it apart: process ids are used again, so its start time belongs to its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The machine's name, for people.
    pub host: String,
    /// The boot and the process-id namespace: two processes see the same ids only if both are equal. Empty if unknown.
    pub boot_id: String,
    /// The process id.
    pub pid: i64,
    /// When it started, in clock ticks since boot; 0 if unknown.
    pub pid_started: i64,
}

impl Process {
    /// This process. What the system does not tell stays empty, and then nobody can prove it dead before its time.
    #[must_use]
    pub fn current() -> Process {
        let read =
            |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
        // containers on one machine share its boot id but not its process ids
        let namespace = fs::read_link("/proc/self/ns/pid").ok();
        let boot_id = match (read("/proc/sys/kernel/random/boot_id"), namespace) {
            (boot, Some(namespace)) if !boot.is_empty() => format!("{boot} {}", namespace.display()),
            _ => String::new(),
        };
        let pid = i64::from(std::process::id());
        let pid_started = match started_at(pid) {
            Seen::Started(at) => at,
            Seen::Nobody | Seen::Unknown => 0,
        };
        Process { host: read("/proc/sys/kernel/hostname"), boot_id, pid, pid_started }
    }

    /// Whether the other's process id means the same to this process.
    #[must_use]
    pub fn shares_ids_with(&self, other: &Process) -> bool {
        !self.boot_id.is_empty() && self.boot_id == other.boot_id
    }
}

/// Who can say that a process is gone?
pub trait Liveness: Send + Sync {
    /// Whether the process, whose ids mean the same here, has certainly ended; `false` where it cannot be told.
    fn is_gone(&self, process: &Process) -> bool;
}

impl<F: Fn(&Process) -> bool + Send + Sync> Liveness for F {
    fn is_gone(&self, process: &Process) -> bool {
        self(process)
    }
}

/// Looks in this machine's `/proc`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThisMachine;

impl Liveness for ThisMachine {
    fn is_gone(&self, process: &Process) -> bool {
        match started_at(process.pid) {
            Seen::Started(at) => process.pid_started != 0 && at != process.pid_started,
            Seen::Nobody => true,
            Seen::Unknown => false,
        }
    }
}

enum Seen {
    Started(i64),
    Nobody,
    Unknown,
}

fn started_at(pid: i64) -> Seen {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => match state_and_start(&stat) {
            // it has ended; only its parent has not asked about it yet
            Some(("Z" | "X", _)) => Seen::Nobody,
            Some((_, started)) => Seen::Started(started),
            None => Seen::Unknown,
        },
        // where other users' processes are hidden, process 1 is hidden too, and absence proves nothing
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && Path::new("/proc/1").exists() => {
            Seen::Nobody
        }
        Err(_) => Seen::Unknown,
    }
}

/// Fields 3 and 22 of `/proc/PID/stat`; the name in field 2 may hold spaces and brackets, so counting starts after it.
fn state_and_start(stat: &str) -> Option<(&str, i64)> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace();
    let state = fields.next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_read_past_a_name_that_looks_like_fields() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2";
        assert_eq!(state_and_start(stat), Some(("S", 987_654)));
        assert_eq!(state_and_start("7 (x"), None);
        assert_eq!(state_and_start("7 (x) S 1"), None);
    }

    #[test]
    fn this_process_is_there_and_its_id_with_another_start_time_is_not() {
        let me = Process::current();
        assert!(me.pid_started > 0 && me.shares_ids_with(&me), "{me:?}");
        assert!(!ThisMachine.is_gone(&me));
        assert!(ThisMachine.is_gone(&Process { pid_started: me.pid_started + 1, ..me.clone() }));
        assert!(!ThisMachine.is_gone(&Process { pid_started: 0, ..me }));
    }

    #[test]
    fn a_process_that_ended_is_gone_before_its_parent_asks_and_after() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = i64::from(child.id());
        let process = Process { pid, pid_started: 0, ..Process::current() };
        while !ThisMachine.is_gone(&process) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(ThisMachine.is_gone(&process));
    }
}
