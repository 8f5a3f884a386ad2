//! Is every line of a list read, whatever its form, and told with the right number?

mod broken;
mod formats;
mod rows;

use std::io::{Cursor, Write};

use super::{Line, Source, SourceError, SourceOptions};

/// `(number, key, url or the problem's name)` of every line.
type Told = Vec<(u64, String, String)>;

fn read_with(bytes: &[u8], name: &str, options: &SourceOptions) -> Result<Told, SourceError> {
    let mut source = Source::from_reader(Box::new(Cursor::new(bytes.to_vec())), name, options)?;
    let mut told = Told::new();
    let mut line = Line::default();
    while source.next(&mut line)? {
        let url = line.problem.map_or_else(|| line.url.clone(), |problem| format!("!{}", problem.name()));
        told.push((line.number, line.key.clone(), url));
    }
    Ok(told)
}

fn read(bytes: impl AsRef<[u8]>, name: &str) -> Told {
    read_with(bytes.as_ref(), name, &SourceOptions::default()).unwrap()
}

fn told(lines: &[(u64, &str, &str)]) -> Told {
    lines.iter().map(|&(number, key, url)| (number, key.to_owned(), url.to_owned())).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 1).unwrap()
}
