//! What does a round do, in order? The whole product on one page.
//!
//! CLI verbs, the stages in `status`, log files and docs/PIPELINE.md are derived from this table, and a test holds them
//! together. A new stage is one line here and one file under `jobs/`.

use std::fmt::Write;

/// One stage of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// Its name: in `status`, in `run_stages`, as its log file.
    pub name: &'static str,
    /// The command that runs it.
    pub verb: &'static str,
    /// What it reads.
    pub reads: &'static str,
    /// What it writes.
    pub writes: &'static str,
    /// The question it answers.
    pub about: &'static str,
}

/// The stages, in order.
pub const STAGES: &[Stage] = &[
    Stage {
        name: "enlist",
        verb: "crawl",
        reads: "the list",
        writes: "frontier/, rejected.csv, duplicates.csv, enlist.json",
        about: "Which lines are targets, and which host does each belong to?",
    },
    Stage {
        name: "crawl",
        verb: "crawl",
        reads: "frontier/",
        writes: "segments/, checkpoint, failed_urls.csv, excluded.csv",
        about: "What does each target answer, politely and exactly once?",
    },
    Stage {
        name: "ledger",
        verb: "ledger",
        reads: "everything above",
        writes: "nothing: it proves",
        about: "Do the books balance, line by line?",
    },
];

/// docs/PIPELINE.md.
#[must_use]
pub fn pipeline_markdown() -> String {
    let mut text = "# The pipeline\n\nMade from `crates/canvass/src/pipeline.rs` by `scripts/generate-docs`; do not edit.\n\
                    Paths are below `<data_dir>/rounds/<round>/`.\n\n\
                    | # | stage | command | the question | reads | writes |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for (number, stage) in (1..).zip(STAGES) {
        let Stage { name, verb, reads, writes, about } = stage;
        let _ = writeln!(text, "| {number} | {name} | `canvass {verb}` | {about} | {reads} | {writes} |");
    }
    text
}
