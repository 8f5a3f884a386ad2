//! What did each page of a site show in a month, and could it be seen at all?

use domain::Moment;

use crate::{
    Catalog, CatalogError, Row, Value,
    paging::behind,
    statements::{NTH_SITE, PAGE_OUTCOMES, SEEN_ON_PAGES},
};

/// A signal seen on a page in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenRow {
    /// The key of the site.
    pub site: String,
    /// The page.
    pub url: String,
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
    /// Whether an organisation has need of one product of the category.
    pub exclusive: bool,
    /// Whether it only follows from another signal on this page.
    pub implied: bool,
    /// How sure the best match is, of a hundred.
    pub confidence: i64,
    /// When the page was fetched.
    pub found_at: Moment,
    /// What stood there.
    pub snippet: String,
    /// The name of the fingerprint that saw it best.
    pub fingerprint_key: String,
}

/// How a page ended in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOutcome {
    /// The key of the site.
    pub site: String,
    /// The page.
    pub url: String,
    /// `captured` if any round of the month captured it, otherwise how the last one ended.
    pub disposition: String,
    /// The finer name of that.
    pub detail: String,
}

/// What the next `sites` sites after `after` that were visited in the month showed, read with one rule set: whole sites,
/// by site, page and signal.
pub async fn seen(
    catalog: &Catalog,
    month: &str,
    rule_set: i64,
    after: Option<&str>,
    sites: i64,
) -> Result<Vec<SeenRow>, CatalogError> {
    match last_of_next_sites(catalog, month, after, sites).await? {
        Some(upto) => seen_between(catalog, month, rule_set, after, &upto).await,
        None => Ok(Vec::new()),
    }
}

/// What every site after `after` up to `upto` showed in the month, read with one rule set; by site, page and signal.
pub async fn seen_between(
    catalog: &Catalog,
    month: &str,
    rule_set: i64,
    after: Option<&str>,
    upto: &str,
) -> Result<Vec<SeenRow>, CatalogError> {
    let parameters: [Value; 4] = [month.into(), behind(after), upto.into(), rule_set.into()];
    catalog.run(SEEN_ON_PAGES, parameters).await?.rows.iter().map(seen_of).collect()
}

/// How the pages of the next `sites` sites after `after` that were visited in the month ended: whole sites, by site and
/// page.
pub async fn page_outcomes(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    sites: i64,
) -> Result<Vec<PageOutcome>, CatalogError> {
    match last_of_next_sites(catalog, month, after, sites).await? {
        Some(upto) => page_outcomes_between(catalog, month, after, &upto).await,
        None => Ok(Vec::new()),
    }
}

/// How the pages of every site after `after` up to `upto` ended in the month; by site and page.
pub async fn page_outcomes_between(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    upto: &str,
) -> Result<Vec<PageOutcome>, CatalogError> {
    let done = catalog.run(PAGE_OUTCOMES, [month.into(), behind(after), upto.into()]).await?;
    done.rows.iter().map(outcome_of).collect()
}

/// The last of the next `sites` sites after `after` that were visited in the month.
pub(crate) async fn last_of_next_sites(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    sites: i64,
) -> Result<Option<String>, CatalogError> {
    let done = catalog.run(NTH_SITE, [month.into(), behind(after), sites.into()]).await?;
    Ok(done.rows.first().map(|row| row.text_opt("site")).transpose()?.flatten())
}

fn seen_of(row: &Row) -> Result<SeenRow, CatalogError> {
    Ok(SeenRow {
        site: row.text("site")?,
        url: row.text("url")?,
        signal_id: row.int("signal_id")?,
        signal: row.text("signal")?,
        vendor: row.text("vendor")?,
        family: row.text("family")?,
        category: row.text("category")?,
        exclusive: row.bool("exclusive")?,
        implied: row.bool("implied")?,
        confidence: row.int("confidence")?,
        found_at: row.moment("found_at")?,
        snippet: row.text("snippet")?,
        fingerprint_key: row.text("fingerprint_key")?,
    })
}

fn outcome_of(row: &Row) -> Result<PageOutcome, CatalogError> {
    Ok(PageOutcome {
        site: row.text("site")?,
        url: row.text("url")?,
        disposition: row.text("disposition")?,
        detail: row.text("detail")?,
    })
}
