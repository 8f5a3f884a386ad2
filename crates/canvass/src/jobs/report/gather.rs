//! Which figures does the page show?

use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, bail};
use catalog::{
    Catalog,
    changes::{self, ListedDual},
    statistics::{self, Adoption, ChangeCount, Coverage, DualVendorCount, EndingCount, RuleSetUse},
};
use domain::Moment;

use crate::month::Month;

/// How many months the page looks back.
const MONTHS: usize = 12;
/// How many accounts with two vendors the page names.
pub(super) const NAMED_ACCOUNTS: usize = 100;
/// How many rows of accounts are looked through for the new ones among them.
const SEARCHED_ACCOUNTS: usize = 100_000;
const ACCOUNTS_AT_ONCE: i64 = 1_000;

/// All that the page shows.
#[derive(Debug)]
pub struct Figures {
    /// The month that is reported.
    pub month: String,
    /// When the page was made.
    pub made_at: Moment,
    /// The months up to it, oldest first; the last is the one that is reported.
    pub months: Vec<MonthFigures>,
    /// The categories, the most used first.
    pub categories: Vec<CategoryFigures>,
    /// What changed, product by product.
    pub movers: Vec<Mover>,
    /// How many changes of each kind there are, by certainty.
    pub changes: BTreeMap<(String, String), u64>,
    /// In which categories accounts have two vendors.
    pub dual_counts: Vec<DualVendorCount>,
    /// Accounts with two vendors, the new ones first.
    pub duals: Vec<ListedDual>,
    /// Whether there are more of them than those.
    pub more_duals: bool,
    /// How the pages of the month ended.
    pub endings: Vec<EndingCount>,
}

/// What is known of a month.
#[derive(Debug, Clone)]
pub struct MonthFigures {
    /// How much of it was looked at.
    pub coverage: Coverage,
    /// The rule sets behind its findings, the latest first.
    pub rule_sets: Vec<RuleSetUse>,
}

/// One category.
#[derive(Debug)]
pub struct CategoryFigures {
    /// Its key.
    pub key: String,
    /// Its name for people.
    pub title: String,
    /// Whether an organisation has need of one product of it.
    pub exclusive: bool,
    /// Its products, the most used first.
    pub products: Vec<ProductFigures>,
}

/// One product.
#[derive(Debug)]
pub struct ProductFigures {
    /// Its name.
    pub name: String,
    /// Who makes it.
    pub vendor: String,
    /// On how many sites it was seen itself.
    pub shown: u64,
    /// On how many more it follows from something else.
    pub implied: u64,
    /// Its share of the covered sites in each month of the page, in percent.
    pub shares: Vec<f64>,
}

/// How a product moved since the month before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mover {
    /// The product.
    pub name: String,
    /// Its category, for people.
    pub category: String,
    /// Sites that certainly, and that likely, added it.
    pub added: (u64, u64),
    /// Sites that certainly, and that likely, dropped it.
    pub dropped: (u64, u64),
}

/// Reads the figures of a month, or of the newest one.
pub async fn gather(catalog: &Catalog, month: Option<&Month>, now: Moment) -> Result<Figures> {
    let mut coverage = statistics::coverage(catalog).await?;
    if let Some(month) = month {
        coverage.retain(|known| known.month.as_str() <= month.as_str());
    }
    let Some(month) = coverage
        .last()
        .map(|known| known.month.clone())
        .filter(|newest| month.is_none_or(|m| m.as_str() == newest))
    else {
        let which = month.map_or_else(|| "no month".to_owned(), |month| format!("{month} not"));
        bail!("{which} was aggregated yet: run `canvass process` and `canvass aggregate`");
    };
    coverage.drain(..coverage.len().saturating_sub(MONTHS));
    let mut months = Vec::with_capacity(coverage.len());
    let mut adoption = Vec::with_capacity(coverage.len());
    for coverage in coverage {
        let rule_sets = statistics::rule_sets(catalog, &coverage.month).await?;
        // what only an earlier rule set saw is not what the month shows by the rules of today
        adoption.push(match rule_sets.first() {
            Some(latest) => statistics::adoption(catalog, &coverage.month, latest.version).await?,
            None => Vec::new(),
        });
        months.push(MonthFigures { coverage, rule_sets });
    }
    let changes = statistics::changes(catalog, &month).await?;
    let (duals, more_duals) = named_duals(catalog, &month).await?;
    Ok(Figures {
        categories: by_category(&months, adoption),
        movers: movers(&changes),
        changes: by_kind(&changes),
        dual_counts: statistics::dual_vendors(catalog, &month).await?,
        duals,
        more_duals,
        endings: statistics::endings(catalog, &month).await?,
        made_at: now,
        months,
        month,
    })
}

fn by_category(months: &[MonthFigures], mut adoption: Vec<Vec<Adoption>>) -> Vec<CategoryFigures> {
    let latest = adoption.pop().unwrap_or_default();
    let earlier: Vec<HashMap<&str, u64>> = adoption
        .iter()
        .map(|month| month.iter().map(|one| (one.signal.as_str(), one.shown)).collect())
        .collect();
    let mut categories: BTreeMap<String, CategoryFigures> = BTreeMap::new();
    for Adoption { signal, vendor, category, category_title, exclusive, shown, sites } in latest {
        let counts =
            earlier.iter().map(|month| month.get(signal.as_str()).copied().unwrap_or(0)).chain([shown]);
        let shares = counts.zip(months).map(|(count, month)| share(count, month.coverage.covered)).collect();
        let product =
            ProductFigures { name: signal, vendor, shown, implied: sites.saturating_sub(shown), shares };
        let known = categories.entry(category.clone()).or_insert_with(|| CategoryFigures {
            key: category,
            title: category_title,
            exclusive,
            products: Vec::new(),
        });
        known.products.push(product);
    }
    let mut categories: Vec<CategoryFigures> = categories.into_values().collect();
    categories.sort_by_key(|category| {
        let most = category.products.first().map_or(0, |product| product.shown);
        (std::cmp::Reverse(most), category.key.clone())
    });
    categories
}

/// `count` of `all` in percent.
pub(super) fn share(count: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { count as f64 * 100.0 / all as f64 }
}

fn movers(changes: &[ChangeCount]) -> Vec<Mover> {
    let mut movers: BTreeMap<&str, Mover> = BTreeMap::new();
    for ChangeCount { signal, category_title, kind, certainty, sites, category: _ } in changes {
        let mover = movers.entry(signal).or_insert_with(|| Mover {
            name: signal.clone(),
            category: category_title.clone(),
            ..Mover::default()
        });
        let side = match kind.as_str() {
            "added" => &mut mover.added,
            "dropped" => &mut mover.dropped,
            _ => continue,
        };
        match certainty.as_str() {
            "certain" => side.0 += sites,
            _ => side.1 += sites,
        }
    }
    movers.into_values().filter(|mover| mover.added != (0, 0) || mover.dropped != (0, 0)).collect()
}

fn by_kind(changes: &[ChangeCount]) -> BTreeMap<(String, String), u64> {
    let mut kinds = BTreeMap::new();
    for change in changes {
        *kinds.entry((change.kind.clone(), change.certainty.clone())).or_default() += change.sites;
    }
    kinds
}

/// The first accounts with two vendors, those that are new before the others, and whether there are more.
async fn named_duals(catalog: &Catalog, month: &str) -> Result<(Vec<ListedDual>, bool)> {
    let (mut new, mut known) = (Vec::new(), Vec::new());
    let mut searched = 0;
    let mut after: Option<(String, String, String)> = None;
    while new.len() < NAMED_ACCOUNTS && searched < SEARCHED_ACCOUNTS {
        let from =
            after.as_ref().map(|(account, category, second)| (&account[..], &category[..], &second[..]));
        let rows = changes::list_dual_vendors(catalog, month, from, ACCOUNTS_AT_ONCE).await?;
        let Some(last) = rows.last() else { break };
        after = Some((last.dual.account.clone(), last.dual.category.clone(), last.second.clone()));
        searched += rows.len();
        for row in rows {
            let side = if row.dual.is_new { &mut new } else { &mut known };
            if side.len() < NAMED_ACCOUNTS {
                side.push(row);
            }
        }
    }
    new.extend(known);
    new.truncate(NAMED_ACCOUNTS);
    let more = searched > new.len();
    Ok((new, more))
}
