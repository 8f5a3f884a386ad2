//! What changed from one month to the next, and who has two vendors now?
//!
//! All of it follows from the plan: which pages are captured in a month, and which products each of them shows. What nobody
//! could have seen, because the page that shows it failed, is not held against anybody.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

use domain::Disposition;
use serde::{Deserialize, Serialize};

use crate::{
    Plan, ProductTruth, Site, World,
    content::{EXCLUSIVE, Product},
    site::TargetPlan,
};

/// A product on a site in the world's month.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// The site's key in the list.
    pub site: String,
    /// The product.
    pub product: String,
    /// Whether no page shows it itself: it follows from another.
    pub implied: bool,
}

/// What a product did on a site between its last covered month and the world's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChangeTruth {
    /// The site's key in the list.
    pub site: String,
    /// The product.
    pub product: String,
    /// `added`, `dropped`, `kept`, or `unknown` where a failed page is in the way.
    pub kind: String,
}

/// Two vendors in a category in which one is the rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DualVendorTruth {
    /// The account, or `site:` and the site's key where the partner knows none.
    pub account: String,
    /// The category, by its key.
    pub category: String,
    /// The product that was seen first; of two that were seen together, the first by name.
    pub first: String,
    /// The one that came later.
    pub second: String,
    /// Whether the second came in the world's month, beyond doubt.
    pub is_new: bool,
}

/// What is captured of a site in one month: by the address of the page, what it shows.
type Captured = BTreeMap<String, Vec<&'static Product>>;

impl World {
    /// The products on every site, each once.
    #[must_use]
    pub fn findings(&self) -> BTreeSet<Finding> {
        let mut findings = BTreeSet::new();
        for site in self.sites() {
            for target in &site.promises.targets {
                let Some(ProductTruth { shown, implied }) = products_of(site, target) else { continue };
                let found = |product, implied| Finding { site: site.key(), product, implied };
                findings.extend(shown.into_iter().map(|product| found(product, false)));
                findings.extend(implied.into_iter().map(|product| found(product, true)));
            }
        }
        // what one page shows and another only implies is shown
        let shown: Vec<Finding> = findings.iter().filter(|finding| !finding.implied).cloned().collect();
        for finding in shown {
            findings.remove(&Finding { implied: true, ..finding });
        }
        findings
    }

    /// What every product did on every site since the last month in which the site was covered.
    #[must_use]
    pub fn changes(&self) -> BTreeSet<ChangeTruth> {
        let history = self.history();
        let now = captured(self);
        let mut changes = BTreeSet::new();
        for (site, pages) in &now {
            let before =
                history.iter().rev().filter_map(|month| month.get(site)).find(|pages| !pages.is_empty());
            for product in names(pages).into_iter().chain(before.map(names).unwrap_or_default()) {
                let kind = kind_of_change(product, pages, before);
                changes.insert(ChangeTruth {
                    site: site.clone(),
                    product: product.to_owned(),
                    kind: kind.to_owned(),
                });
            }
        }
        changes
    }

    /// The accounts that show two vendors of one category in the world's month.
    #[must_use]
    pub fn dual_vendors(&self) -> BTreeSet<DualVendorTruth> {
        let history = self.history();
        let now = captured(self);
        let changes = self.changes();
        let mut accounts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for site in self.sites() {
            let account = self.account_id_of(site).unwrap_or_else(|| format!("site:{}", site.key()));
            accounts.entry(account).or_default().push(site.key());
        }
        let mut duals = BTreeSet::new();
        for (account, sites) in &accounts {
            let shown_in = |month: &BTreeMap<String, Captured>, name: &str| {
                sites.iter().filter_map(|site| month.get(site)).any(|pages| names(pages).contains(name))
            };
            let since =
                |name: &str| history.iter().position(|month| shown_in(month, name)).unwrap_or(history.len());
            for category in EXCLUSIVE {
                let mut rivals: Vec<&'static Product> = Vec::new();
                for product in
                    sites.iter().filter_map(|site| now.get(site)).flat_map(Captured::values).flatten()
                {
                    let known = rivals.iter().any(|rival| rival.name == product.name);
                    if product.category == *category && !known {
                        rivals.push(product);
                    }
                }
                rivals.sort_by_key(|product| (since(product.name), product.name));
                let Some((first, later)) = rivals.split_first() else { continue };
                for second in later {
                    if first.family == second.family || first.vendor == second.vendor {
                        continue;
                    }
                    let came = |site: &String| {
                        let (site, product) = (site.clone(), second.name.to_owned());
                        changes.contains(&ChangeTruth { site, product, kind: "added".to_owned() })
                    };
                    duals.insert(DualVendorTruth {
                        account: account.clone(),
                        category: (*category).to_owned(),
                        first: first.name.to_owned(),
                        second: second.name.to_owned(),
                        is_new: since(second.name) == history.len() && sites.iter().any(came),
                    });
                }
            }
        }
        duals
    }

    /// Writes the accounts with two vendors as one JSON array.
    ///
    /// # Errors
    /// Whatever `to` says.
    pub fn write_dual_vendors(&self, to: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *to, &self.dual_vendors())?;
        to.write_all(b"\n")
    }

    /// What was captured in each month before the world's.
    fn history(&self) -> Vec<BTreeMap<String, Captured>> {
        let world_in = |month| World::build(&Plan { month, ..self.plan().clone() });
        (0..self.plan().month).map(|month| captured(&world_in(month))).collect()
    }
}

/// Which products a target shows if it is captured, and which follow from them.
pub(crate) fn products_of(site: &Site, target: &TargetPlan) -> Option<ProductTruth> {
    if !matches!(target.expect.outcome, Disposition::Captured) {
        return None;
    }
    let products = site.products_on(target);
    let shown: BTreeSet<&str> = products.iter().map(|product| product.name).collect();
    let implied: BTreeSet<&str> = products
        .iter()
        .flat_map(|product| product.implies)
        .copied()
        .filter(|name| !shown.contains(name))
        .collect();
    let owned = |names: BTreeSet<&str>| names.into_iter().map(str::to_owned).collect();
    Some(ProductTruth { shown: owned(shown), implied: owned(implied) })
}

fn captured(world: &World) -> BTreeMap<String, Captured> {
    let pages = |site: &Site| {
        let captured =
            site.promises.targets.iter().filter(|t| matches!(t.expect.outcome, Disposition::Captured));
        captured.map(|target| (target.url.clone(), site.products_on(target))).collect()
    };
    world.sites().iter().map(|site| (site.key(), pages(site))).collect()
}

fn names(pages: &Captured) -> BTreeSet<&'static str> {
    pages.values().flatten().map(|product| product.name).collect()
}

/// The addresses of the pages that show a product.
fn showing<'a>(name: &str, pages: &'a Captured) -> Vec<&'a String> {
    pages.iter().filter(|(_, products)| products.iter().any(|p| p.name == name)).map(|(url, _)| url).collect()
}

fn kind_of_change(name: &str, now: &Captured, before: Option<&Captured>) -> &'static str {
    let Some(before) = before else { return "unknown" };
    match (showing(name, before), showing(name, now)) {
        (then, today) if !then.is_empty() && !today.is_empty() => "kept",
        (then, today) if then.is_empty() && today.iter().any(|url| before.contains_key(*url)) => "added",
        (then, today) if today.is_empty() && then.iter().any(|url| now.contains_key(*url)) => "dropped",
        _ => "unknown",
    }
}
