//! How are many runs made one row, and rows a table?

use std::{fmt::Write, time::Duration};

/// What one run gave.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// How many pages.
    pub pages: u64,
    /// In which time.
    pub wall: Duration,
    /// With how much user and system time.
    pub cpu: Duration,
    /// With how much memory at most; none where only a part of a process was looked at.
    pub peak_rss: Option<u64>,
}

impl Sample {
    /// Pages in a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.pages as f64 / self.wall.as_secs_f64()
    }

    /// CPU seconds for a thousand pages.
    #[must_use]
    pub fn cpu_per_thousand(&self) -> f64 {
        self.cpu.as_secs_f64() * 1_000.0 / self.pages as f64
    }
}

/// The value in the middle; of an even number, the lower of the two there.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}

/// A table in Markdown whose columns also line up as text.
#[must_use]
pub fn markdown(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([header[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut text = String::new();
    let mut put = |cells: Vec<&str>| {
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            // A write to a string cannot fail; names stand on the left, numbers on the right.
            let _ = if column == 0 {
                write!(text, "| {cell:<width$} ")
            } else {
                write!(text, "| {cell:>width$} ")
            };
        }
        text.push_str("|\n");
    };
    put(header.to_vec());
    let rules: Vec<String> = widths
        .iter()
        .enumerate()
        .map(|(column, width)| {
            "-".repeat(width - usize::from(column > 0)) + if column > 0 { ":" } else { "" }
        })
        .collect();
    put(rules.iter().map(String::as_str).collect());
    for row in rows {
        put(row.iter().map(String::as_str).collect());
    }
    text
}

/// A number with a comma between thousands.
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

/// Bytes as MiB.
#[must_use]
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_a_value_that_was_measured() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 3.0, 2.0]), Some(2.0));
        assert_eq!(median([]), None);
    }

    #[test]
    fn a_table_lines_up() {
        let rows = [vec!["bare".to_owned(), grouped(39_370)], vec!["wrk".to_owned(), "–".to_owned()]];
        let expected = "\
| client | URLs/s |
| ------ | -----: |
| bare   | 39,370 |
| wrk    |      – |
";
        assert_eq!(markdown(&["client", "URLs/s"], &rows), expected);
    }
}
