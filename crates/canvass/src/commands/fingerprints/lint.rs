//! canvass fingerprints lint: is a pack right?

use std::{
    collections::HashSet,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde_json::json;

use crate::{
    commands::{
        print_json,
        table::{counted, grouped},
    },
    exit::Exit,
    rules::{
        files_in,
        lint::{Checked, check},
        read_bounded, read_packs, shipped,
    },
};

/// What `canvass fingerprints lint` is asked for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  canvass fingerprints lint mine.yaml
  canvass fingerprints lint fingerprints/ --json")]
pub struct LintArgs {
    /// Pack files, or folders of them [default: what canvass brings along]
    pub paths: Vec<PathBuf>,
    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,
}

/// Says everything that is wrong.
pub(super) fn lint(args: &LintArgs, out: &mut dyn Write) -> Result<Exit> {
    let negatives = negatives(&args.paths)?;
    let (files, known) = match args.paths.as_slice() {
        [] => (shipped::files(), HashSet::new()),
        paths => (read_packs(paths)?, shipped::signal_names()),
    };
    let Checked { categories, set, findings, .. } = check(&files, &negatives, &known);
    let (signals, fingerprints) = (set.signals().len() as u64, set.fingerprints().len() as u64);
    if args.json {
        let counts = json!({
            "files": files.len(), "categories": categories.len(), "signals": signals, "fingerprints": fingerprints,
            "findings": findings,
        });
        print_json(out, &counts)?;
    } else {
        for finding in &findings {
            writeln!(out, "{finding}")?;
        }
        let read = format!(
            "{}, {}, {}",
            counted(files.len() as u64, "file"),
            counted(signals, "signal"),
            counted(fingerprints, "fingerprint")
        );
        match findings.len() as u64 {
            0 => writeln!(out, "{read}: no problems")?,
            problems => writeln!(out, "{read}: {}", counted(problems, "problem"))?,
        }
        if findings.is_empty() {
            writeln!(
                out,
                "each sees its example; none sees anything on {} pages that run nothing",
                grouped(negatives.len() as u64)
            )?;
        }
    }
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The pages on which packs at these paths may see nothing, each once.
pub(super) fn negatives(paths: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>> {
    let mut pages = shipped::negatives();
    for path in paths {
        for page in negatives_beside(path)? {
            // the folder may be the one that the shipped pages are from
            if !pages.iter().any(|(_, known)| *known == page.1) {
                pages.push(page);
            }
        }
    }
    Ok(pages)
}

/// The pages of a folder `negatives` in a pack's folder, or beside a pack's file.
fn negatives_beside(path: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let folder = if path.is_dir() { Some(path) } else { path.parent() };
    let Some(folder) = folder.map(|folder| folder.join("negatives")).filter(|folder| folder.is_dir()) else {
        return Ok(Vec::new());
    };
    let pages = files_in(&folder, &["html"])?;
    pages.into_iter().map(|page| Ok((page.display().to_string(), read_bounded(&page)?))).collect()
}
