//! TechnicalFindings: what was seen on which site, and what shows it?

use std::collections::VecDeque;

use anyhow::Result;
use blobs::table::{Cell, Column, Kind};
use catalog::{
    accounts::{self, AccountSite},
    findings::{self, FindingRow, SiteMonth},
};

use super::sheet::Source;
use crate::{jobs::patience::Patience, month::Month};

const ROWS_AT_ONCE: i64 = 2_000;
/// A site may belong to many accounts; this many are named, the rest are counted.
const NAMED_ACCOUNTS: usize = 20;

/// The findings of a month in the order of site, signal and fingerprint.
///
/// The owners and the coverage of a site are listings of their own in the order of sites, so they are walked beside the
/// findings and never held whole.
pub struct TechnicalFindings {
    month: Month,
    patience: Patience,
    last: Option<(String, String, String)>,
    owners: Owners,
    coverage: Walk<SiteMonth>,
}

/// A finding with what is known of its site.
pub struct Row {
    finding: FindingRow,
    accounts: i64,
    account_ids: Option<String>,
    /// Targets and captured ones.
    coverage: Option<(i64, i64)>,
}

impl TechnicalFindings {
    /// The findings of a month.
    #[must_use]
    pub fn new(patience: Patience, month: &Month) -> TechnicalFindings {
        TechnicalFindings {
            month: month.clone(),
            patience,
            last: None,
            owners: Owners::default(),
            coverage: Walk::default(),
        }
    }

    async fn row_of(&mut self, finding: FindingRow) -> Result<Row> {
        self.owners.move_to(&finding.site, &self.patience).await?;
        let coverage = self.coverage_of(&finding.site).await?;
        let ids = &self.owners.named;
        let account_ids = (!ids.is_empty()).then(|| ids.join(";"));
        Ok(Row { finding, accounts: self.owners.count, account_ids, coverage })
    }

    async fn coverage_of(&mut self, site: &str) -> Result<Option<(i64, i64)>> {
        loop {
            let (patience, month) = (&self.patience, self.month.as_str());
            let ahead = self
                .coverage
                .peek(async |last: Option<&SiteMonth>| {
                    let after = last.map(|last| last.site.clone());
                    let ask = async |catalog: &_| {
                        findings::site_months(catalog, month, after.as_deref(), ROWS_AT_ONCE).await
                    };
                    patience.ask(ask).await
                })
                .await?;
            match ahead {
                Some(row) if row.site.as_str() < site => self.coverage.step(),
                Some(row) if row.site == site => return Ok(Some((row.targets, row.captured))),
                _ => return Ok(None),
            }
        }
    }
}

impl Source for TechnicalFindings {
    const COLUMNS: &'static [Column] = &[
        Column::new("month", Kind::Text),
        Column::new("site", Kind::Text),
        Column::new("url", Kind::Text),
        Column::new("accounts", Kind::Int),
        Column::nullable("account_ids", Kind::Text),
        Column::new("signal", Kind::Text),
        Column::new("vendor", Kind::Text),
        Column::new("family", Kind::Text),
        Column::new("category", Kind::Text),
        Column::new("category_title", Kind::Text),
        Column::new("fingerprint", Kind::Text),
        Column::new("part", Kind::Text),
        Column::new("confidence", Kind::Int),
        Column::nullable("version", Kind::Text),
        Column::nullable("account", Kind::Text),
        Column::nullable("tracker", Kind::Text),
        Column::nullable("implied_by", Kind::Text),
        Column::new("first_seen_at", Kind::Time),
        Column::new("last_seen_at", Kind::Time),
        Column::new("match_count", Kind::Int),
        Column::new("rule_set", Kind::Int),
        Column::new("evidence_position", Kind::Int),
        Column::new("evidence_snippet", Kind::Text),
        Column::nullable("site_targets", Kind::Int),
        Column::nullable("site_captured", Kind::Int),
        Column::nullable("site_coverage", Kind::Real),
    ];
    type Row = Row;

    async fn next_rows(&mut self) -> Result<Vec<Row>> {
        let (month, last) = (self.month.as_str(), &self.last);
        let ask = async |catalog: &_| {
            let after =
                last.as_ref().map(|(site, signal, key)| (site.as_str(), signal.as_str(), key.as_str()));
            findings::list(catalog, month, after, ROWS_AT_ONCE).await
        };
        let found = self.patience.ask(ask).await?;
        if let Some(last) = found.last() {
            self.last = Some((last.site.clone(), last.signal.clone(), last.fingerprint_key.clone()));
        }
        let mut rows = Vec::with_capacity(found.len());
        for finding in found {
            rows.push(self.row_of(finding).await?);
        }
        Ok(rows)
    }

    fn cells(row: &Row) -> Vec<Cell<'_>> {
        let Row { finding, accounts, account_ids, coverage } = row;
        let FindingRow {
            site,
            month,
            fingerprint: _,
            fingerprint_key,
            part,
            signal_id: _,
            signal,
            vendor,
            family,
            category,
            category_title,
            exclusive: _,
            rule_set,
            match_count,
            first_seen_at,
            last_seen_at,
            confidence,
            version,
            account,
            tracker,
            url,
            position,
            snippet,
            implied_by,
        } = finding;
        let share = |(targets, captured): (i64, i64)| {
            if targets > 0 { Cell::Real(captured as f64 / targets as f64) } else { Cell::Nothing }
        };
        vec![
            month.into(),
            site.into(),
            url.into(),
            (*accounts).into(),
            account_ids.as_ref().into(),
            signal.into(),
            vendor.into(),
            family.into(),
            category.into(),
            category_title.into(),
            fingerprint_key.into(),
            part.into(),
            (*confidence).into(),
            version.as_ref().into(),
            account.as_ref().into(),
            tracker.as_ref().into(),
            implied_by.as_ref().into(),
            (*first_seen_at).into(),
            (*last_seen_at).into(),
            (*match_count).into(),
            (*rule_set).into(),
            (*position).into(),
            snippet.into(),
            coverage.map(|(targets, _)| targets).into(),
            coverage.map(|(_, captured)| captured).into(),
            coverage.map_or(Cell::Nothing, share),
        ]
    }
}

/// The accounts that the current site belongs to.
#[derive(Default)]
struct Owners {
    site: Option<String>,
    named: Vec<String>,
    count: i64,
    links: Walk<AccountSite>,
}

impl Owners {
    /// Goes on to a site; sites must come in their order.
    async fn move_to(&mut self, site: &str, patience: &Patience) -> Result<()> {
        if self.site.as_deref() == Some(site) {
            return Ok(());
        }
        self.site = Some(site.to_owned());
        self.named.clear();
        self.count = 0;
        loop {
            let ahead = self
                .links
                .peek(async |last: Option<&AccountSite>| {
                    let after = last.map(|last| (last.site.clone(), last.account.clone()));
                    let ask = async |catalog: &_| {
                        let after = after.as_ref().map(|(site, account)| (site.as_str(), account.as_str()));
                        accounts::links_by_site(catalog, after, ROWS_AT_ONCE).await
                    };
                    patience.ask(ask).await
                })
                .await?;
            match ahead {
                Some(link) if link.site.as_str() < site => {}
                Some(link) if link.site == site => {
                    if self.named.len() < NAMED_ACCOUNTS {
                        self.named.push(link.account.clone());
                    }
                    self.count += 1;
                }
                _ => return Ok(()),
            }
            self.links.step();
        }
    }
}

/// A listing that is walked row by row and read some rows at a time.
struct Walk<T> {
    rows: VecDeque<T>,
    /// The row that was stepped over last: the next ones stand behind it.
    last: Option<T>,
    ended: bool,
}

impl<T> Default for Walk<T> {
    fn default() -> Walk<T> {
        Walk { rows: VecDeque::new(), last: None, ended: false }
    }
}

impl<T> Walk<T> {
    /// The next row, which stays the next one until it is stepped over.
    async fn peek(
        &mut self,
        read_behind: impl AsyncFnOnce(Option<&T>) -> Result<Vec<T>>,
    ) -> Result<Option<&T>> {
        if self.rows.is_empty() && !self.ended {
            self.rows = read_behind(self.last.as_ref()).await?.into();
            self.ended = self.rows.is_empty();
        }
        Ok(self.rows.front())
    }

    fn step(&mut self) {
        if let Some(row) = self.rows.pop_front() {
            self.last = Some(row);
        }
    }
}
