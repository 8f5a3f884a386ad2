//! Are two tables the same, cell by cell, whatever they were written as?

use sha2::{Digest, Sha256};

use super::{column::Cell, output::hex};

/// A hash over all cells of a table in order. Two tables have the same one only if they have the same rows.
#[derive(Debug, Clone, Default)]
pub struct CellDigest {
    hash: Sha256,
    rows: u64,
}

impl CellDigest {
    /// Takes the next row.
    pub fn add(&mut self, row: &[Cell<'_>]) {
        self.rows += 1;
        // how many, so that two rows are not one long one
        self.hash.update((row.len() as u64).to_le_bytes());
        for cell in row {
            match cell {
                Cell::Nothing => self.hash.update([0]),
                Cell::Text(text) => {
                    self.hash.update([1]);
                    self.hash.update((text.len() as u64).to_le_bytes());
                    self.hash.update(text.as_bytes());
                }
                Cell::Int(number) => self.number(2, number.to_le_bytes()),
                Cell::Real(number) => self.number(3, number.to_bits().to_le_bytes()),
                Cell::Bool(it) => self.number(4, u64::from(*it).to_le_bytes()),
                Cell::Time(at) => self.number(5, at.0.to_le_bytes()),
                Cell::Date(days) => self.number(6, i64::from(*days).to_le_bytes()),
            }
        }
    }

    /// How many rows it took.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The hash, in hex.
    #[must_use]
    pub fn finish(self) -> String {
        hex(&self.hash.finalize())
    }

    fn number(&mut self, kind: u8, bytes: [u8; 8]) {
        self.hash.update([kind]);
        self.hash.update(bytes);
    }
}
