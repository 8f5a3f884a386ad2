//! What does each account hold of the categories in which one vendor is the rule?
//!
//! The month's changes, seen from the accounts: those of the sites that belong to one, and those of the sites that belong
//! to none and so stand for themselves.

use domain::Moment;
use serde_json::Value as Json;

use crate::{
    Catalog, CatalogError, Row, Value,
    statements::{LIST_LINKED_HOLDINGS, LIST_UNLINKED_HOLDINGS},
};

/// What became of a product on a site of an account.
#[derive(Debug, Clone, PartialEq)]
pub struct HoldingRow {
    /// The account's id; `site:` and the site's key where the site belongs to none.
    pub account: String,
    /// The key of the site.
    pub site: String,
    /// The number of the signal.
    pub signal_id: i64,
    /// The product's name.
    pub signal: String,
    /// Who makes it.
    pub vendor: String,
    /// The line of products that it belongs to.
    pub family: String,
    /// The key of its category.
    pub category: String,
    /// `added`, `dropped`, `kept` or `unknown`.
    pub kind: String,
    /// `certain`, `likely` or `unknown`.
    pub certainty: String,
    /// When the site was first seen with it.
    pub since: Option<Moment>,
    /// What was seen where.
    pub evidence: Json,
}

impl HoldingRow {
    /// Its place in the order of the list: account, site and number of the signal.
    #[must_use]
    pub fn key(&self) -> (&str, &str, i64) {
        (&self.account, &self.site, self.signal_id)
    }
}

/// The holdings of sites that belong to an account, by account, site and signal number, behind those three, at most
/// `limit`. A site of several accounts is told with each.
pub async fn linked(
    catalog: &Catalog,
    month: &str,
    after: Option<(&str, &str, i64)>,
    limit: i64,
) -> Result<Vec<HoldingRow>, CatalogError> {
    let (account, site, signal) = after.unwrap_or(("", "", i64::MIN));
    let parameters: [Value; 5] = [month.into(), account.into(), site.into(), signal.into(), limit.into()];
    catalog.run(LIST_LINKED_HOLDINGS, parameters).await?.rows.iter().map(holding_of).collect()
}

/// The holdings of sites that belong to no account, by site and signal number, behind those two, at most `limit`.
pub async fn unlinked(
    catalog: &Catalog,
    month: &str,
    after: Option<(&str, i64)>,
    limit: i64,
) -> Result<Vec<HoldingRow>, CatalogError> {
    let (site, signal) = after.unwrap_or(("", i64::MIN));
    let parameters: [Value; 4] = [month.into(), site.into(), signal.into(), limit.into()];
    catalog.run(LIST_UNLINKED_HOLDINGS, parameters).await?.rows.iter().map(holding_of).collect()
}

fn holding_of(row: &Row) -> Result<HoldingRow, CatalogError> {
    Ok(HoldingRow {
        account: row.text("account")?,
        site: row.text("site")?,
        signal_id: row.int("signal_id")?,
        signal: row.text("signal")?,
        vendor: row.text("vendor")?,
        family: row.text("family")?,
        category: row.text("category")?,
        kind: row.text("kind")?,
        certainty: row.text("certainty")?,
        since: row.moment_opt("since")?,
        evidence: row.json("evidence")?,
    })
}
