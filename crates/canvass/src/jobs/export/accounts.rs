//! AccountDelivery: what does each account run, and what is new about it?

use std::collections::HashMap;

use ::accounts::address::Address;
use anyhow::Result;
use blobs::table::{Cell, Column, Kind};
use catalog::{
    accounts::{self, AccountRow},
    exports::{self, AccountChange, AccountSignal},
};

use super::sheet::Source;
use crate::{jobs::patience::Patience, month::Month};

const ACCOUNTS_AT_ONCE: i64 = 500;

/// What the accounts run in a month, and what they dropped in it, in the order of account and signal.
pub struct AccountDelivery {
    month: Month,
    patience: Patience,
    last: Option<String>,
}

/// A signal of an account.
pub struct Row {
    month: String,
    id: String,
    name: String,
    website: String,
    address: Address,
    signal: AccountSignal,
    change: Option<Change>,
}

/// What became of a signal on all sites of an account together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    kind: &'static str,
    certainty: &'static str,
}

impl AccountDelivery {
    /// The accounts in a month.
    #[must_use]
    pub fn new(patience: Patience, month: &Month) -> AccountDelivery {
        AccountDelivery { month: month.clone(), patience, last: None }
    }

    /// The rows of the accounts behind the last up to `upto`.
    async fn rows_of(&self, accounts: Vec<AccountRow>, upto: &str) -> Result<Vec<Row>> {
        let (month, last) = (self.month.as_str(), self.last.as_deref());
        let ask = async |catalog: &_| exports::account_signals(catalog, month, last, upto).await;
        let signals = self.patience.ask(ask).await?;
        let ask = async |catalog: &_| exports::account_changes(catalog, month, last, upto).await;
        let changes = merged(&self.patience.ask(ask).await?);
        let owners: HashMap<&str, (&AccountRow, Address)> =
            accounts.iter().map(|account| (account.id.as_str(), (account, address_of(account)))).collect();
        let row_of = |signal: AccountSignal| {
            let (account, address) = owners.get(signal.account.as_str())?;
            let change = changes.get(&(signal.account.clone(), signal.signal.clone())).copied();
            // what was seen long ago and not since is no news
            let gone_this_month = change.is_some_and(|change| change.kind != "kept");
            (signal.sites > 0 || gone_this_month).then(|| Row {
                month: month.to_owned(),
                id: account.id.clone(),
                name: account.name.clone(),
                website: account.website.clone(),
                address: address.clone(),
                signal,
                change,
            })
        };
        Ok(signals.into_iter().filter_map(row_of).collect())
    }
}

impl Source for AccountDelivery {
    const COLUMNS: &'static [Column] = &[
        Column::new("month", Kind::Text),
        Column::new("account_id", Kind::Text),
        Column::new("account_name", Kind::Text),
        Column::new("website", Kind::Text),
        Column::new("street", Kind::Text),
        Column::new("city", Kind::Text),
        Column::new("region", Kind::Text),
        Column::new("postcode", Kind::Text),
        Column::new("country", Kind::Text),
        Column::new("signal", Kind::Text),
        Column::new("vendor", Kind::Text),
        Column::new("category", Kind::Text),
        Column::new("category_title", Kind::Text),
        Column::new("sites", Kind::Int),
        Column::nullable("site", Kind::Text),
        Column::nullable("confidence", Kind::Int),
        Column::new("implied", Kind::Bool),
        Column::new("first_seen", Kind::Date),
        Column::new("last_seen", Kind::Date),
        Column::nullable("change", Kind::Text),
        Column::nullable("certainty", Kind::Text),
    ];
    type Row = Row;

    async fn next_rows(&mut self) -> Result<Vec<Row>> {
        loop {
            let last = self.last.as_deref();
            let ask = async |catalog: &_| accounts::list(catalog, last, ACCOUNTS_AT_ONCE).await;
            let accounts = self.patience.ask(ask).await?;
            let Some(upto) = accounts.last().map(|account| account.id.clone()) else { return Ok(Vec::new()) };
            let rows = self.rows_of(accounts, &upto).await?;
            self.last = Some(upto);
            // accounts of which nothing was seen have no row, and others may come behind them
            if !rows.is_empty() {
                return Ok(rows);
            }
        }
    }

    fn cells(row: &Row) -> Vec<Cell<'_>> {
        let Row { month, id, name, website, address, signal, change } = row;
        let Address { street, city, region, postcode, country } = address;
        let AccountSignal {
            account: _,
            signal,
            vendor,
            category,
            category_title,
            sites,
            site,
            confidence,
            implied,
            first_seen_at,
            last_seen_at,
        } = signal;
        vec![
            month.into(),
            id.into(),
            name.into(),
            website.into(),
            street.into(),
            city.into(),
            region.into(),
            postcode.into(),
            country.into(),
            signal.into(),
            vendor.into(),
            category.into(),
            category_title.into(),
            (*sites).into(),
            site.as_ref().into(),
            (*confidence).into(),
            (*implied).into(),
            Cell::date_of(*first_seen_at),
            Cell::date_of(*last_seen_at),
            change.map(|change| change.kind).into(),
            change.map(|change| change.certainty).into(),
        ]
    }
}

fn address_of(account: &AccountRow) -> Address {
    let AccountRow { id: _, name: _, website: _, street, city, region, postcode, country } = account;
    let [street, city, region, postcode, country] =
        [street, city, region, postcode, country].map(Clone::clone);
    Address { street, city, region, postcode, country }.normalised()
}

/// The changes of each account and signal as one.
fn merged(changes: &[AccountChange]) -> HashMap<(String, String), Change> {
    changes
        .chunk_by(|a, b| (&a.account, &a.signal) == (&b.account, &b.signal))
        .map(|sites| ((sites[0].account.clone(), sites[0].signal.clone()), together(sites)))
        .collect()
}

/// What became of a signal on several sites together.
///
/// An account keeps what one of its sites keeps, and what one site drops while another adds it. Otherwise a site of which
/// nothing is known leaves it open, and the answer is no surer than that of the site that is known least.
fn together(sites: &[AccountChange]) -> Change {
    let sure = |kind: &str| -> Vec<usize> {
        let of_kind = sites.iter().filter(|site| site.kind == kind);
        of_kind.map(|site| SURENESS.iter().position(|word| *word == site.certainty).unwrap_or(0)).collect()
    };
    let most = |kind| sure(kind).into_iter().max();
    let least = |kind| sure(kind).into_iter().min();
    let change = |kind, certainty: usize| Change { kind, certainty: SURENESS[certainty] };
    match (most("kept"), least("added"), least("dropped"), least("unknown")) {
        (Some(kept), ..) => change("kept", kept),
        (None, Some(added), Some(dropped), _) => change("kept", added.min(dropped)),
        (None, _, _, Some(_)) | (None, None, None, None) => change("unknown", 0),
        (None, Some(added), None, None) => change("added", added),
        (None, None, Some(dropped), None) => change("dropped", dropped),
    }
}

/// From the least sure to the surest.
const SURENESS: [&str; 3] = ["unknown", "likely", "certain"];

#[cfg(test)]
mod tests {
    use super::*;

    fn change(kind: &str, certainty: &str) -> AccountChange {
        AccountChange {
            account: "A".into(),
            signal: "S".into(),
            kind: kind.into(),
            certainty: certainty.into(),
            sites: 1,
        }
    }

    #[test]
    fn an_account_is_as_sure_of_a_change_as_its_least_known_site() {
        let (certain, likely) = ("certain", "likely");
        for (sites, kind, certainty) in [
            (vec![("added", certain)], "added", certain),
            (vec![("added", certain), ("added", likely)], "added", likely),
            (vec![("dropped", certain), ("dropped", likely)], "dropped", likely),
            (vec![("kept", likely), ("kept", certain)], "kept", certain),
            (vec![("kept", certain), ("added", likely), ("unknown", "unknown")], "kept", certain),
            (vec![("added", certain), ("dropped", likely)], "kept", likely),
            (vec![("added", certain), ("unknown", "unknown")], "unknown", "unknown"),
            (vec![("dropped", certain), ("unknown", "unknown")], "unknown", "unknown"),
            (vec![("unknown", "unknown")], "unknown", "unknown"),
        ] {
            let changes: Vec<_> = sites.iter().map(|(kind, certainty)| change(kind, certainty)).collect();
            assert_eq!(together(&changes), Change { kind, certainty }, "{sites:?}");
        }
    }
}
