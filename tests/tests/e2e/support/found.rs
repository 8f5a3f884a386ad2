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
}

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
    for completion in completions(home, round) {
        add(completion.target.line, ending_of(&completion));
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
    let Ending { disposition, detail, status, final_url, charset, truncated } = ending;
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
fn check_hashes(folder: &Path) {
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
