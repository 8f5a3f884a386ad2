//! Is what was found what is true?

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result};
use domain::Completion;
use sandbox::{DualVendorTruth, Finding, TruthLine, World};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::round::{RoundFolder, for_each_completion};

/// How lines ended beside how they should have.
pub(super) struct Lines {
    /// By disposition and detail: lines that should end so, and lines that did.
    pub(super) counts: BTreeMap<(String, String), (u64, u64)>,
    /// Lines that ended otherwise than they should, in words.
    pub(super) wrong: Vec<String>,
}

/// Compares a finished round with the truth, line by line.
pub(super) fn compare_lines(world: &World, folder: &RoundFolder) -> Result<Lines> {
    let mut found: BTreeMap<u64, (String, String)> = BTreeMap::new();
    for_each_completion(folder, |completion: &Completion, _| {
        let names =
            (completion.disposition.name().to_owned(), completion.disposition.detail_name().to_owned());
        found.insert(completion.target.line, names);
    })?;
    for (file, name, column) in [("rejected.csv", "rejected", Some(3)), ("duplicates.csv", "duplicate", None)]
    {
        let mut rows = csv::Reader::from_path(folder.file(file))?;
        for row in rows.records() {
            let row = row?;
            let detail = column.map_or(name, |column: usize| &row[column]).to_owned();
            found.insert(row[0].parse()?, (name.to_owned(), detail));
        }
    }
    let mut lines = Lines { counts: BTreeMap::new(), wrong: Vec::new() };
    for TruthLine { line, url, disposition, detail, behaviour, .. } in world.truth_lines() {
        let expected = (disposition, detail);
        lines.counts.entry(expected.clone()).or_default().0 += 1;
        let actual = found.remove(&line).unwrap_or_else(|| ("missing".to_owned(), String::new()));
        lines.counts.entry(actual.clone()).or_default().1 += 1;
        if actual != expected {
            let kind = behaviour.map_or("", sandbox::Behaviour::name);
            let ((should, because), (is, why)) = (expected, actual);
            lines
                .wrong
                .push(format!("line {line} {url} ({kind}) should be {should}/{because} and is {is}/{why}"));
        }
    }
    for (line, (name, detail)) in found {
        lines.wrong.push(format!("line {line} is {name}/{detail}, but the list has no such line"));
    }
    Ok(lines)
}

/// Which products were found on sites, beside which are there.
pub(super) struct Products {
    pub(super) found: u64,
    pub(super) truth: u64,
    /// What is missing or should not be there, in words.
    pub(super) wrong: Vec<String>,
}

/// A row of the exported findings, as far as it matters here.
#[derive(Deserialize)]
struct FindingRow {
    site: String,
    signal: String,
    implied_by: Option<String>,
}

/// Compares the exported findings with what was planted.
pub(super) fn compare_products(world: &World, export: &Path, month: &str) -> Result<Products> {
    let mut implied: BTreeMap<(String, String), bool> = BTreeMap::new();
    for FindingRow { site, signal, implied_by } in read_table(export, "TechnicalFindings", month)? {
        *implied.entry((site, signal)).or_insert(true) &= implied_by.is_some();
    }
    let found: BTreeSet<Finding> =
        implied.into_iter().map(|((site, product), implied)| Finding { site, product, implied }).collect();
    let truth = world.findings();
    let how = |finding: &Finding| if finding.implied { "implied" } else { "shown" };
    let tell = |finding: &Finding, is: &str| {
        format!("{} ({}) {is} on site {}", finding.product, how(finding), finding.site)
    };
    let missing = truth.difference(&found).map(|finding| tell(finding, "was not found"));
    let extra = found.difference(&truth).map(|finding| tell(finding, "was found and is not"));
    let wrong = missing.chain(extra).collect();
    Ok(Products { found: found.len() as u64, truth: truth.len() as u64, wrong })
}

/// An account with a second vendor, as it was exported.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(super) struct DualVendor {
    pub(super) account_id: String,
    pub(super) account_name: String,
    pub(super) category: String,
    pub(super) category_title: String,
    pub(super) first_product: String,
    pub(super) second_product: String,
    pub(super) is_new: bool,
}

/// Compares the exported second vendors with those that are there; answers with them, and with what is wrong.
pub(super) fn compare_dual_vendors(
    world: &World,
    export: &Path,
    month: &str,
) -> Result<(Vec<DualVendor>, Vec<String>)> {
    let mut duals: Vec<DualVendor> = read_table(export, "DualVendor", month)?;
    let found: BTreeSet<DualVendorTruth> = duals
        .iter()
        .map(|dual| DualVendorTruth {
            account: dual.account_id.clone(),
            category: dual.category.clone(),
            first: dual.first_product.clone(),
            second: dual.second_product.clone(),
            is_new: dual.is_new,
        })
        .collect();
    let truth = world.dual_vendors();
    let missing = truth.difference(&found).map(|dual| format!("not found: {dual:?}"));
    let extra = found.difference(&truth).map(|dual| format!("found and not true: {dual:?}"));
    let wrong = missing.chain(extra).collect();
    duals.sort_by_key(|dual| !dual.is_new);
    Ok((duals, wrong))
}

fn read_table<T: DeserializeOwned>(export: &Path, table: &str, month: &str) -> Result<Vec<T>> {
    let path = export.join(format!("{table}_{month}.json"));
    let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&content).with_context(|| format!("{} is not as it should be", path.display()))
}
