//! What changed from month to month, and who uses a second vendor?
//!
//! Each site is compared with the last earlier month in which it was covered, page by page; then the sites of each
//! account are looked at together. Every row is replaced by the same row, so the job may be run again whenever you like.

mod accounts;
mod answer;
mod compare;
mod dual;
mod evidence;
mod readings;
#[cfg(test)]
mod simulated;
mod ways;
mod windows;

use std::collections::BTreeMap;

use anyhow::Result;
use catalog::{
    Catalog,
    changes::{self, ChangeRow, SeenRow},
    findings::{self, Since},
};
use domain::Moment;
use serde::Serialize;
use serde_json::json;

use super::{Job, JobOutcome, bar::Bar, patience::Patience, start_logging};
use crate::{clock::Clock, month::Month, round::RoundFolder, settings::Settings};
use answer::{Certainty, Change, Doubt, Kind};
use compare::{Against, Comparison, When};
use evidence::Seen;
use readings::{Reading, Readings};
use windows::{Look, Window, next_window};

pub use evidence::Sighting;

/// What is to be compared.
pub struct ChangesPlan {
    /// The newest round of the month: the run and its log are its.
    pub folder: RoundFolder,
    /// The month.
    pub month: Month,
    /// The rules that both months are to be read with.
    pub rule_set: i64,
    /// How many sites the month has, for the bar.
    pub sites: u64,
    /// The settings.
    pub settings: Settings,
    /// No progress on standard error.
    pub quiet: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Sites that were visited in the month.
    pub sites: u64,
    /// Sites of which no page could be captured in the month.
    pub sites_not_captured: u64,
    /// Sites that were captured for the first time.
    pub sites_without_earlier_look: u64,
    /// Signals that are there and were not.
    pub added: Sure,
    /// Signals that were there and are not.
    pub dropped: Sure,
    /// Signals that were there and are.
    pub kept: u64,
    /// Signals of which one of the two months cannot tell.
    pub unknown: u64,
    /// Accounts and categories with a second vendor.
    pub dual_vendors: u64,
    /// Those of them whose second vendor came this month.
    pub new_dual_vendors: u64,
}

/// How many of something are how sure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Sure {
    /// Nothing that could speak against it is missing.
    pub certain: u64,
    /// Something is missing that could.
    pub likely: u64,
}

/// How comparing went.
#[derive(Debug, Clone)]
pub struct ChangesReport {
    /// The month.
    pub month: Month,
    /// The rules.
    pub rule_set: i64,
    /// What was found.
    pub counts: Counts,
    /// How it ended.
    pub outcome: JobOutcome,
}

/// Compares a month with what was there before.
pub async fn run(plan: ChangesPlan, catalog: Catalog, clock: Clock) -> Result<ChangesReport> {
    let ChangesPlan { folder, month, rule_set, sites, settings, quiet } = plan;
    start_logging(&folder.logs(), "changes", &settings.logs)?;
    let parameters = json!({ "month": month.as_str(), "rule_set": rule_set });
    let job = Job::start(catalog, clock, "changes", &folder.round, &["changes"], parameters).await?;
    let patience = Patience::new(job.handle(), &settings.process);
    let compared = job
        .stage("changes", async {
            let mut readings = Readings::new(&patience, clock, &settings, rule_set, quiet).await?;
            let mut counts = Counts::default();
            let bar = Bar::new("changes", quiet);
            compare_sites(&patience, month.as_str(), rule_set, &mut readings, &mut counts, bar, sites)
                .await?;
            if !patience.is_stopped() {
                accounts::find_dual_vendors(&patience, month.as_str(), rule_set, &mut counts).await?;
            }
            let told = serde_json::to_value(&counts)?;
            Ok((counts, told))
        })
        .await;
    let told = compared.as_ref().ok().and_then(|counts| serde_json::to_value(counts).ok());
    let (counts, outcome) = job.conclude(compared, told.unwrap_or_else(|| json!({})), |_| None).await?;
    Ok(ChangesReport { month, rule_set, counts, outcome })
}

/// Compares the sites of a month, window by window, until the job is to stop.
async fn compare_sites(
    patience: &Patience,
    month: &str,
    rule_set: i64,
    readings: &mut Readings<'_>,
    counts: &mut Counts,
    mut bar: Bar,
    sites: u64,
) -> Result<()> {
    let reading = readings.of(month).await?;
    let mut after: Option<String> = None;
    while !patience.is_stopped() {
        let from = after.as_deref();
        let window = patience.ask(async |catalog| next_window(catalog, month, from).await).await?;
        let Some(window) = window else {
            // what is left belongs to sites that are not visited any more
            return patience
                .ask(async |catalog| changes::replace(catalog, month, from, None, &[]).await)
                .await;
        };
        let Some(looks) = look_at(patience, month, &reading, readings, &window).await? else { return Ok(()) };
        let rows = compare_window(month, rule_set, &window, &looks, counts);
        let upto = Some(window.upto.as_str());
        patience.ask(async |catalog| changes::replace(catalog, month, from, upto, &rows).await).await?;
        patience.handle().note_counts(serde_json::to_value(&*counts)?);
        bar.show(counts.sites, sites.max(counts.sites), || {
            format!("sites, {} added, {} dropped", counts.added.all(), counts.dropped.all())
        });
        after = Some(window.upto);
    }
    Ok(())
}

/// What a window's sites showed in the month and in the months that they are compared with.
struct Looks {
    now: Look,
    /// By month, with why nothing can be certain.
    before: BTreeMap<String, (Look, Option<Doubt>)>,
    since: Vec<Since>,
}

/// Looks at a window; `None` if the job was to stop while a month was read again.
async fn look_at(
    patience: &Patience,
    month: &str,
    reading: &Reading,
    readings: &mut Readings<'_>,
    window: &Window,
) -> Result<Option<Looks>> {
    let mut before = BTreeMap::new();
    for earlier in window.previous.values() {
        if before.contains_key(earlier) {
            continue;
        }
        let reading_then = readings.of(earlier).await?;
        if patience.is_stopped() {
            return Ok(None);
        }
        let look = patience.ask(async |catalog| Look::at(catalog, earlier, &reading_then, window).await);
        let look = look.await?;
        let doubt = readings.doubt(reading, &reading_then).await?;
        before.insert(earlier.clone(), (look, doubt));
    }
    let now = patience.ask(async |catalog| Look::at(catalog, month, reading, window).await).await?;
    let Window { after, upto, .. } = window;
    let since = patience
        .ask(async |catalog| findings::since_between(catalog, month, after.as_deref(), upto).await)
        .await?;
    Ok(Some(Looks { now, before, since }))
}

/// The changes of a window's sites, by site; what was found is counted.
fn compare_window(
    month: &str,
    rule_set: i64,
    window: &Window,
    looks: &Looks,
    counts: &mut Counts,
) -> Vec<ChangeRow> {
    let mut sites = BTreeMap::<&str, Comparison<'_>>::new();
    for page in &looks.now.pages {
        let site = sites.entry(&page.site).or_default();
        site.page(When::Now, &page.url, &page.disposition, &page.detail);
    }
    for row in &looks.now.seen {
        if let Some(site) = sites.get_mut(row.site.as_str()) {
            site.saw(When::Now, seen_of(row));
        }
    }
    for (earlier, (look, _)) in &looks.before {
        let is_compared = |site: &str| window.previous.get(site) == Some(earlier);
        for page in look.pages.iter().filter(|page| is_compared(&page.site)) {
            if let Some(site) = sites.get_mut(page.site.as_str()) {
                site.page(When::Before, &page.url, &page.disposition, &page.detail);
            }
        }
        for row in look.seen.iter().filter(|row| is_compared(&row.site)) {
            if let Some(site) = sites.get_mut(row.site.as_str()) {
                site.saw(When::Before, seen_of(row));
            }
        }
    }
    let since: BTreeMap<(&str, i64), Moment> =
        looks.since.iter().map(|one| ((one.site.as_str(), one.signal_id), one.since)).collect();
    let mut rows = Vec::new();
    for (site, comparison) in sites {
        counts.note_site(&comparison);
        let previous = window.previous.get(site);
        let doubt = previous.and_then(|month| looks.before.get(month)).and_then(|(_, doubt)| doubt.as_ref());
        let against = Against { previous: previous.map(String::as_str), doubt };
        for change in comparison.changes(against, |signal| since.get(&(site, signal)).copied()) {
            counts.note(change.kind, change.certainty);
            rows.push(row_of(month, rule_set, site, previous, change));
        }
    }
    rows
}

fn seen_of(row: &SeenRow) -> Seen<'_> {
    Seen {
        url: &row.url,
        signal: row.signal_id,
        fingerprint: &row.fingerprint_key,
        snippet: &row.snippet,
        found_at: row.found_at,
        confidence: row.confidence,
        implied: row.implied,
    }
}

fn row_of(month: &str, rule_set: i64, site: &str, previous: Option<&String>, change: Change) -> ChangeRow {
    let Change { signal, kind, certainty, reason, since, evidence } = change;
    ChangeRow {
        month: month.to_owned(),
        previous: previous.cloned(),
        site: site.to_owned(),
        signal_id: signal,
        kind: kind.name().to_owned(),
        certainty: certainty.name().to_owned(),
        reason,
        since: Some(since),
        rule_set,
        evidence: json!(evidence),
    }
}

impl Counts {
    fn note_site(&mut self, site: &Comparison<'_>) {
        self.sites += 1;
        let (now, before) = (site.is_covered(When::Now), site.is_covered(When::Before));
        self.sites_not_captured += u64::from(!now);
        self.sites_without_earlier_look += u64::from(now && !before);
    }

    fn note(&mut self, kind: Kind, certainty: Certainty) {
        match kind {
            Kind::Added => self.added.note(certainty),
            Kind::Dropped => self.dropped.note(certainty),
            Kind::Kept => self.kept += 1,
            Kind::Unknown => self.unknown += 1,
        }
    }
}

impl Sure {
    /// All of them.
    #[must_use]
    pub fn all(self) -> u64 {
        self.certain + self.likely
    }

    fn note(&mut self, certainty: Certainty) {
        match certainty {
            Certainty::Certain => self.certain += 1,
            Certainty::Likely | Certainty::Unknown => self.likely += 1,
        }
    }
}
