//! What do the findings come to? Sums for people; nothing here grows with the number of sites.

use domain::Moment;

use crate::{
    Catalog, CatalogError, Row,
    statements::{
        COUNT_ADOPTION, COUNT_CHANGES, COUNT_COVERAGE, COUNT_DUAL_VENDORS, COUNT_ENDINGS, COUNT_RULE_SETS,
    },
};

/// How much of the list was looked at in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// The month (`2026-11`).
    pub month: String,
    /// How many sites were visited.
    pub sites: u64,
    /// How many of them gave at least one page.
    pub covered: u64,
    /// How many pages were to be captured.
    pub targets: u64,
    /// How many were.
    pub captured: u64,
    /// How many failed.
    pub failed: u64,
    /// How many were ruled out.
    pub excluded: u64,
}

/// How many sites run a product in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adoption {
    /// The product.
    pub signal: String,
    /// Who makes it.
    pub vendor: String,
    /// The key of its category.
    pub category: String,
    /// The category's name for people.
    pub category_title: String,
    /// Whether an organisation has need of one product of it.
    pub exclusive: bool,
    /// On how many sites it was seen itself.
    pub shown: u64,
    /// The same, and on how many more it follows from something else.
    pub sites: u64,
}

/// On how many sites a product changed in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeCount {
    /// The product.
    pub signal: String,
    /// The key of its category.
    pub category: String,
    /// The category's name for people.
    pub category_title: String,
    /// `added`, `dropped`, `kept` or `unknown`.
    pub kind: String,
    /// `certain`, `likely` or `unknown`.
    pub certainty: String,
    /// On how many sites.
    pub sites: u64,
}

/// How many accounts have two vendors of one category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DualVendorCount {
    /// The key of the category.
    pub category: String,
    /// Its name for people.
    pub category_title: String,
    /// How many accounts.
    pub accounts: u64,
    /// How many of them since this month.
    pub new_accounts: u64,
}

/// How many pages ended in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndingCount {
    /// `captured`, `excluded` or `failed`.
    pub disposition: String,
    /// The finer name.
    pub detail: String,
    /// How many.
    pub pages: u64,
}

/// A rule set that findings of a month were made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSetUse {
    /// Its version.
    pub version: i64,
    /// How many findings it made that no later one replaced.
    pub findings: u64,
    /// When it was last put in force.
    pub activated_at: Moment,
    /// How many signals it looks for.
    pub signals: u64,
    /// How many fingerprints it has.
    pub fingerprints: u64,
}

/// How much was looked at in each month, oldest first.
pub async fn coverage(catalog: &Catalog) -> Result<Vec<Coverage>, CatalogError> {
    let done = catalog.run(COUNT_COVERAGE, []).await?;
    done.rows.iter().map(coverage_of).collect()
}

/// The products that sites ran in a month by one rule set, category by category, the most frequent first.
pub async fn adoption(catalog: &Catalog, month: &str, rule_set: i64) -> Result<Vec<Adoption>, CatalogError> {
    let done = catalog.run(COUNT_ADOPTION, [month.into(), rule_set.into()]).await?;
    done.rows.iter().map(adoption_of).collect()
}

/// How products changed in a month, by name, kind and certainty.
pub async fn changes(catalog: &Catalog, month: &str) -> Result<Vec<ChangeCount>, CatalogError> {
    let done = catalog.run(COUNT_CHANGES, [month.into()]).await?;
    done.rows.iter().map(change_of).collect()
}

/// The categories in which accounts have two vendors in a month, the most frequent first.
pub async fn dual_vendors(catalog: &Catalog, month: &str) -> Result<Vec<DualVendorCount>, CatalogError> {
    let done = catalog.run(COUNT_DUAL_VENDORS, [month.into()]).await?;
    done.rows.iter().map(dual_vendor_of).collect()
}

/// How the pages of a month ended, the most frequent way first; a page that was visited more than once counts by its best.
pub async fn endings(catalog: &Catalog, month: &str) -> Result<Vec<EndingCount>, CatalogError> {
    let done = catalog.run(COUNT_ENDINGS, [month.into()]).await?;
    done.rows.iter().map(ending_of).collect()
}

/// The rule sets behind the findings of a month, the one that was put in force last first.
pub async fn rule_sets(catalog: &Catalog, month: &str) -> Result<Vec<RuleSetUse>, CatalogError> {
    let done = catalog.run(COUNT_RULE_SETS, [month.into()]).await?;
    done.rows.iter().map(rule_set_of).collect()
}

fn coverage_of(row: &Row) -> Result<Coverage, CatalogError> {
    Ok(Coverage {
        month: row.text("month")?,
        sites: row.number("sites")?,
        covered: row.number("covered")?,
        targets: row.number("targets")?,
        captured: row.number("captured")?,
        failed: row.number("failed")?,
        excluded: row.number("excluded")?,
    })
}

fn adoption_of(row: &Row) -> Result<Adoption, CatalogError> {
    Ok(Adoption {
        signal: row.text("signal")?,
        vendor: row.text("vendor")?,
        category: row.text("category")?,
        category_title: row.text("category_title")?,
        exclusive: row.bool("exclusive")?,
        shown: row.number("shown")?,
        sites: row.number("sites")?,
    })
}

fn change_of(row: &Row) -> Result<ChangeCount, CatalogError> {
    Ok(ChangeCount {
        signal: row.text("signal")?,
        category: row.text("category")?,
        category_title: row.text("category_title")?,
        kind: row.text("kind")?,
        certainty: row.text("certainty")?,
        sites: row.number("sites")?,
    })
}

fn dual_vendor_of(row: &Row) -> Result<DualVendorCount, CatalogError> {
    Ok(DualVendorCount {
        category: row.text("category")?,
        category_title: row.text("category_title")?,
        accounts: row.number("accounts")?,
        new_accounts: row.number("new_accounts")?,
    })
}

fn ending_of(row: &Row) -> Result<EndingCount, CatalogError> {
    Ok(EndingCount {
        disposition: row.text("disposition")?,
        detail: row.text("detail")?,
        pages: row.number("pages")?,
    })
}

fn rule_set_of(row: &Row) -> Result<RuleSetUse, CatalogError> {
    Ok(RuleSetUse {
        version: row.int("version")?,
        findings: row.number("findings")?,
        activated_at: row.moment("activated_at")?,
        signals: row.number("signals")?,
        fingerprints: row.number("fingerprints")?,
    })
}
