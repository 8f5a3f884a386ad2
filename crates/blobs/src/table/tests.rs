use std::{fs, path::Path};

use domain::Moment;
use proptest::prelude::*;
use serde_json::Value as Json;

use super::*;

const COLUMNS: &[Column] = &[
    Column::new("name", Kind::Text),
    Column::nullable("note", Kind::Text),
    Column::new("count", Kind::Int),
    Column::nullable("share", Kind::Real),
    Column::new("good", Kind::Bool),
    Column::nullable("seen_at", Kind::Time),
    Column::nullable("seen_on", Kind::Date),
];

/// A row that owns its texts.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    name: String,
    note: Option<String>,
    count: i64,
    share: Option<f64>,
    good: bool,
    seen_at: Option<i64>,
}

impl Row {
    fn cells(&self) -> [Cell<'_>; 7] {
        let seen_at = self.seen_at.map(Moment);
        [
            Cell::from(&self.name),
            self.note.as_deref().into(),
            self.count.into(),
            self.share.map_or(Cell::Nothing, Cell::Real),
            self.good.into(),
            seen_at.into(),
            seen_at.map_or(Cell::Nothing, Cell::date_of),
        ]
    }
}

fn rows(count: usize) -> Vec<Row> {
    (0..count)
        .map(|at| Row {
            name: format!("=site {}", at % 97),
            note: (at % 3 > 0).then(|| "é\"\n,".repeat(at % 5)),
            count: at as i64 - 7,
            share: (at % 4 > 0).then_some(at as f64 / 3.0),
            good: at % 2 == 0,
            seen_at: (at % 5 > 0).then_some(at as i64 * 86_399_999 - 1_000_000_000),
        })
        .collect()
}

fn write(folder: &Path, format: Format, rows: &[Row]) -> Written {
    let mut table = TableWriter::create(&folder.join(format.name()), format, COLUMNS).unwrap();
    for row in rows {
        table.write(&row.cells()).unwrap();
    }
    table.close().unwrap().publish().unwrap()
}

fn read_back(path: &Path) -> (u64, Vec<Row>, String) {
    let (mut found, mut digest) = (Vec::new(), CellDigest::default());
    let rows = read_parquet::<TableError>(path, COLUMNS, |cells| {
        digest.add(cells);
        let [name, note, count, share, good, seen_at, _] = cells else { panic!("{cells:?}") };
        found.push(Row {
            name: text(name).unwrap(),
            note: text(note),
            count: if let Cell::Int(it) = count { *it } else { panic!("{count:?}") },
            share: if let Cell::Real(it) = share { Some(*it) } else { None },
            good: *good == Cell::Bool(true),
            seen_at: if let Cell::Time(it) = seen_at { Some(it.0) } else { None },
        });
        Ok(())
    });
    (rows.unwrap(), found, digest.finish())
}

fn text(cell: &Cell<'_>) -> Option<String> {
    if let Cell::Text(text) = cell { Some((*text).to_owned()) } else { None }
}

#[test]
fn parquet_gives_back_what_it_took_over_many_row_groups() {
    let folder = tempfile::tempdir().unwrap();
    let written = rows(120_001);
    assert_eq!(write(folder.path(), Format::Parquet, &written).rows, 120_001);
    let mut digest = CellDigest::default();
    written.iter().for_each(|row| digest.add(&row.cells()));
    let (count, found, read) = read_back(&folder.path().join("parquet"));
    assert_eq!(count, 120_001);
    assert!(found == written, "the rows differ");
    assert_eq!(read, digest.finish());
}

#[test]
fn the_same_rows_give_the_same_bytes_and_the_hash_that_the_file_has() {
    use sha2::Digest;
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for format in Format::ALL {
        let written = write(first.path(), format, &rows(5_000));
        assert_eq!(written, write(second.path(), format, &rows(5_000)), "{format:?}");
        let bytes = fs::read(first.path().join(format.name())).unwrap();
        assert_eq!(written.bytes, bytes.len() as u64);
        assert_eq!(written.sha256, output::hex(&sha2::Sha256::digest(&bytes)));
    }
}

#[test]
fn a_table_without_rows_is_whole_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for format in Format::ALL {
        assert_eq!(write(folder.path(), format, &[]).rows, 0);
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("csv"), "name,note,count,share,good,seen_at,seen_on\n");
    assert_eq!(serde_json::from_str::<Vec<Json>>(&read("json")).unwrap(), Vec::<Json>::new());
    assert_eq!(read_back(&folder.path().join("parquet")).0, 0);
}

#[test]
fn a_table_has_its_name_only_when_it_is_published() {
    let folder = tempfile::tempdir().unwrap();
    for format in Format::ALL {
        let path = folder.path().join(format.name());
        fs::write(&path, "the one before").unwrap();
        let mut table = TableWriter::create(&path, format, COLUMNS).unwrap();
        table.write(&rows(1)[0].cells()).unwrap();
        let closed = table.close().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "the one before");
        assert!(closed.temporary().exists());
        closed.publish().unwrap();
        assert_ne!(fs::read(&path).unwrap(), b"the one before");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file is left");
}

#[test]
fn two_that_write_a_table_of_one_name_never_write_into_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let begin = || TableWriter::create(&folder.path().join("t"), Format::Csv, COLUMNS).unwrap();
    let (mut first, many) = (begin(), rows(2_000));
    for row in &many[..1_000] {
        first.write(&row.cells()).unwrap();
    }
    let mut second = begin();
    for row in &many[..10] {
        second.write(&row.cells()).unwrap();
    }
    let written = second.close().unwrap();
    let whole = fs::read(written.temporary()).unwrap();
    assert_eq!(whole.len() as u64, written.written().bytes);
    for row in &many[1_000..] {
        first.write(&row.cells()).unwrap();
    }
    let _lost = first.close().unwrap();
    assert_eq!(fs::read(written.temporary()).unwrap(), whole);
}

#[test]
fn a_row_that_does_not_fit_its_columns_is_named_and_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = TableWriter::create(&folder.path().join("x"), Format::Csv, COLUMNS).unwrap();
    let good = rows(1).remove(0);
    table.write(&good.cells()).unwrap();
    for (at, cell, what) in [
        (0, Cell::Nothing, "`name` holds nothing"),
        (2, Cell::Text("7"), "`count` holds Text where it takes Int"),
        (3, Cell::Real(f64::NAN), "`share` holds a number that is not finite"),
    ] {
        let mut cells = good.cells();
        cells[at] = cell;
        let error = table.write(&cells).unwrap_err().to_string();
        assert!(error.ends_with(&format!("row 2 does not fit its columns: {what}")), "{error}");
    }
    assert!(table.write(&good.cells()[1..]).is_err());
    assert_eq!(table.close().unwrap().written().rows, 1);
}

#[test]
fn a_parquet_file_that_was_cut_or_changed_is_no_table() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), Format::Parquet, &rows(3_000));
    let path = folder.path().join("parquet");
    let whole = fs::read(&path).unwrap();
    for length in [0, 3, 8, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(read_parquet::<TableError>(&path, COLUMNS, |_| Ok(())).is_err(), "{length} bytes");
    }
    fs::write(&path, &whole).unwrap();
    let other: &[Column] = &[Column::new("name", Kind::Text)];
    let error = read_parquet::<TableError>(&path, other, |_| Ok(())).unwrap_err().to_string();
    assert!(error.ends_with("not the table that was written: it has other columns"), "{error}");
}

fn any_row() -> impl Strategy<Value = Row> {
    let text = "[-=+@'\t\r\n ,\"a-z]{0,10}|\\PC{0,12}";
    let share = prop::option::of(-1e9..1e9_f64);
    let seen_at = prop::option::of(-60_000_000_000_000..200_000_000_000_000_i64);
    (text, prop::option::of(text), any::<i64>(), share, any::<bool>(), seen_at)
        .prop_map(|(name, note, count, share, good, seen_at)| Row { name, note, count, share, good, seen_at })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_format_holds_the_same_rows(written in prop::collection::vec(any_row(), 0..20)) {
        let folder = tempfile::tempdir().unwrap();
        for format in Format::ALL {
            prop_assert_eq!(write(folder.path(), format, &written).rows, written.len() as u64);
        }
        prop_assert_eq!(&read_back(&folder.path().join("parquet")).1, &written);
        let json = fs::read(folder.path().join("json")).unwrap();
        let json: Vec<Json> = serde_json::from_slice(&json).unwrap();
        let mut csv = ::csv::Reader::from_path(folder.path().join("csv")).unwrap();
        let csv: Vec<_> = csv.records().map(Result::unwrap).collect();
        prop_assert_eq!((json.len(), csv.len()), (written.len(), written.len()));
        for ((row, json), csv) in written.iter().zip(&json).zip(&csv) {
            prop_assert_eq!(&json["name"], &row.name);
            prop_assert_eq!(json["note"].as_str(), row.note.as_deref());
            prop_assert_eq!(json["count"].as_i64(), Some(row.count));
            prop_assert_eq!(csv[3].parse().ok(), row.share);
            prop_assert_eq!(json["share"].to_string().parse::<f64>().is_ok(), row.share.is_some());
            let seen_at = row.seen_at.map(|at| Moment(at).to_string());
            prop_assert_eq!(json["seen_at"].as_str(), seen_at.as_deref());
            prop_assert_eq!(csv::restore(&csv[0]), &row.name);
            prop_assert_eq!(csv::restore(&csv[1]), row.note.as_deref().unwrap_or_default());
            prop_assert_eq!(&csv[2], &row.count.to_string());
            prop_assert_eq!(&csv[4], &row.good.to_string());
            prop_assert!(csv.iter().take(2).all(|cell| !cell.starts_with(['=', '+', '-', '@', '\t', '\r'])));
        }
    }
}
