//! How does a row become an object of a JSON array?

use super::column::{Cell, Column, write_plain};

pub(super) fn encode(columns: &'static [Column], row: &[Cell<'_>], first: bool, line: &mut Vec<u8>) {
    line.extend_from_slice(if first { b"\n{" } else { b",\n{" });
    for (at, (column, cell)) in columns.iter().zip(row).enumerate() {
        if at > 0 {
            line.push(b',');
        }
        write_text(column.name, line);
        line.push(b':');
        match cell {
            Cell::Nothing => line.extend_from_slice(b"null"),
            Cell::Text(text) => write_text(text, line),
            Cell::Time(_) | Cell::Date(_) => {
                line.push(b'"');
                write_plain(cell, line);
                line.push(b'"');
            }
            Cell::Int(_) | Cell::Real(_) | Cell::Bool(_) => write_plain(cell, line),
        }
    }
    line.push(b'}');
}

pub(super) fn end(rows: u64, line: &mut Vec<u8>) {
    line.extend_from_slice(if rows == 0 { b"]\n" } else { b"\n]\n" });
}

fn write_text(text: &str, line: &mut Vec<u8>) {
    let written = serde_json::to_writer(line, text);
    debug_assert!(written.is_ok(), "a text always has a form in JSON, and memory can be written");
}
