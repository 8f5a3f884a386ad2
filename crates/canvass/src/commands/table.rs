//! How is a result laid out for a person, in 80 columns?

use std::{collections::BTreeMap, fmt};

use indicatif::HumanBytes;

use crate::{
    jobs::crawl::CrawlReport,
    round::{EXCLUDED_FILE, FAILED_FILE, Ledger, Tally},
    settings::wrapped,
};

/// A number with thin groups of three: 1,234,567.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and what it counts: `1 line`, `2 lines`.
#[must_use]
pub fn counted(number: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// The start of a text that is to fit a column, with a mark where it was cut. What strangers wrote may hold what moves a
/// terminal's cursor: such characters are spaces here.
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    let mut letters = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut start: String = letters.by_ref().take(width).collect();
    if letters.next().is_some() {
        start.pop();
        start.push('…');
    }
    start
}

/// The end of a crawl.
pub struct Summary<'a>(&'a CrawlReport);

impl<'a> Summary<'a> {
    /// The summary of a report.
    #[must_use]
    pub fn of(report: &'a CrawlReport) -> Summary<'a> {
        Summary(report)
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CrawlReport { round, folder, enlisted, tally, ledger, outcome } = self.0;
        writeln!(f, "\n{}", wrapped(&format!("Round {round}: {}", outcome.words), 78).join("\n  "))?;
        match ledger {
            Some(ledger) => write!(f, "{}", Balance(ledger))?,
            None => {
                write_tally(f, tally)?;
                let left = enlisted.targets.saturating_sub(tally.ended());
                writeln!(f, "  to do      {:>12}", grouped(left))?;
                writeln!(f, "\nContinue it with `canvass crawl --round {round}`.")?;
            }
        }
        writeln!(f, "\n{} of bodies, under {}", HumanBytes(tally.wire_bytes), folder.display())?;
        for (name, about) in [
            ("segments/", "the captures: `canvass segments list`"),
            (FAILED_FILE, "what failed: `canvass crawl --retry-failed`"),
            (EXCLUDED_FILE, "what was ruled out, and why"),
            ("rejected.csv", "lines that are no targets, and why"),
            ("duplicates.csv", "lines that repeat an earlier one"),
            ("logs/", "a log per stage"),
        ] {
            writeln!(f, "  {name:<16} {about}")?;
        }
        Ok(())
    }
}

/// The balance of a round.
pub struct Balance<'a>(pub &'a Ledger);

impl fmt::Display for Balance<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ledger = self.0;
        writeln!(f, "  lines      {:>12}", grouped(ledger.lines))?;
        write_tally(f, &ledger.tally)?;
        write_group(f, "rejected", &ledger.rejected)?;
        writeln!(f, "  duplicates {:>12}", grouped(ledger.duplicates))?;
        if ledger.open_targets > 0 {
            let lines: Vec<String> = ledger.open_lines.iter().map(u64::to_string).collect();
            let more = ledger.open_targets - ledger.open_lines.len() as u64;
            let more = if more > 0 { format!(" and {} more", grouped(more)) } else { String::new() };
            let lines =
                wrapped(&format!("lines {}{more}", lines.join(", ")), 53).join(&format!("\n{:27}", ""));
            writeln!(f, "  not ended  {:>12}  {lines}", grouped(ledger.open_targets))?;
        }
        for problem in &ledger.problems {
            writeln!(f, "  ✗ {}", wrapped(problem, 76).join("\n    "))?;
        }
        let (lines, explained) = (ledger.lines, ledger.explained());
        if ledger.balanced {
            writeln!(f, "  ✓ the books balance: each line ended in exactly one way")?;
            let (segments, hashes) = (ledger.segments, ledger.verified_segments);
            writeln!(f, "    ({} read, {} checked)", counted(segments, "segment"), counted(hashes, "SHA-256"))
        } else if lines == explained {
            writeln!(f, "  ✗ the books do not balance")
        } else {
            writeln!(f, "  ✗ {} of {} lines are explained", grouped(explained), grouped(lines))
        }
    }
}

/// Writes captured, excluded and failed with their reasons.
pub fn write_tally(f: &mut dyn fmt::Write, tally: &Tally) -> fmt::Result {
    writeln!(f, "  captured   {:>12}", grouped(tally.captured))?;
    write_group(f, "excluded", &tally.excluded)?;
    write_group(f, "failed", &tally.failed)
}

fn write_group(f: &mut dyn fmt::Write, name: &str, group: &BTreeMap<String, u64>) -> fmt::Result {
    write!(f, "  {name:<10} {:>12}", grouped(group.values().sum()))?;
    let mut reasons: Vec<_> = group.iter().collect();
    reasons.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let mut column = 25;
    for (index, (reason, count)) in reasons.into_iter().enumerate() {
        let word = format!("{reason} {}", grouped(*count));
        let gap = if index == 0 { "  " } else { ", " };
        if index > 0 && column + gap.len() + word.chars().count() > 79 {
            write!(f, ",\n{:27}{word}", "")?;
            column = 27 + word.chars().count();
        } else {
            write!(f, "{gap}{word}")?;
            column += gap.len() + word.chars().count();
        }
    }
    writeln!(f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        for (number, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (515_204, "515,204"), (10_000_000, "10,000,000")]
        {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_text_is_cut_to_its_column_and_moves_no_cursor() {
        assert_eq!(cut("name", 4), "name");
        assert_eq!(cut("names", 4), "nam…");
        assert_eq!(cut("é\u{1b}[2J\n", 9), "é [2J ");
    }

    #[test]
    fn a_long_list_of_reasons_stays_within_80_columns() {
        let failed = domain::FailureKind::ALL.iter().map(|kind| (kind.name().to_owned(), 12_345)).collect();
        let tally = Tally { failed, ..Tally::default() };
        let mut text = String::new();
        write_tally(&mut text, &tally).unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
