//! Do the books balance?
//!
//! Input lines = captured + excluded + failed + rejected + duplicates, each line by name. The proof does not trust the
//! checkpoint or any counter: it reads every record of every segment, checks the hash of each closed one, and compares
//! with the CSV files line by line.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use blobs::segment::{self, SegmentFile, SegmentReader};
use domain::{Completion, Disposition};
use frontier::{
    CompletionFront,
    enlist::{DUPLICATES_FILE, Enlisted, REJECTED_FILE},
    walk_open_targets,
};
use serde::Serialize;

use super::{EXCLUDED_FILE, FAILED_FILE, RoundFolder, Tally};

/// How many lines are named one by one before "and N more".
const NAMED: usize = 20;

/// The balance of a round.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Ledger {
    /// The round.
    pub round: String,
    /// Lines of input.
    pub lines: u64,
    /// Lines in `rejected.csv`, by reason.
    pub rejected: BTreeMap<String, u64>,
    /// Lines in `duplicates.csv`.
    pub duplicates: u64,
    /// How the targets ended.
    #[serde(flatten)]
    pub tally: Tally,
    /// Segments read, and how many of them are closed and have the hash that was written.
    pub segments: u64,
    /// Closed segments whose SHA-256 was checked.
    pub verified_segments: u64,
    /// Whether every line ended in exactly one way.
    pub balanced: bool,
    /// Targets that have not ended: unexplained if the round is finished, to do if it is not.
    pub open_targets: u64,
    /// The first of those, by line.
    pub open_lines: Vec<u64>,
    /// What does not fit, in words.
    pub problems: Vec<String>,
}

impl Ledger {
    /// All rejected lines.
    #[must_use]
    pub fn all_rejected(&self) -> u64 {
        self.rejected.values().sum()
    }

    /// What the five add up to.
    #[must_use]
    pub fn explained(&self) -> u64 {
        self.tally.ended() + self.all_rejected() + self.duplicates
    }
}

/// Reads everything and proves the balance. `progress` hears of each segment read, and how many there are.
pub fn prove(folder: &RoundFolder, mut progress: impl FnMut(usize, usize)) -> Result<Ledger> {
    let mut ledger = Ledger { round: folder.round.to_string(), ..Ledger::default() };
    let Some(enlisted) = folder.enlisted()? else {
        ledger.problems.push("its list is not enlisted yet: run `canvass crawl` again".to_owned());
        return Ok(ledger);
    };
    ledger.lines = enlisted.lines;
    let mut front = CompletionFront::default();
    let mut failed_lines = RowSum::default();
    let mut excluded_lines = RowSum::default();
    let segments = folder.all_segments()?;
    for (number, file) in segments.iter().enumerate() {
        progress(number, segments.len());
        if file.closed {
            segment::verify_hash(&file.path)?;
            ledger.verified_segments += 1;
        }
        let mut reader = SegmentReader::open(&file.path, 0)?;
        while let Some(record) = reader.next_record()? {
            let completion = parse_completion(record.head, file)?;
            if !front.complete(completion.target.place) && ledger.problems.len() < NAMED {
                ledger.problems.push(format!("line {} ended twice", completion.target.line));
            }
            ledger.tally.count(&completion, record.body.len() as u64);
            match completion.disposition {
                Disposition::Captured => {}
                Disposition::Excluded { .. } => excluded_lines.add(completion.target.line),
                Disposition::Failed(_) => failed_lines.add(completion.target.line),
            }
        }
        if file.closed {
            reader.expect_clean_end()?;
        }
        ledger.segments += 1;
    }
    compare_rows(folder, FAILED_FILE, &failed_lines, &mut ledger.problems)?;
    compare_rows(folder, EXCLUDED_FILE, &excluded_lines, &mut ledger.problems)?;
    count_list_files(folder, &enlisted, &mut ledger)?;
    name_open_targets(folder, &enlisted, &front, &mut ledger)?;
    ledger.balanced =
        ledger.problems.is_empty() && ledger.open_targets == 0 && ledger.explained() == ledger.lines;
    if !ledger.balanced && ledger.open_targets == 0 && ledger.problems.is_empty() {
        let (explained, lines) = (ledger.explained(), ledger.lines);
        ledger.problems.push(format!("{explained} lines are explained, but the list has {lines}"));
    }
    Ok(ledger)
}

/// Visits every completion of a round with its stored body, in the order of the log.
pub fn for_each_completion(folder: &RoundFolder, mut visit: impl FnMut(&Completion, &[u8])) -> Result<()> {
    for file in folder.all_segments()? {
        let mut reader = SegmentReader::open(&file.path, 0)?;
        while let Some(record) = reader.next_record()? {
            visit(&parse_completion(record.head, &file)?, record.body);
        }
        if file.closed {
            reader.expect_clean_end()?;
        }
    }
    Ok(())
}

fn parse_completion(head: &[u8], file: &SegmentFile) -> Result<Completion> {
    serde_json::from_slice(head)
        .with_context(|| format!("{}: a record is not a completion", file.path.display()))
}

/// How many lines, and a sum that two different sets of lines do not share by accident.
#[derive(Debug, Default, PartialEq, Eq)]
struct RowSum {
    rows: u64,
    mixed: u64,
}

impl RowSum {
    fn add(&mut self, line: u64) {
        self.rows += 1;
        // order must not matter: a sum of well-mixed numbers
        self.mixed = self.mixed.wrapping_add(domain::host_hash(&line.to_string()));
    }
}

fn compare_rows(
    folder: &RoundFolder,
    name: &str,
    expected: &RowSum,
    problems: &mut Vec<String>,
) -> Result<()> {
    let mut found = RowSum::default();
    read_rows(folder, name, |row| {
        if let Some(line) = row.get(2).and_then(|line| line.parse().ok()) {
            found.add(line);
        }
    })?;
    if found != *expected {
        problems.push(format!(
            "{name} has {} rows and the segments {}, or they name different lines; delete it, and \
             `canvass crawl --round {}` writes it anew from the log",
            found.rows, expected.rows, folder.round
        ));
    }
    Ok(())
}

fn count_list_files(folder: &RoundFolder, enlisted: &Enlisted, ledger: &mut Ledger) -> Result<()> {
    read_rows(folder, REJECTED_FILE, |row| {
        *ledger.rejected.entry(row.get(3).unwrap_or_default().to_owned()).or_default() += 1;
    })?;
    read_rows(folder, DUPLICATES_FILE, |_| ledger.duplicates += 1)?;
    for (name, found, expected) in [
        (REJECTED_FILE, ledger.all_rejected(), enlisted.rejected),
        (DUPLICATES_FILE, ledger.duplicates, enlisted.duplicates),
    ] {
        if found != expected {
            ledger.problems.push(format!("{name} has {found} rows, but {expected} were written"));
        }
    }
    Ok(())
}

fn name_open_targets(
    folder: &RoundFolder,
    enlisted: &Enlisted,
    front: &CompletionFront,
    ledger: &mut Ledger,
) -> Result<()> {
    if front.len() == enlisted.targets && front.front() == enlisted.targets {
        return Ok(());
    }
    let queue = folder.queue();
    walk_open_targets(&queue, front, |target| {
        ledger.open_targets += 1;
        if ledger.open_lines.len() < NAMED {
            ledger.open_lines.push(target.line);
        }
    })
    .with_context(|| format!("cannot read {}", queue.display()))?;
    ledger.open_lines.sort_unstable();
    Ok(())
}

fn read_rows(folder: &RoundFolder, name: &str, mut visit: impl FnMut(&csv::StringRecord)) -> Result<()> {
    let path = folder.file(name);
    if !path.exists() {
        return Ok(());
    }
    let mut reader =
        csv::Reader::from_path(&path).with_context(|| format!("cannot read {}", path.display()))?;
    for row in reader.records() {
        visit(&row.with_context(|| format!("cannot read {}", path.display()))?);
    }
    Ok(())
}
