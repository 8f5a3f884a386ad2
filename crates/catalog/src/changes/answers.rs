//! What did the comparison of two months say?

use domain::Moment;
use serde_json::Value as Json;

use crate::{
    Catalog, CatalogError, Kind, Row, Step, Value,
    paging::{behind, up_to},
    statements::{
        ADD_CHANGE, ADD_DUAL_VENDOR, FORGET_CHANGES, FORGET_DUAL_VENDORS, LIST_CHANGES, LIST_DUAL_VENDORS,
    },
};

/// What became of a signal on a site.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRow {
    /// The month (`2026-11`).
    pub month: String,
    /// The month that it was compared with.
    pub previous: Option<String>,
    /// The key of the site.
    pub site: String,
    /// The number of the signal.
    pub signal_id: i64,
    /// `added`, `dropped`, `kept` or `unknown`.
    pub kind: String,
    /// `certain`, `likely` or `unknown`.
    pub certainty: String,
    /// Why it is no surer than that, in words.
    pub reason: String,
    /// When the site was first seen with it.
    pub since: Option<Moment>,
    /// The version of the rules that both months were read with.
    pub rule_set: i64,
    /// What was seen where.
    pub evidence: Json,
}

/// A second vendor in a category where the account has one.
#[derive(Debug, Clone, PartialEq)]
pub struct DualRow {
    /// The month (`2026-11`).
    pub month: String,
    /// The account.
    pub account: String,
    /// The key of the category.
    pub category: String,
    /// The number of the signal that was there first.
    pub first_signal: i64,
    /// The number of the signal that came to it.
    pub second_signal: i64,
    /// Since when the first is there.
    pub first_since: Moment,
    /// Since when the second is there.
    pub second_since: Moment,
    /// Whether the second came this month.
    pub is_new: bool,
    /// `certain`, `likely` or `unknown`.
    pub certainty: String,
    /// What was seen of both.
    pub evidence: Json,
    /// The version of the rules.
    pub rule_set: i64,
}

/// A change with the names of what changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedChange {
    /// The change.
    pub change: ChangeRow,
    /// The product's name.
    pub signal: String,
    /// Who makes it.
    pub vendor: String,
    /// The line of products that it belongs to.
    pub family: String,
    /// The key of its category.
    pub category: String,
    /// The category's name for people.
    pub category_title: String,
}

/// A dual vendor with the names of both.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedDual {
    /// The dual vendor.
    pub dual: DualRow,
    /// The account's name; empty where the account is not in the master table.
    pub account_name: String,
    /// The category's name for people.
    pub category_title: String,
    /// The name of the product that was there first.
    pub first: String,
    /// Who makes it.
    pub first_vendor: String,
    /// The name of the product that came to it.
    pub second: String,
    /// Who makes it.
    pub second_vendor: String,
}

/// Puts these rows in the place of everything that is known of the month's sites after `after` up to `upto` (to the last
/// where there is no `upto`), in one transaction. The rows must be of these sites.
pub async fn replace(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    upto: Option<&str>,
    rows: &[ChangeRow],
) -> Result<(), CatalogError> {
    let steps = vec![
        Step::once(FORGET_CHANGES, [month.into(), behind(after), up_to(upto)]),
        Step::each(ADD_CHANGE, rows.iter().map(change_values).collect()),
    ];
    catalog.transaction(steps).await.map(drop)
}

/// Puts these rows in the place of everything that is known of the month's accounts after `after` up to `upto` (to the
/// last where there is no `upto`), in one transaction. The rows must be of these accounts.
pub async fn replace_dual_vendors(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    upto: Option<&str>,
    rows: &[DualRow],
) -> Result<(), CatalogError> {
    let steps = vec![
        Step::once(FORGET_DUAL_VENDORS, [month.into(), behind(after), up_to(upto)]),
        Step::each(ADD_DUAL_VENDOR, rows.iter().map(dual_values).collect()),
    ];
    catalog.transaction(steps).await.map(drop)
}

/// The changes of a month in the order of site and signal name, behind those two, at most `limit`.
pub async fn list_changes(
    catalog: &Catalog,
    month: &str,
    after: Option<(&str, &str)>,
    limit: i64,
) -> Result<Vec<ListedChange>, CatalogError> {
    let (site, signal) = after.unwrap_or_default();
    let parameters: [Value; 4] = [month.into(), site.into(), signal.into(), limit.into()];
    catalog.run(LIST_CHANGES, parameters).await?.rows.iter().map(listed_change_of).collect()
}

/// The dual vendors of a month in the order of account, category key and name of the second product, behind those three,
/// at most `limit`.
pub async fn list_dual_vendors(
    catalog: &Catalog,
    month: &str,
    after: Option<(&str, &str, &str)>,
    limit: i64,
) -> Result<Vec<ListedDual>, CatalogError> {
    let (account, category, second) = after.unwrap_or_default();
    let parameters: [Value; 5] = [month.into(), account.into(), category.into(), second.into(), limit.into()];
    catalog.run(LIST_DUAL_VENDORS, parameters).await?.rows.iter().map(listed_dual_of).collect()
}

fn change_values(row: &ChangeRow) -> Vec<Value> {
    let ChangeRow { month, previous, site, signal_id, kind, certainty, reason, since, rule_set, evidence } =
        row;
    vec![
        month.as_str().into(),
        site.as_str().into(),
        (*signal_id).into(),
        Value::optional(previous.as_deref(), Kind::Text),
        kind.as_str().into(),
        certainty.as_str().into(),
        reason.as_str().into(),
        Value::optional(*since, Kind::Time),
        (*rule_set).into(),
        evidence.clone().into(),
    ]
}

fn dual_values(row: &DualRow) -> Vec<Value> {
    let DualRow {
        month,
        account,
        category,
        first_signal,
        second_signal,
        first_since,
        second_since,
        is_new,
        certainty,
        evidence,
        rule_set,
    } = row;
    vec![
        month.as_str().into(),
        account.as_str().into(),
        category.as_str().into(),
        (*second_signal).into(),
        (*first_signal).into(),
        (*first_since).into(),
        (*second_since).into(),
        (*is_new).into(),
        certainty.as_str().into(),
        (*rule_set).into(),
        evidence.clone().into(),
    ]
}

fn listed_change_of(row: &Row) -> Result<ListedChange, CatalogError> {
    Ok(ListedChange {
        change: ChangeRow {
            month: row.text("month")?,
            previous: row.text_opt("previous")?,
            site: row.text("site")?,
            signal_id: row.int("signal_id")?,
            kind: row.text("kind")?,
            certainty: row.text("certainty")?,
            reason: row.text("reason")?,
            since: row.moment_opt("since")?,
            rule_set: row.int("rule_set")?,
            evidence: row.json("evidence")?,
        },
        signal: row.text("signal")?,
        vendor: row.text("vendor")?,
        family: row.text("family")?,
        category: row.text("category")?,
        category_title: row.text("category_title")?,
    })
}

fn listed_dual_of(row: &Row) -> Result<ListedDual, CatalogError> {
    Ok(ListedDual {
        dual: DualRow {
            month: row.text("month")?,
            account: row.text("account")?,
            category: row.text("category")?,
            first_signal: row.int("first_signal")?,
            second_signal: row.int("second_signal")?,
            first_since: row.moment("first_since")?,
            second_since: row.moment("second_since")?,
            is_new: row.bool("is_new")?,
            certainty: row.text("certainty")?,
            evidence: row.json("evidence")?,
            rule_set: row.int("rule_set")?,
        },
        account_name: row.text("account_name")?,
        category_title: row.text("category_title")?,
        first: row.text("first")?,
        first_vendor: row.text("first_vendor")?,
        second: row.text("second")?,
        second_vendor: row.text("second_vendor")?,
    })
}
