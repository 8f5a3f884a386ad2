//! What does a file of accounts say, line by line?

use std::{
    cell::Cell,
    io::{self, BufRead, BufReader, Read},
    rc::Rc,
};

use anyhow::{Context, Result, bail};
use catalog::accounts::AccountRow;
use csv::ByteRecord;

use crate::settings::nearest;

/// The most that one record may take: a quote that is never closed would otherwise be the rest of the file.
const MAX_RECORD_BYTES: u64 = 1 << 20;
/// The most that is kept of a value; a longer one is no name and no address.
const MAX_VALUE_BYTES: usize = 2_000;
/// How much of a file is looked at for its delimiter.
const HEADER_BYTES: usize = 64 << 10;

/// The columns, of which the first two must be there.
const COLUMNS: [&str; 9] =
    ["account_id", "name", "website_id", "website", "street", "city", "region", "postcode", "country"];

/// What one line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AccountLine {
    pub(super) account: AccountRow,
    /// The key of a site that belongs to it.
    pub(super) site: Option<String>,
}

/// The lines of a file of accounts.
pub(super) struct AccountLines<R> {
    records: csv::Reader<Bounded<BufReader<R>>>,
    left: Rc<Cell<u64>>,
    /// Where each of [`COLUMNS`] stands.
    places: [Option<usize>; COLUMNS.len()],
    width: usize,
    record: ByteRecord,
}

impl<R: Read> AccountLines<R> {
    /// Reads the header.
    pub(super) fn new(input: R) -> Result<AccountLines<R>> {
        let mut input = BufReader::with_capacity(HEADER_BYTES, input);
        let delimiter = delimiter_of(input.fill_buf()?);
        let left = Rc::new(Cell::new(MAX_RECORD_BYTES));
        let mut records = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            // with `\r\n` as one mark the reader counts lines wrongly; a `\r` is trimmed off its value
            .terminator(csv::Terminator::Any(b'\n'))
            .from_reader(Bounded { input, left: Rc::clone(&left) });
        let header = records.byte_headers().context("it has no header")?.clone();
        let names: Vec<String> = header.iter().map(column_name).collect();
        let places = COLUMNS.map(|wanted| names.iter().position(|name| name == wanted));
        for (wanted, place) in COLUMNS.iter().zip(places).take(2) {
            if place.is_none() {
                let known = names.iter().map(String::as_str).filter(|name| !name.is_empty());
                match nearest(wanted, known) {
                    Some(meant) => {
                        bail!("it has no column `{wanted}`: is it the one that is called `{meant}`?")
                    }
                    None => {
                        bail!("it has no column `{wanted}`: the first line must name {}", COLUMNS.join(","))
                    }
                }
            }
        }
        Ok(AccountLines { records, left, places, width: header.len(), record: ByteRecord::new() })
    }

    /// The next line with its number, or what is wrong with it; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Result<AccountLine, String>)>> {
        loop {
            self.left.set(MAX_RECORD_BYTES);
            let line = self.records.position().line();
            if !self.records.read_byte_record(&mut self.record).with_context(|| format!("line {line}"))? {
                return Ok(None);
            }
            let is_blank = self.record.len() == 1 && self.record[0].trim_ascii().is_empty();
            if !is_blank {
                let line = self.record.position().map_or(line, csv::Position::line);
                return Ok(Some((line, self.understand())));
            }
        }
    }

    fn understand(&self) -> Result<AccountLine, String> {
        let found = self.record.len();
        if found != self.width {
            return Err(format!("{found} fields where the header has {}", self.width));
        }
        let mut values: [String; COLUMNS.len()] = Default::default();
        for ((value, place), column) in values.iter_mut().zip(self.places).zip(COLUMNS) {
            let Some(bytes) = place.and_then(|place| self.record.get(place)) else { continue };
            let text = std::str::from_utf8(bytes).map_err(|_| format!("`{column}` is not UTF-8"))?.trim();
            if text.len() > MAX_VALUE_BYTES {
                return Err(format!("`{column}` is longer than {MAX_VALUE_BYTES} bytes"));
            }
            if text.contains('\0') {
                return Err(format!("`{column}` holds a NUL character"));
            }
            *value = text.to_owned();
        }
        let [id, name, site, website, street, city, region, postcode, country] = values;
        for (column, value) in COLUMNS.iter().zip([&id, &name]) {
            if value.is_empty() {
                return Err(format!("`{column}` is empty"));
            }
        }
        let account = AccountRow { id, name, website, street, city, region, postcode, country };
        Ok(AccountLine { account, site: Some(site).filter(|site| !site.is_empty()) })
    }
}

/// The delimiter that the first line has most of.
fn delimiter_of(start: &[u8]) -> u8 {
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |wanted: u8| line.iter().filter(|byte| **byte == wanted).count();
    // of equally many the last one wins, and commas are the custom
    [b'\t', b';', b','].into_iter().max_by_key(|delimiter| count(*delimiter)).unwrap_or(b',')
}

/// `Account ID` is `account_id`.
fn column_name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_lowercase().replace([' ', '-'], "_")
}

/// A reader that gives only so many bytes until it is told that a record has ended.
struct Bounded<R> {
    input: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.get();
        if left == 0 {
            return Err(io::Error::other("a record is longer than 1 MiB: is a quote never closed?"));
        }
        let most = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let got = self.input.read(&mut buffer[..most])?;
        self.left.set(left - got as u64);
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<(u64, Result<AccountLine, String>)> {
        let mut lines = AccountLines::new(text).unwrap();
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    fn ids(text: &[u8]) -> Vec<(u64, Result<String, String>)> {
        let id = |line: AccountLine| format!("{} {}", line.account.id, line.site.unwrap_or_default());
        read(text).into_iter().map(|(number, line)| (number, line.map(id))).collect()
    }

    #[test]
    fn columns_are_found_by_name_whatever_their_order_case_and_delimiter() {
        for (line, text) in [
            (2, "account_id,name,website_id\n7,First Church,42\n"),
            (3, "\u{feff}Website ID;Name;Notes;Account-ID\r\n\r\n42;\"First; Church\";;7\r\n"),
            (2, "name\taccount_id\twebsite_id\r\nFirst Church\t7\t\"42\"\r\n"),
        ] {
            assert_eq!(ids(text.as_bytes()), [(line, Ok("7 42".to_owned()))], "{text}");
        }
        let lines = read(b"account_id,name,city,country\n7, First Church ,Provo,US\n");
        let account = AccountRow {
            id: "7".into(),
            name: "First Church".into(),
            city: "Provo".into(),
            country: "US".into(),
            ..AccountRow::default()
        };
        assert_eq!(lines, [(2, Ok(AccountLine { account, site: None }))]);
    }

    #[test]
    fn a_bad_line_is_named_by_its_number_and_the_next_one_is_read() {
        let text = b"account_id,name,website_id\n,No Id,1\n2,,2\n3,Short\n4,\"Two\nLines\",4\n5,\xff,5\n6,N\0L,6\n7,Good,7\n";
        let told = ids(text);
        let wrong = |problem: &str| Err(problem.to_owned());
        assert_eq!(
            told,
            [
                (2, wrong("`account_id` is empty")),
                (3, wrong("`name` is empty")),
                (4, wrong("2 fields where the header has 3")),
                (5, Ok("4 4".to_owned())),
                (7, wrong("`name` is not UTF-8")),
                (8, wrong("`name` holds a NUL character")),
                (9, Ok("7 7".to_owned())),
            ]
        );
        let long = format!("account_id,name\n1,{}\n2,b\n", "x".repeat(2_001));
        assert_eq!(ids(long.as_bytes())[0].1, wrong("`name` is longer than 2000 bytes"));
    }

    #[test]
    fn a_quote_that_is_never_closed_ends_in_an_error_and_not_in_all_memory() {
        let endless = b"account_id,name\n1,\"".chain(io::repeat(b'x'));
        let mut lines = AccountLines::new(endless).unwrap();
        let error = format!("{:#}", lines.next().unwrap_err());
        assert!(error.contains("line 2") && error.contains("is a quote never closed?"), "{error}");
    }

    #[test]
    fn a_file_without_the_columns_says_which_and_what_was_probably_meant() {
        let told = |text: &str| AccountLines::new(text.as_bytes()).err().unwrap().to_string();
        assert_eq!(
            told("acount_id,name\n"),
            "it has no column `account_id`: is it the one that is called `acount_id`?"
        );
        assert!(told("account_id,x\n").starts_with("it has no column `name`: the first line must name"));
        assert!(told("").starts_with("it has no column `account_id`"));
    }
}
