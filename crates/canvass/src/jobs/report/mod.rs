//! What does a month look like to a person?
//!
//! One page that needs nothing else: no network, no script, no second file. It holds sums and a bounded number of
//! accounts, so that it stays small however many sites there are.

mod chart;
mod gather;
mod html;
mod page;
mod sections;
#[cfg(test)]
mod tests;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use catalog::{Catalog, runs::RunStatus};
use serde_json::json;

use super::{Job, JobOutcome, start_logging};
use crate::{
    clock::Clock, exit::Exit, explain::explain, month::Month, round::RoundFolder, settings::Settings,
};

pub use gather::{Figures, gather};
pub use page::render;

/// The page's name in a round's folder.
pub const REPORT_FILE: &str = "report.html";

/// What is to be reported, and where to.
pub struct ReportPlan {
    /// The round whose folder the page goes to unless it is told otherwise.
    pub folder: RoundFolder,
    /// The month; the newest that was aggregated if it is not said.
    pub month: Option<Month>,
    /// Another place for the page.
    pub out: Option<PathBuf>,
    /// Where log lines go.
    pub settings: Settings,
}

/// What became of it.
#[derive(Debug, Clone)]
pub struct ReportDone {
    /// The month that is reported.
    pub month: String,
    /// Where the page is.
    pub path: PathBuf,
    /// How long it is.
    pub bytes: usize,
    /// How the job ended.
    pub outcome: JobOutcome,
}

/// Writes the page.
pub async fn run(plan: ReportPlan, catalog: Catalog, clock: Clock) -> Result<ReportDone> {
    let ReportPlan { folder, month, out, settings } = plan;
    start_logging(&folder.logs(), "report", &settings.logs)?;
    let path = out.unwrap_or_else(|| folder.file(REPORT_FILE));
    let parameters = json!({ "month": month.as_ref().map(Month::as_str), "path": path });
    let job = Job::start(catalog, clock, "report", &folder.round, &["report"], parameters).await?;
    let written = job
        .stage("report", async {
            let figures = gather(job.handle().catalog(), month.as_ref(), clock.now()).await?;
            let page = render(&figures);
            write_whole(&path, page.as_bytes())?;
            let counts = json!({ "bytes": page.len() });
            Ok(((figures.month, page.len()), counts))
        })
        .await;
    let (status, exit, words) = match &written {
        Ok(_) => (RunStatus::Done, Exit::Done, "done".to_owned()),
        Err(error) => (RunStatus::Failed, Exit::CouldNotRun, explain(error)),
    };
    let outcome = JobOutcome { status, exit, words, counts: json!({}) };
    let finished = job.finish(&outcome).await;
    // the first error is the one to show
    let (month, bytes) = written?;
    finished?;
    Ok(ReportDone { month, path, bytes, outcome })
}

/// Writes a file that is there whole or not at all.
fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let problem = || format!("cannot write {}", path.display());
    fs::create_dir_all(parent).with_context(problem)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).with_context(problem)?;
    let unfinished = parent.join(format!(".{name}.{}", std::process::id()));
    let mut file = fs::File::create(&unfinished).with_context(problem)?;
    file.write_all(content).and_then(|()| file.sync_all()).with_context(problem)?;
    fs::rename(&unfinished, path).with_context(problem)
}
