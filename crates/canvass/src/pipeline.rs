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
    Stage {
        name: "process",
        verb: "process",
        reads: "segments/, the active rule set",
        writes: "pages, matches and the ledger of segments in the catalog; processed/",
        about: "What does each page show?",
    },
    Stage {
        name: "aggregate",
        verb: "aggregate",
        reads: "pages and matches",
        writes: "findings and coverage in the catalog",
        about: "What did each site show in a month?",
    },
    Stage {
        name: "changes",
        verb: "changes",
        reads: "pages, matches and findings of two months, accounts",
        writes: "changes and dual vendors in the catalog",
        about: "What did sites add and drop, and who uses a second vendor?",
    },
    Stage {
        name: "archive",
        verb: "archive",
        reads: "matches of old months",
        writes: "../../archive/matches/; the rows leave the catalog",
        about: "Where do old match rows go?",
    },
    Stage {
        name: "export",
        verb: "export",
        reads: "findings, coverage, changes, accounts",
        writes: "export/: tables as CSV, JSON and Parquet, manifest.json",
        about: "Which files tell others what was found in a month?",
    },
    Stage {
        name: "deliver",
        verb: "deliver",
        reads: "export/",
        writes: "files and a manifest at each destination, the ledger in the catalog",
        about: "Do those who wait for the findings have them, exactly once?",
    },
    Stage {
        name: "report",
        verb: "report",
        reads: "the catalog",
        writes: "report.html",
        about: "What does a month look like to a person?",
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
