//! How long does it take to start?

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{home::Home, prepare::one_page_folder};
use crate::table::{grouped, markdown, median};

/// How often each is started, on which rules.
pub struct Starts<'a> {
    /// The canvass that is measured.
    pub program: &'a Path,
    /// What was prepared.
    pub prepared: &'a Path,
    /// Where to work.
    pub work: PathBuf,
    /// A folder in the open Wappalyzer format.
    pub wappalyzer: Option<&'a Path>,
    /// How often.
    pub times: usize,
}

impl Starts<'_> {
    /// Starts `canvass process` again and again, with nothing to do and with one page, for each set of rules.
    ///
    /// # Errors
    /// If a start fails.
    pub fn measure(&self) -> Result<String> {
        let mut rows = vec![self.row("the own pack", "own", None)?];
        if let Some(folder) = self.wappalyzer {
            rows.push(self.row("imported from Wappalyzer", "imported", Some(folder))?);
        }
        Ok(markdown(&["rules", "fingerprints", "nothing to do, ms", "one page, ms"], &rows))
    }

    fn row(&self, label: &str, name: &str, wappalyzer: Option<&Path>) -> Result<Vec<String>> {
        eprintln!("starts with {label}");
        let home = Home::open(self.program, &self.work.join(name), None)?;
        home.migrate()?;
        home.load_rules(wappalyzer)?;
        let mut nothing = Vec::new();
        for _ in 0..self.times {
            nothing.push(home.process()?.0.wall.as_secs_f64() * 1e3);
        }
        let segments = blobs::segment::list(&one_page_folder(self.prepared))?;
        let segments: Vec<PathBuf> = segments.into_iter().map(|segment| segment.path).collect();
        let mut one_page = Vec::new();
        for time in 0..self.times {
            // a page that was read once is never read again, so each start has a copy of the home to itself
            let copy = home.copy_to(&self.work.join(format!("{name}-{time}")))?;
            copy.put_round(self.prepared, &segments)?;
            one_page.push(copy.process()?.0.wall.as_secs_f64() * 1e3);
        }
        let middle = |times: Vec<f64>| median(times).map_or_else(|| "–".to_owned(), |ms| format!("{ms:.1}"));
        Ok(vec![label.to_owned(), grouped(home.fingerprints()?), middle(nothing), middle(one_page)])
    }
}
