//! Do other people's readers see in our tables what we wrote?
//!
//! pyarrow reads the Parquet file, Python the others. `CANVASS_PYTHON` names a Python that has pyarrow, `python3` is asked
//! without it. Where pyarrow is missing the test shows as ignored with the reason, or fails if `REQUIRE_SERVICES=1`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{path::Path, process::Command};

use blobs::table::{Cell, Column, Format, Kind, TableWriter};
use domain::Moment;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

const COLUMNS: &[Column] = &[
    Column::new("name", Kind::Text),
    Column::nullable("note", Kind::Text),
    Column::new("count", Kind::Int),
    Column::nullable("share", Kind::Real),
    Column::new("good", Kind::Bool),
    Column::nullable("seen_at", Kind::Time),
    Column::nullable("seen_on", Kind::Date),
];
const ROWS: usize = 60_000;
const NOTES: [&str; 8] = ["", "=1+1", "'=1", " @x", "é,\"漢\"\n", "\ttab", "-5", "plain"];

fn main() {
    let name = "other_readers_see_in_every_format_what_was_written";
    let tests = vec![Trial::ignorable_test(name, other_readers_see_in_every_format_what_was_written)];
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

fn other_readers_see_in_every_format_what_was_written() -> Result<Completion, Failed> {
    let python = std::env::var("CANVASS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_pyarrow = Command::new(&python).args(["-c", "import pyarrow"]).output();
    if !has_pyarrow.is_ok_and(|asked| asked.status.success()) {
        let reason =
            format!("`{python}` has no pyarrow: `pip install pyarrow`, or name another in CANVASS_PYTHON");
        if std::env::var("REQUIRE_SERVICES").as_deref() == Ok("1") {
            return Err(format!("REQUIRE_SERVICES=1 and {reason}").into());
        }
        return Ok(Completion::ignored_with(reason));
    }
    let folder = tempfile::tempdir().unwrap();
    for format in Format::ALL {
        write(&folder.path().join(format!("table.{}", format.name())), format);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/compare.py");
    let told = Command::new(&python).arg(script).arg(folder.path()).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    assert_eq!(String::from_utf8_lossy(&told.stdout).trim(), ROWS.to_string());
    Ok(Completion::Completed)
}

fn write(path: &Path, format: Format) {
    let mut table = TableWriter::create(path, format, COLUMNS).unwrap();
    for at in 0..ROWS {
        let note = NOTES[at % NOTES.len()];
        let seen_at = Moment(at as i64 * 86_399_999 - 1_000_000_000);
        let some = |cell: Cell<'static>, every: usize| if at % every == 0 { Cell::Nothing } else { cell };
        let name = format!("{note}{}", at % 1_000);
        table
            .write(&[
                Cell::Text(&name),
                some(note.into(), 3),
                Cell::Int(at as i64 - 30_000),
                some(Cell::Real(at as f64 / 7.0), 4),
                Cell::Bool(at % 2 == 0),
                some(Cell::Time(Moment(seen_at.0 % 4_000_000_000_000)), 5),
                some(Cell::date_of(Moment(seen_at.0 % 4_000_000_000_000)), 6),
            ])
            .unwrap();
    }
    table.close().unwrap().publish().unwrap();
}
