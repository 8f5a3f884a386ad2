//! Which organisations are there, and which sites are theirs?

use std::collections::BTreeMap;

use domain::Moment;

use crate::{
    Catalog, CatalogError, Row, Step, Value,
    paging::behind,
    statements::{
        LINK_ACCOUNT_SITE, LIST_ACCOUNTS, LIST_LINKS_BY_ACCOUNT, LIST_LINKS_BY_SITE, LIST_SITES_OF_ACCOUNT,
        REMEMBER_ACCOUNT,
    },
};

/// An organisation, as whoever sent it wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountRow {
    /// The id that its owner gave it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its address on the web.
    pub website: String,
    /// Street and number.
    pub street: String,
    /// City.
    pub city: String,
    /// State, province or the like.
    pub region: String,
    /// Postcode.
    pub postcode: String,
    /// Country.
    pub country: String,
}

/// A site that belongs to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSite {
    /// The account's id.
    pub account: String,
    /// The key of the site.
    pub site: String,
    /// How that is known.
    pub source: String,
    /// How sure it is, of a hundred.
    pub confidence: i64,
}

/// Writes the accounts, all or nothing, and says how many are new or another than they were. Of several rows with one id
/// the last counts.
pub async fn load(catalog: &Catalog, accounts: &[AccountRow], now: Moment) -> Result<u64, CatalogError> {
    // in the order of the key, or two writers that lock rows in different orders would deadlock
    let last_of_each: BTreeMap<&str, &AccountRow> =
        accounts.iter().map(|account| (account.id.as_str(), account)).collect();
    let sets = last_of_each.into_values().map(|account| {
        let AccountRow { id, name, website, street, city, region, postcode, country } = account;
        let texts = [id, name, website, street, city, region, postcode, country];
        texts.into_iter().map(|text| text.as_str().into()).chain([Value::from(now)]).collect()
    });
    let done = catalog.transaction(vec![Step::each(REMEMBER_ACCOUNT, sets.collect())]).await?;
    Ok(done.iter().map(|step| step.changed).sum())
}

/// Writes which sites belong to which account, all or nothing, and says how many of these are new or another than they
/// were. Of several with one account and site the last counts.
pub async fn link(catalog: &Catalog, links: &[AccountSite], now: Moment) -> Result<u64, CatalogError> {
    let last_of_each: BTreeMap<(&str, &str), &AccountSite> =
        links.iter().map(|link| ((link.account.as_str(), link.site.as_str()), link)).collect();
    let sets = last_of_each.into_values().map(|link| {
        let AccountSite { account, site, source, confidence } = link;
        vec![
            account.as_str().into(),
            site.as_str().into(),
            source.as_str().into(),
            (*confidence).into(),
            now.into(),
        ]
    });
    let done = catalog.transaction(vec![Step::each(LINK_ACCOUNT_SITE, sets.collect())]).await?;
    Ok(done.iter().map(|step| step.changed).sum())
}

/// The accounts by id, behind `after`, at most `limit`.
pub async fn list(
    catalog: &Catalog,
    after: Option<&str>,
    limit: i64,
) -> Result<Vec<AccountRow>, CatalogError> {
    let done = catalog.run(LIST_ACCOUNTS, [behind(after), limit.into()]).await?;
    done.rows.iter().map(account_of).collect()
}

/// The sites of one account, by key.
pub async fn sites_of(catalog: &Catalog, account: &str) -> Result<Vec<AccountSite>, CatalogError> {
    catalog.run(LIST_SITES_OF_ACCOUNT, [account.into()]).await?.rows.iter().map(link_of).collect()
}

/// Which sites belong to which account, by account and site, behind those two, at most `limit`.
pub async fn links_by_account(
    catalog: &Catalog,
    after: Option<(&str, &str)>,
    limit: i64,
) -> Result<Vec<AccountSite>, CatalogError> {
    let parameters = [after.map_or("", |(account, _)| account).into(), behind_second(after), limit.into()];
    catalog.run(LIST_LINKS_BY_ACCOUNT, parameters).await?.rows.iter().map(link_of).collect()
}

/// The same by site and account, behind those two, at most `limit`.
pub async fn links_by_site(
    catalog: &Catalog,
    after: Option<(&str, &str)>,
    limit: i64,
) -> Result<Vec<AccountSite>, CatalogError> {
    let parameters = [after.map_or("", |(site, _)| site).into(), behind_second(after), limit.into()];
    catalog.run(LIST_LINKS_BY_SITE, parameters).await?.rows.iter().map(link_of).collect()
}

fn behind_second(after: Option<(&str, &str)>) -> Value {
    behind(after.map(|(_, second)| second))
}

fn account_of(row: &Row) -> Result<AccountRow, CatalogError> {
    Ok(AccountRow {
        id: row.text("id")?,
        name: row.text("name")?,
        website: row.text("website")?,
        street: row.text("street")?,
        city: row.text("city")?,
        region: row.text("region")?,
        postcode: row.text("postcode")?,
        country: row.text("country")?,
    })
}

fn link_of(row: &Row) -> Result<AccountSite, CatalogError> {
    Ok(AccountSite {
        account: row.text("account")?,
        site: row.text("site")?,
        source: row.text("source")?,
        confidence: row.int("confidence")?,
    })
}
