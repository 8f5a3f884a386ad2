//! What does a spreadsheet take for a formula, and how is it stopped?
//!
//! A cell that begins with `=`, `+`, `-` or `@`, with one of their full-width forms, or with a tab or the end of a line may
//! be run as a formula when the file is opened, and the text in our cells was written by strangers. So such a text gets a
//! `'` in front: a spreadsheet then shows it as text. White space, apostrophes and characters that nobody sees are looked
//! through when they stand before such a character, because some programs drop them.
//!
//! - Only columns of text are changed. A negative number in a column of numbers stays as it is; `-5` in a column of *text*
//!   becomes `'-5`, since from its beginning nobody can tell it from `-5+cmd|…`.
//! - A text that begins with `'` already gets another one if such a character follows, else it stays. So a reader can
//!   undo it without doubt: one `'` is dropped where nothing but what is looked through leads to such a character
//!   ([`restore`]).
//! - JSON and Parquet hold the text as it is.

use super::column::{Cell, Column, write_plain};

/// Whether a spreadsheet might run this text.
///
/// An apostrophe in front never changes the answer: this is what lets [`restore`] tell ours from those of the text.
fn is_dangerous(text: &str) -> bool {
    let text = text.trim_start_matches(['\'', ' ']);
    text.starts_with(['\t', '\r', '\n'])
        || text
            .trim_start_matches(is_looked_through)
            .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

/// Whether a program may drop this character from the beginning of a cell, or a person not see it there.
fn is_looked_through(character: char) -> bool {
    match character {
        '\'' => true,
        // soft hyphen, joiners, fillers, marks of direction, variation selectors, byte order mark, tags
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        other => other.is_whitespace() || other.is_control(),
    }
}

/// The text as it was before it was neutralised for CSV.
#[must_use]
pub fn restore(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if is_dangerous(cell) => text,
        _ => cell,
    }
}

pub(super) fn header(columns: &[Column]) -> Vec<u8> {
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let mut line = names.join(",").into_bytes();
    line.push(b'\n');
    line
}

pub(super) fn encode(row: &[Cell<'_>], line: &mut Vec<u8>) {
    for (at, cell) in row.iter().enumerate() {
        if at > 0 {
            line.push(b',');
        }
        match cell {
            Cell::Text(text) => write_text(text, line),
            // a line without a character is no row to most readers
            Cell::Nothing if row.len() == 1 => line.extend_from_slice(b"\"\""),
            cell => write_plain(cell, line),
        }
    }
    line.push(b'\n');
}

fn write_text(text: &str, line: &mut Vec<u8>) {
    let guard: &[u8] = if is_dangerous(text) { b"'" } else { b"" };
    let quoted = text.is_empty() || text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n'));
    if !quoted {
        line.extend_from_slice(guard);
        line.extend_from_slice(text.as_bytes());
        return;
    }
    line.push(b'"');
    line.extend_from_slice(guard);
    let mut pieces = text.split('"');
    line.extend_from_slice(pieces.next().unwrap_or_default().as_bytes());
    for piece in pieces {
        line.extend_from_slice(b"\"\"");
        line.extend_from_slice(piece.as_bytes());
    }
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use domain::Moment;
    use proptest::prelude::*;

    use super::*;

    fn csv_of(row: &[Cell<'_>]) -> String {
        let mut line = Vec::new();
        encode(row, &mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn a_text_that_a_spreadsheet_would_run_is_shown_instead() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-5", "'-5"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("  =1", "'  =1"),
            ("'=1", "''=1"),
            ("\n=1", "\"'\n=1\""),
            ("\n", "\"'\n\""),
            ("\u{a0}=1", "'\u{a0}=1"),
            ("\u{feff}@A1", "'\u{feff}@A1"),
            ("\u{200b}\u{2060}'-1", "'\u{200b}\u{2060}'-1"),
            ("\u{3000}＝1+1", "'\u{3000}＝1+1"),
            ("＋1", "'＋1"),
            ("－1", "'－1"),
            ("＠A1", "'＠A1"),
            ("\u{feff}a=1", "\u{feff}a=1"),
            ("\u{a0}", "\u{a0}"),
            ("'tis", "'tis"),
            ("a=1", "a=1"),
            ("=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\""),
            ("", "\"\""),
        ] {
            assert_eq!(csv_of(&[text.into(), Cell::Nothing]), format!("{written},\n"), "{text:?}");
        }
    }

    #[test]
    fn numbers_days_and_times_stay_what_they_are() {
        assert_eq!(csv_of(&["a".into(), (-5_i64).into()]), "a,-5\n");
        let plain = |cell: Cell<'_>| csv_of(&[cell]);
        assert_eq!(plain(Moment(1_000).into()), "1970-01-01T00:00:01.000Z\n");
        assert_eq!(plain(Cell::date_of(Moment(-1))), "1969-12-31\n");
        assert_eq!(plain(Cell::Real(-0.5)), "-0.5\n");
        assert_eq!(plain(true.into()), "true\n");
        assert_eq!(plain(Cell::Nothing), "\"\"\n");
    }

    /// What is drawn before other characters: white space, and what nobody sees.
    const UNSEEN: &str =
        " \t\r\n\u{b}\u{0}\u{85}\u{a0}\u{ad}\u{2003}\u{2028}\u{3000}\u{200b}\u{200d}\u{200f}\u{2060}\u{feff}";

    proptest! {
        #[test]
        fn no_text_cell_begins_with_a_dangerous_character_and_each_can_be_restored(
            unseen in prop::collection::vec(prop::sample::select(UNSEEN.chars().collect::<Vec<_>>()), 0..4),
            text in "[-=+@＝＋－＠'\t\r\n ,\"a-z0-9]{0,12}|\\PC{0,20}",
        ) {
            let text = unseen.into_iter().collect::<String>() + &text;
            let line = csv_of(&[Cell::Int(-7), text.as_str().into()]);
            let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
            let record = reader.records().next().unwrap().unwrap();
            prop_assert_eq!(record.get(0).unwrap(), "-7");
            let read = record.get(1).unwrap();
            prop_assert!(!read.starts_with(['\t', '\r', '\n']), "{read:?}");
            let shown = read.trim_start_matches(|character| UNSEEN.contains(character));
            prop_assert!(!shown.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']), "{read:?}");
            prop_assert_eq!(restore(read), text);
        }
    }
}
