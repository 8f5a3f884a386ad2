//! What did each site show in a month?
//!
//! Matches are folded into findings, one for each site, fingerprint and month. The work is one statement of the
//! database for some thousand pages at a time; running it again changes nothing.

use anyhow::Result;
use catalog::{
    Catalog,
    findings::{self, Aggregated},
};
use serde_json::json;

use super::{Job, JobOutcome, bar::Bar, patience::Patience, start_logging};
use crate::{clock::Clock, round::RoundFolder, settings::Settings};

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
    quiet: bool,
) -> Result<AggregateReport> {
    start_logging(&folder.logs(), "aggregate", &settings.logs)?;
    let parameters = json!({ "months": months, "rule_set": rule_set });
    let job = Job::start(catalog, clock, "aggregate", &folder.round, &["aggregate"], parameters).await?;
    let folded = job
        .stage("aggregate", async {
            let patience = Patience::new(job.handle(), &settings.process);
            let (mut folded, mut bar) = (Vec::new(), Bar::new("aggregate", quiet));
            for month in months {
                folded.push((month.clone(), fold(&patience, month, rule_set, clock, &mut bar).await?));
            }
            let counts = json!({ "findings": folded.iter().map(|(_, one)| one.findings).sum::<u64>() });
            Ok((folded, counts))
        })
        .await;
    let (months, outcome) = job.conclude(folded, json!({}), |_| None).await?;
    Ok(AggregateReport { months, rule_set, outcome })
}

/// Folds one month, some sites at a time, until it is done or the job is to stop.
pub(super) async fn fold(
    patience: &Patience,
    month: &str,
    rule_set: i64,
    clock: Clock,
    bar: &mut Bar,
) -> Result<Aggregated> {
    let all = patience.ask(async |catalog| catalog::matches::count_sites(catalog, month).await).await?;
    let (mut total, mut after) = (Aggregated::default(), None::<String>);
    while !patience.is_stopped() {
        let next = patience.ask(async |catalog| {
            findings::aggregate_part(catalog, month, rule_set, after.as_deref(), clock.now()).await
        });
        let Some(part) = next.await? else { break };
        total.add(part.aggregated);
        after = Some(part.upto);
        bar.show(total.sites, all, || format!("sites of {month}, {} findings", total.findings));
    }
    Ok(total)
}
