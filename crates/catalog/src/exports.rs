//! What does each account run, all of its sites together?
//!
//! The answers are read for a stretch of accounts at a time, and have a row for each signal and not for each site: an
//! account may have any number of sites.

use domain::Moment;

use crate::{
    Catalog, CatalogError, Row, Value,
    paging::behind,
    statements::{COUNT_CHANGES_OF_ACCOUNTS, LIST_SIGNALS_OF_ACCOUNTS},
};

/// A signal that was seen on a site of an account, in a month or before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSignal {
    /// The account's id.
    pub account: String,
    /// The product's name.
    pub signal: String,
    /// Who makes it.
    pub vendor: String,
    /// The key of its category.
    pub category: String,
    /// The category's name for people.
    pub category_title: String,
    /// On how many of the account's sites it was seen in the month; none if only before.
    pub sites: i64,
    /// The first of those.
    pub site: Option<String>,
    /// How sure the best match of the month is, of a hundred.
    pub confidence: Option<i64>,
    /// Whether it was seen in the month only because something else implies it.
    pub implied: bool,
    /// When it was first seen on any of the sites.
    pub first_seen_at: Moment,
    /// When it was last seen on any of the sites, up to the end of the month.
    pub last_seen_at: Moment,
}

/// How many sites of an account have one change of one signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountChange {
    /// The account's id.
    pub account: String,
    /// The product's name.
    pub signal: String,
    /// `added`, `dropped`, `kept` or `unknown`.
    pub kind: String,
    /// `certain`, `likely` or `unknown`.
    pub certainty: String,
    /// The number of sites.
    pub sites: i64,
}

/// What was seen, in `month` or before it, on the sites of the accounts behind `after` up to `upto`; by account and
/// signal.
pub async fn account_signals(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    upto: &str,
) -> Result<Vec<AccountSignal>, CatalogError> {
    let parameters: [Value; 3] = [month.into(), behind(after), upto.into()];
    catalog.run(LIST_SIGNALS_OF_ACCOUNTS, parameters).await?.rows.iter().map(signal_of).collect()
}

/// What changed in `month` on the sites of the accounts behind `after` up to `upto`; by account, signal, kind and
/// certainty.
pub async fn account_changes(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    upto: &str,
) -> Result<Vec<AccountChange>, CatalogError> {
    let parameters: [Value; 3] = [month.into(), behind(after), upto.into()];
    catalog.run(COUNT_CHANGES_OF_ACCOUNTS, parameters).await?.rows.iter().map(change_of).collect()
}

fn signal_of(row: &Row) -> Result<AccountSignal, CatalogError> {
    Ok(AccountSignal {
        account: row.text("account")?,
        signal: row.text("signal")?,
        vendor: row.text("vendor")?,
        category: row.text("category")?,
        category_title: row.text("category_title")?,
        sites: row.int("sites")?,
        site: row.text_opt("site")?,
        confidence: row.int_opt("confidence")?,
        implied: row.int("sites")? > 0 && row.int("seen_itself")? == 0,
        first_seen_at: row.moment("first_seen_at")?,
        last_seen_at: row.moment("last_seen_at")?,
    })
}

fn change_of(row: &Row) -> Result<AccountChange, CatalogError> {
    Ok(AccountChange {
        account: row.text("account")?,
        signal: row.text("signal")?,
        kind: row.text("kind")?,
        certainty: row.text("certainty")?,
        sites: row.int("sites")?,
    })
}
