//! Which accounts have a second vendor, over all their sites?

use std::collections::VecDeque;

use anyhow::{Context, Result};
use catalog::{
    changes::{DualRow, replace_dual_vendors},
    holdings::{self, HoldingRow},
};
use serde_json::json;

use super::{
    Counts,
    answer::{Certainty, Kind},
    dual::{Account, DualVendor, Holding, Product},
    evidence::Evidence,
};
use crate::jobs::patience::Patience;

const HOLDINGS_AT_ONCE: i64 = 2_000;
const ROWS_AT_ONCE: usize = 500;

/// Finds the accounts of a month with a second vendor and writes them down in the place of what was known before; what
/// was found is counted. Stops between accounts if the job is to stop.
pub async fn find_dual_vendors(
    patience: &Patience,
    month: &str,
    rule_set: i64,
    counts: &mut Counts,
) -> Result<()> {
    let mut holdings = Holdings::new(patience, month);
    let mut next = holdings.next().await?;
    let (mut rows, mut written_upto) = (Vec::new(), None::<String>);
    while let Some(first) = next {
        if patience.is_stopped() {
            return Ok(());
        }
        let (name, mut account) = (first.account.clone(), Account::default());
        next = Some(first);
        while let Some(row) = next.take_if(|row| row.account == name) {
            account.add(holding_of(row)?);
            next = holdings.next().await?;
        }
        for dual in account.dual_vendors() {
            counts.dual_vendors += 1;
            counts.new_dual_vendors += u64::from(dual.is_new);
            rows.push(row_of(month, &name, rule_set, dual));
        }
        if rows.len() >= ROWS_AT_ONCE {
            let after = written_upto.as_deref();
            patience
                .ask(async |catalog| replace_dual_vendors(catalog, month, after, Some(&name), &rows).await)
                .await?;
            rows.clear();
            written_upto = Some(name);
        }
    }
    let after = written_upto.as_deref();
    patience.ask(async |catalog| replace_dual_vendors(catalog, month, after, None, &rows).await).await
}

fn holding_of(row: HoldingRow) -> Result<Holding> {
    let HoldingRow {
        account: _,
        site,
        signal_id,
        signal,
        vendor,
        family,
        category,
        kind,
        certainty,
        since,
        evidence,
    } = row;
    let wrong =
        || format!("the change of {signal} on site {site} cannot be read; run `canvass changes` again");
    let kind = Kind::by_name(&kind).with_context(wrong)?;
    let certainty = Certainty::by_name(&certainty).with_context(wrong)?;
    let since = since.with_context(wrong)?;
    let evidence: Evidence = serde_json::from_value(evidence).with_context(wrong)?;
    let product = Product { signal: signal_id, name: signal, vendor, family, category };
    Ok(Holding { product, kind, certainty, since, evidence })
}

fn row_of(month: &str, account: &str, rule_set: i64, dual: DualVendor) -> DualRow {
    let DualVendor { first, second, is_new, certainty } = dual;
    DualRow {
        month: month.to_owned(),
        account: account.to_owned(),
        category: second.product.category,
        first_signal: first.product.signal,
        second_signal: second.product.signal,
        first_since: first.since,
        second_since: second.since,
        is_new,
        certainty: certainty.name().to_owned(),
        evidence: json!({ "first": first.sighting, "second": second.sighting }),
        rule_set,
    }
}

/// All holdings of a month by account: those of accounts and those of sites that stand for themselves, in one order.
struct Holdings<'a> {
    patience: &'a Patience,
    month: &'a str,
    linked: Page,
    unlinked: Page,
}

/// What was read ahead of one of the two.
#[derive(Default)]
struct Page {
    rows: VecDeque<HoldingRow>,
    /// The site and signal behind which the next page begins, with the account.
    last: Option<(String, String, i64)>,
    ended: bool,
}

impl Page {
    fn needs_more(&self) -> bool {
        self.rows.is_empty() && !self.ended
    }

    fn fill(&mut self, rows: Vec<HoldingRow>) {
        self.ended = (rows.len() as i64) < HOLDINGS_AT_ONCE;
        self.last = rows.last().map(|row| (row.account.clone(), row.site.clone(), row.signal_id));
        self.rows = rows.into();
    }
}

impl<'a> Holdings<'a> {
    fn new(patience: &'a Patience, month: &'a str) -> Holdings<'a> {
        Holdings { patience, month, linked: Page::default(), unlinked: Page::default() }
    }

    async fn next(&mut self) -> Result<Option<HoldingRow>> {
        let Holdings { patience, month, linked, unlinked } = self;
        if linked.needs_more() {
            let after = linked.last.as_ref().map(|(account, site, signal)| (&**account, &**site, *signal));
            let page =
                patience.ask(async |catalog| holdings::linked(catalog, month, after, HOLDINGS_AT_ONCE).await);
            let page = page.await?;
            linked.fill(page);
        }
        if unlinked.needs_more() {
            let after = unlinked.last.as_ref().map(|(_, site, signal)| (&**site, *signal));
            let page = patience
                .ask(async |catalog| holdings::unlinked(catalog, month, after, HOLDINGS_AT_ONCE).await);
            let page = page.await?;
            unlinked.fill(page);
        }
        let from_linked = match (linked.rows.front(), unlinked.rows.front()) {
            (Some(one), Some(other)) => one.account <= other.account,
            (one, _) => one.is_some(),
        };
        Ok(if from_linked { linked.rows.pop_front() } else { unlinked.rows.pop_front() })
    }
}
