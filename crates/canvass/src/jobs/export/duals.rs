//! DualVendor: who uses a second vendor where one is the rule?

use anyhow::Result;
use blobs::table::{Cell, Column, Kind};
use catalog::changes::{DualRow, ListedDual, list_dual_vendors};
use serde_json::Value as Json;

use super::sheet::Source;
use crate::{jobs::patience::Patience, month::Month};

const ROWS_AT_ONCE: i64 = 1_000;

/// The second vendors of a month in the order of account, category and second product.
pub struct DualVendors {
    month: Month,
    patience: Patience,
    last: Option<(String, String, String)>,
}

impl DualVendors {
    /// The second vendors of a month.
    #[must_use]
    pub fn new(patience: Patience, month: &Month) -> DualVendors {
        DualVendors { month: month.clone(), patience, last: None }
    }
}

impl Source for DualVendors {
    const COLUMNS: &'static [Column] = &[
        Column::new("month", Kind::Text),
        Column::new("account_id", Kind::Text),
        Column::new("account_name", Kind::Text),
        Column::new("category", Kind::Text),
        Column::new("category_title", Kind::Text),
        Column::new("first_vendor", Kind::Text),
        Column::new("first_product", Kind::Text),
        Column::new("first_since", Kind::Time),
        Column::nullable("first_url", Kind::Text),
        Column::nullable("first_fingerprint", Kind::Text),
        Column::nullable("first_snippet", Kind::Text),
        Column::new("second_vendor", Kind::Text),
        Column::new("second_product", Kind::Text),
        Column::new("second_since", Kind::Time),
        Column::nullable("second_url", Kind::Text),
        Column::nullable("second_fingerprint", Kind::Text),
        Column::nullable("second_snippet", Kind::Text),
        Column::new("is_new", Kind::Bool),
        Column::new("certainty", Kind::Text),
        Column::new("rule_set", Kind::Int),
    ];
    type Row = ListedDual;

    async fn next_rows(&mut self) -> Result<Vec<ListedDual>> {
        let (month, last) = (self.month.as_str(), &self.last);
        let ask = async |catalog: &_| {
            let after = last
                .as_ref()
                .map(|(account, category, second)| (account.as_str(), category.as_str(), second.as_str()));
            list_dual_vendors(catalog, month, after, ROWS_AT_ONCE).await
        };
        let rows = self.patience.ask(ask).await?;
        if let Some(last) = rows.last() {
            let ListedDual { dual, second, .. } = last;
            self.last = Some((dual.account.clone(), dual.category.clone(), second.clone()));
        }
        Ok(rows)
    }

    fn cells(row: &ListedDual) -> Vec<Cell<'_>> {
        let ListedDual { dual, account_name, category_title, first, first_vendor, second, second_vendor } =
            row;
        let DualRow {
            month,
            account,
            category,
            first_signal: _,
            second_signal: _,
            first_since,
            second_since,
            is_new,
            certainty,
            evidence,
            rule_set,
        } = dual;
        let of_first = |name: &str| told(evidence, "first", name);
        let of_second = |name: &str| told(evidence, "second", name);
        vec![
            month.into(),
            account.into(),
            account_name.into(),
            category.into(),
            category_title.into(),
            first_vendor.into(),
            first.into(),
            (*first_since).into(),
            of_first("url"),
            of_first("fingerprint"),
            of_first("snippet"),
            second_vendor.into(),
            second.into(),
            (*second_since).into(),
            of_second("url"),
            of_second("fingerprint"),
            of_second("snippet"),
            (*is_new).into(),
            certainty.into(),
            (*rule_set).into(),
        ]
    }
}

fn told<'a>(evidence: &'a Json, side: &str, name: &str) -> Cell<'a> {
    evidence.get(side).and_then(|sighting| sighting.get(name)).and_then(Json::as_str).into()
}
