//! Where do redirects from elsewhere wait, if half the list redirects to one host?

use std::{
    collections::VecDeque,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::FileExt,
    path::PathBuf,
};

use super::Visit;
use crate::codec::{push_number, take_number};

/// How many wait in memory; the rest wait on disk.
const IN_MEMORY: usize = 64;
const READ_BYTES: usize = 64 << 10;

/// A first-in-first-out queue of visits that spills to a file.
///
/// The file need not survive a crash: a visit that is not in the log starts again from its target.
#[derive(Debug)]
pub(super) struct Arrivals {
    head: VecDeque<Visit>,
    spill: PathBuf,
    spilled: u64,
    read_from: u64,
}

impl Arrivals {
    pub(super) fn new(spill: PathBuf) -> Arrivals {
        Arrivals { head: VecDeque::new(), spill, spilled: 0, read_from: 0 }
    }

    pub(super) fn push(&mut self, visit: Visit) -> io::Result<()> {
        if self.spilled == 0 && self.head.len() < IN_MEMORY {
            self.head.push_back(visit);
            return Ok(());
        }
        let json = serde_json::to_vec(&visit)?;
        let mut record = Vec::with_capacity(json.len() + 4);
        push_number(&mut record, json.len() as u64);
        record.extend_from_slice(&json);
        let mut options = OpenOptions::new();
        options.create(true).truncate(self.spilled == 0).write(true).append(self.spilled > 0);
        options.open(&self.spill)?.write_all(&record)?;
        self.spilled += 1;
        Ok(())
    }

    pub(super) fn pop(&mut self) -> io::Result<Option<Visit>> {
        if self.head.is_empty() && self.spilled > 0 {
            self.read_spill()?;
        }
        Ok(self.head.pop_front())
    }

    fn read_spill(&mut self) -> io::Result<()> {
        let file = File::open(&self.spill)?;
        let mut want = READ_BYTES;
        while self.head.is_empty() {
            let mut bytes = vec![0; want];
            let length = file.read_at(&mut bytes, self.read_from)?;
            let mut rest = &bytes[..length];
            while self.head.len() < IN_MEMORY
                && let Some((visit, taken)) = take_visit(&mut rest)
            {
                self.read_from += taken;
                self.head.push_back(visit);
                self.spilled -= 1;
            }
            if self.head.is_empty() && length < want {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a spilled visit is cut off"));
            }
            want *= 2;
        }
        if self.spilled == 0 {
            self.read_from = 0;
            fs::remove_file(&self.spill)?;
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty() && self.spilled == 0
    }
}

/// The next whole visit of a buffer and how many bytes it took.
fn take_visit(bytes: &mut &[u8]) -> Option<(Visit, u64)> {
    let mut rest = *bytes;
    let length = usize::try_from(take_number(&mut rest)?).ok()?;
    let (json, after) = rest.split_at_checked(length)?;
    let visit = serde_json::from_slice(json).ok()?;
    let taken = (bytes.len() - after.len()) as u64;
    *bytes = after;
    Some((visit, taken))
}

#[cfg(test)]
mod tests {
    use domain::Target;

    use super::*;

    fn visit(place: u64) -> Visit {
        let url = format!("https://a.example/{place}/{}", "x".repeat(place as usize % 900));
        Visit::page(Target { place, line: place, key: String::new(), url: url.clone() }).redirected_to(url)
    }

    #[test]
    fn visits_come_back_in_order_through_any_number_of_spills() {
        let folder = tempfile::tempdir().unwrap();
        let mut arrivals = Arrivals::new(folder.path().join("spill"));
        let (mut pushed, mut popped) = (0, 0);
        for (push, pop) in [(500, 100), (300, 650), (1_000, 40), (0, 1_010), (70, 70)] {
            for _ in 0..push {
                arrivals.push(visit(pushed)).unwrap();
                pushed += 1;
            }
            for _ in 0..pop {
                assert_eq!(arrivals.pop().unwrap(), Some(visit(popped)));
                popped += 1;
            }
            assert!(arrivals.head.len() <= IN_MEMORY);
        }
        assert!(arrivals.is_empty() && arrivals.pop().unwrap().is_none());
        assert!(!folder.path().join("spill").exists());
    }
}
