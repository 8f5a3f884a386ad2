//! What did a round find, and is it true?

use std::{collections::BTreeMap, fmt::Debug, fs, path::Path, process::Command};

use domain::{Completion, Disposition};
use sandbox::{TruthLine, World};

use super::home::Home;

/// How one line ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub disposition: String,
    pub detail: String,
    pub status: Option<u16>,
    pub final_url: Option<String>,
    pub charset: String,
    pub truncated: bool,
    /// The digest of its body as it stands in the log. No behaviour needs to be left out: pages are made from the plan
    /// alone, a body is cut at the same byte each time, and what answers otherwise on a later visit ("once, then a page")
    /// is captured with that page only.
    pub body: Option<Digest>,
}

/// The length and the CRC-32 of a stored body: enough to tell it from any other of its round.
pub type Digest = (usize, u32);

/// How every line of a round ended.
pub type Endings = BTreeMap<u64, Ending>;

/// Reads what a round wrote down: the segments through `canvass segments cat`, and the files of bad lines.
///
/// # Panics
/// If a line ended twice.
pub fn endings(home: &Home, round: &str) -> Endings {
    let mut found = Endings::new();
    let mut add = |line: u64, ending: Ending| {
        let earlier = found.insert(line, ending.clone());
        assert_eq!(earlier, None, "line {line} ended twice, then as {ending:?}");
    };
    let mut bodies = bodies(&home.round(round, "segments"));
    for completion in completions(home, round) {
        let body = bodies
            .remove(&completion.target.line)
            .expect("the log holds the record that the program printed");
        let has_body = completion.capture.is_some();
        assert!(has_body || body.0 == 0, "{completion:?} has a body of {} bytes", body.0);
        add(completion.target.line, Ending { body: has_body.then_some(body), ..ending_of(&completion) });
    }
    for (name, disposition) in [("rejected.csv", "rejected"), ("duplicates.csv", "duplicate")] {
        for row in rows(&home.round(round, name)) {
            let detail = if disposition == "rejected" { &row[3] } else { disposition };
            add(row[0].parse().expect("a line has a number"), plain_ending(disposition, detail));
        }
    }
    found
}

/// Every record of a round's segments.
pub fn completions(home: &Home, round: &str) -> Vec<Completion> {
    let printed = home.run(&["segments", "cat", round]).expect(0);
    let parse = |line| serde_json::from_str(line).expect("a record is a completion");
    printed.lines().map(parse).collect()
}

/// The digest of each record's body in the segments of a folder, by the line of the record.
///
/// This reads the files by itself, because the program's reader might undo a mistake of its writer: a block is a header of
/// six numbers, of which the third and the fifth are the lengths of two zstd frames, and these frames. The first holds
/// the records, each with the lengths of its head and its body, the head and the body; a body whose length has its highest
/// bit set is in the second frame instead.
fn bodies(folder: &Path) -> BTreeMap<u64, Digest> {
    const IN_SECOND_FRAME: usize = 1 << 31;
    let plain = |frame: &[u8]| match frame {
        // a block whose bodies are all in its first frame has no second
        [] => Vec::new(),
        _ => zstd::decode_all(frame).expect("a frame can be decoded"),
    };
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a folder can be read").path();
        if !path.extension().is_some_and(|extension| extension == "zst" || extension == "open") {
            continue;
        }
        let file = fs::read(&path).expect("a segment can be read");
        let mut blocks = &file[..];
        while !blocks.is_empty() {
            let [_, _, first, _, second, _] = take_numbers(&mut blocks);
            let (first, second) = (plain(take(&mut blocks, first)), plain(take(&mut blocks, second)));
            let (mut records, mut second) = (&first[..], &second[..]);
            while !records.is_empty() {
                let [head, body] = take_numbers(&mut records);
                let head = take(&mut records, head);
                let from = if body & IN_SECOND_FRAME == 0 { &mut records } else { &mut second };
                let body = take(from, body & !IN_SECOND_FRAME);
                let head: Completion = serde_json::from_slice(head).expect("a head is a completion");
                let mut crc = flate2::Crc::new();
                crc.update(body);
                let earlier = found.insert(head.target.line, (body.len(), crc.sum()));
                assert_eq!(earlier, None, "line {} stands twice in the log", head.target.line);
            }
            assert!(second.is_empty(), "{}: {} bytes belong to no record", path.display(), second.len());
        }
    }
    found
}

fn take<'a>(from: &mut &'a [u8], bytes: usize) -> &'a [u8] {
    from.split_off(..bytes).expect("a block is whole")
}

fn take_numbers<const N: usize>(from: &mut &[u8]) -> [usize; N] {
    let (numbers, _) = take(from, 4 * N).as_chunks();
    std::array::from_fn(|index| u32::from_le_bytes(numbers[index]) as usize)
}

/// The rows of a CSV file below its header.
pub fn rows(path: &Path) -> Vec<csv::StringRecord> {
    let mut reader =
        csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    reader.records().map(|row| row.expect("a row is whole")).collect()
}

fn ending_of(completion: &Completion) -> Ending {
    let mut ending = plain_ending(completion.disposition.name(), completion.disposition.detail_name());
    if let Disposition::Failed(failure) = &completion.disposition {
        ending.status = failure.status;
    }
    if let Some(capture) = &completion.capture {
        ending.status = Some(capture.status);
        ending.final_url = (!capture.redirects.is_empty()).then(|| capture.final_url.clone());
        ending.charset.clone_from(&capture.charset);
        ending.truncated = capture.truncated;
    }
    ending
}

fn plain_ending(disposition: &str, detail: &str) -> Ending {
    Ending {
        disposition: disposition.to_owned(),
        detail: detail.to_owned(),
        status: None,
        final_url: None,
        charset: String::new(),
        truncated: false,
        body: None,
    }
}

/// What is wrong with `found`, line by line, by what the world says of itself.
pub fn compare_with_truth(world: &World, found: &Endings) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut lines = 0;
    for truth in world.truth() {
        lines += 1;
        let TruthLine { line, url, behaviour, .. } = &truth;
        let what = format!("line {line} {url} ({})", behaviour.map_or("", sandbox::Behaviour::name));
        match found.get(line) {
            None => wrong.push(format!("{what} is missing")),
            Some(ending) => {
                wrong.extend(differences(&truth, ending).into_iter().map(|is| format!("{what}: {is}")))
            }
        }
    }
    if lines != found.len() {
        wrong.push(format!("the list has {lines} lines, and {} were found", found.len()));
    }
    wrong
}

fn differences(truth: &TruthLine, ending: &Ending) -> Vec<String> {
    let Ending { disposition, detail, status, final_url, charset, truncated, body: _ } = ending;
    let mut wrong = Vec::new();
    differ(&mut wrong, "disposition", &truth.disposition, disposition);
    differ(&mut wrong, "detail", &truth.detail, detail);
    differ(&mut wrong, "status", &truth.status, status);
    differ(&mut wrong, "final URL", &truth.final_url, final_url);
    if let Some(named) = &truth.charset {
        differ(&mut wrong, "charset", named, charset);
    }
    differ(&mut wrong, "cut", &truth.truncated, truncated);
    wrong
}

fn differ<T: Debug + PartialEq>(wrong: &mut Vec<String>, what: &str, truth: &T, found: &T) {
    if truth != found {
        wrong.push(format!("{what} should be {truth:?} and is {found:?}"));
    }
}

/// Checks all that must hold of any finished round: the books balance, the outcome files say what the log says, and
/// every segment is closed and has its hash.
pub fn check_books(home: &Home, round: &str, found: &Endings) {
    let ledger = home.json(&["ledger", "--json", round], 0);
    assert_eq!(ledger["balanced"], true, "{ledger}");
    assert_eq!(ledger["lines"], found.len(), "{ledger}");
    for (name, disposition) in [("failed_urls.csv", "failed"), ("excluded.csv", "excluded")] {
        let mut listed: Vec<(u64, String)> = rows(&home.round(round, name))
            .iter()
            .map(|row| (row[2].parse().expect("a line has a number"), row[3].to_owned()))
            .collect();
        listed.sort();
        let logged: Vec<(u64, String)> = found
            .iter()
            .filter(|(_, ending)| ending.disposition == disposition)
            .map(|(line, ending)| (*line, ending.detail.clone()))
            .collect();
        assert_eq!(listed, logged, "{name} is not what the log says");
    }
    check_hashes(&home.round(round, "segments"));
}

/// Checks with another program that each segment is closed and has the hash beside it.
pub fn check_hashes(folder: &Path) {
    let names: Vec<String> = fs::read_dir(folder)
        .expect("there are segments")
        .map(|entry| entry.expect("a folder can be read").file_name().to_string_lossy().into_owned())
        .collect();
    let sums: Vec<&String> = names.iter().filter(|name| name.ends_with(".sha256")).collect();
    let segments = names.iter().filter(|name| name.ends_with(".zst")).count();
    assert_eq!(names.len(), segments + sums.len(), "something else is left: {names:?}");
    assert_eq!(segments, sums.len(), "{names:?}");
    for sum in sums {
        let checked = Command::new("sha256sum").current_dir(folder).args(["-c", "--strict", sum]).output();
        let checked = checked.expect("sha256sum can be started");
        assert!(checked.status.success(), "{sum}: {}", String::from_utf8_lossy(&checked.stderr));
    }
}
