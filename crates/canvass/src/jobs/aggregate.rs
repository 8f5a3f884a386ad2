//! What did each site show in a month?
//!
//! Matches are folded into findings, one for each site, fingerprint and month. The work is one statement of the
//! database; running it again changes nothing.

use anyhow::Result;
use catalog::{
    Catalog,
    findings::{self, Aggregated},
    runs::RunStatus,
};
use serde_json::json;

use super::{Job, JobOutcome, start_logging};
use crate::{clock::Clock, exit::Exit, explain::explain, round::RoundFolder, settings::Settings};

/// How aggregating went.
#[derive(Debug, Clone)]
pub struct AggregateReport {
    /// The months and what each of them came to.
    pub months: Vec<(String, Aggregated)>,
    /// The rule set.
    pub rule_set: i64,
    /// How it ended.
    pub outcome: JobOutcome,
}

/// Folds the matches of these months, made with one rule set, into findings.
pub async fn run(
    folder: &RoundFolder,
    settings: &Settings,
    months: &[String],
    rule_set: i64,
    catalog: Catalog,
    clock: Clock,
) -> Result<AggregateReport> {
    start_logging(&folder.logs(), "aggregate", &settings.logs)?;
    let parameters = json!({ "months": months, "rule_set": rule_set });
    let job = Job::start(catalog, clock, "aggregate", &folder.round, &["aggregate"], parameters).await?;
    let folded = job
        .stage("aggregate", async {
            let mut folded = Vec::new();
            for month in months {
                if job.stopped().is_some() {
                    break;
                }
                let done = findings::aggregate(job.handle().catalog(), month, rule_set, clock.now()).await?;
                folded.push((month.clone(), done));
            }
            let counts = json!({ "findings": folded.iter().map(|(_, one)| one.findings).sum::<u64>() });
            Ok((folded, counts))
        })
        .await;
    let (status, exit, words) = match (&folded, job.stopped()) {
        (Err(error), _) => (RunStatus::Failed, Exit::CouldNotRun, explain(error)),
        (Ok(_), Some(stop)) => (RunStatus::Aborted, Exit::CouldNotRun, stop.to_string()),
        (Ok(_), None) => (RunStatus::Done, Exit::Done, "done".to_owned()),
    };
    let outcome = JobOutcome { status, exit, words, counts: json!({}) };
    job.finish(&outcome).await?;
    Ok(AggregateReport { months: folded?, rule_set, outcome })
}
