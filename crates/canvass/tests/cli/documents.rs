//! Are the documents that are made from the code what the code makes now?
//!
//! `scripts/generate-docs` writes them: it runs these tests with `UPDATE_DOCS=1`.

use std::{fmt::Write, fs, path::Path};

use canvass::{pipeline::pipeline_markdown, settings::Retry};
use domain::{Exclusion, FailureKind, RetryClass};

use crate::{
    program::{Home, assert_fits},
    shape::every_command,
};

/// Compares a document with what it should be, or writes it.
fn assert_up_to_date(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/{name} is behind: run scripts/generate-docs");
}

#[test]
fn the_pipeline_document_is_up_to_date() {
    assert_up_to_date("PIPELINE.md", &pipeline_markdown());
}

#[test]
fn the_command_line_document_is_up_to_date() {
    let home = Home::empty();
    let mut text = "# The command line\n\nMade from the program's own help by `scripts/generate-docs`; do not edit.\n\
                    Each exits with 0 (done), 1 (done, with failures above the threshold or findings) or 2 (could not\n\
                    run, or had to stop). Commands that read settings take `--config` and `--set`.\n"
        .to_owned();
    for (typed, _) in every_command() {
        let mut arguments: Vec<&str> = typed.split(' ').skip(1).collect();
        arguments.push("--help");
        let told = home.run(&arguments);
        let help = told.strip_suffix("[exit 0]\n").unwrap_or_else(|| panic!("{typed}: {told}"));
        assert_fits(help);
        // clap indents the blank lines of a long description
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        let _ = write!(text, "\n## `{typed}`\n\n```text\n{}\n```\n", help.join("\n"));
    }
    assert_up_to_date("CLI.md", &text);
}

#[test]
fn the_failures_document_is_up_to_date() {
    let mut text = "# How a target can end\n\nMade from `crates/domain/src/disposition.rs` and \
                    `crates/frontier` by `scripts/generate-docs`; do not edit.\n\n\
                    Every line of a list ends in exactly one way: captured, excluded, failed, rejected or a\n\
                    duplicate. `canvass ledger` proves it. The names below stand in the CSV files of a round, in the\n\
                    segments and in every count.\n"
        .to_owned();
    text += "\n## Excluded: not ours to fetch or to keep\n\nIn `excluded.csv`.\n\n| reason | what it means |\n|---|---|\n";
    for reason in Exclusion::ALL {
        let _ = writeln!(text, "| `{reason}` | {} |", doc_of(reason.name()));
    }
    text += "\n## Failed: tried, and did not work\n\nIn `failed_urls.csv`, which `canvass crawl --retry-failed` takes \
             as its list.\n\n| kind | what it means | retried within the round |\n|---|---|---|\n";
    for kind in FailureKind::ALL {
        let _ = writeln!(text, "| `{kind}` | {} | {} |", doc_of(kind.name()), retried(kind.retry_class()));
    }
    text += "\nThe counts and waits are the defaults of `crawl.retry` ([SETTINGS.md](SETTINGS.md)). A `Retry-After` \
             lengthens\na wait and never shortens it.\n";
    text += "\n## Rejected: a line that is no target\n\nIn `rejected.csv`, with the line's number and a sentence.\n\n\
             | reason | what it means |\n|---|---|\n";
    for (name, meaning) in rejections() {
        let _ = writeln!(text, "| `{name}` | {meaning} |");
    }
    assert_up_to_date("FAILURES.md", &text);
}

fn retried(class: RetryClass) -> String {
    let Retry {
        throttle_first_wait_seconds,
        throttle_retries,
        server_error_wait_seconds,
        server_error_retries,
        connect_timeout_wait_seconds,
        connect_timeout_retries,
        transient_wait_seconds,
        transient_retries,
        max_wait_seconds: _,
    } = Retry::default();
    match class {
        RetryClass::Never => "never".to_owned(),
        RetryClass::Throttle => {
            format!("{throttle_retries} ×, from {} s, doubling", throttle_first_wait_seconds.0)
        }
        RetryClass::ServerError => {
            format!("{server_error_retries} × after {} s", server_error_wait_seconds.0)
        }
        RetryClass::ConnectTimeout => {
            format!("{connect_timeout_retries} × after {} s", connect_timeout_wait_seconds.0)
        }
        RetryClass::Transient => format!("{transient_retries} × after {} s", transient_wait_seconds.0),
    }
}

/// The doc comment above the variant of that stable name: the one place where its meaning is written.
fn doc_of(name: &str) -> String {
    let source = include_str!("../../../domain/src/disposition.rs");
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| line.ends_with(&format!("= \"{name}\","))).unwrap();
    doc_above(&lines, at)
}

fn doc_above(lines: &[&str], at: usize) -> String {
    let comment = |line: &&&str| line.starts_with("///") || line.starts_with("#[");
    let mut docs: Vec<&str> =
        lines[..at].iter().rev().take_while(comment).filter_map(|line| line.strip_prefix("/// ")).collect();
    docs.reverse();
    assert!(!docs.is_empty(), "nothing is said above {}", lines[at]);
    docs.join(" ")
}

/// The names of `rejected.csv` with the doc comments of their variants, each once.
fn rejections() -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (of, source) in [
        ("NotAUrl::", include_str!("../../../frontier/src/normal/not_a_url.rs")),
        ("LineProblem::", include_str!("../../../frontier/src/source/problem.rs")),
    ] {
        let lines: Vec<&str> = source.lines().map(str::trim).collect();
        let arms = lines.iter().filter_map(|line| line.strip_prefix(of)?.split_once(" => \""));
        for (variant, name) in arms {
            let variant = variant.split(' ').next().unwrap();
            let name = name.trim_end_matches("\",").to_owned();
            let declared = [format!("{variant},"), format!("{variant} {{")];
            let at = lines.iter().position(|line| declared.iter().any(|form| line == form)).unwrap();
            if found.iter().all(|(known, _)| *known != name) {
                found.push((name, doc_above(&lines, at)));
            }
        }
    }
    assert!(found.len() > 10, "{found:?}");
    found
}
