//! How are millions of sites compared in little memory?
//!
//! In windows of neighbouring sites, as many as have a few thousand pages in any of the months that they are compared
//! with. The rows of a window are replaced in one transaction, so that a comparison may be stopped and begun again.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{
    Catalog, CatalogError,
    changes::{PageOutcome, SeenRow, page_outcomes_between, seen_between},
    findings::{self, FindingRow, SiteMonth},
};

use super::readings::Reading;

/// A window has about this many pages in each month, and no more sites than that.
const PAGES_AT_ONCE: i64 = 2_000;
const SITES_AT_ONCE: i64 = 1_000;
const FINDINGS_AT_ONCE: i64 = 5_000;

/// Sorts behind the name of every signal.
const BEHIND_ALL: &str = "\u{10ffff}";

/// Neighbouring sites.
#[derive(Debug)]
pub struct Window {
    /// The sites come after this one.
    pub after: Option<String>,
    /// The last of them.
    pub upto: String,
    /// The month that each site is compared with, where it was covered before.
    pub previous: BTreeMap<String, String>,
}

/// The next window of a month's sites; `None` where there are no more.
pub async fn next_window(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
) -> Result<Option<Window>, CatalogError> {
    let sites = findings::site_months(catalog, month, after, SITES_AT_ONCE).await?;
    let Some((mut upto, _)) = end_of_window(&sites) else { return Ok(None) };
    let mut previous: BTreeMap<_, _> =
        findings::last_covered(catalog, month, after, &upto).await?.into_iter().collect();
    let months: BTreeSet<String> = previous.values().cloned().collect();
    for earlier in months {
        // a month with far more sites than this one ends the window sooner
        let sites = findings::site_months(catalog, &earlier, after, SITES_AT_ONCE).await?;
        if let Some((end, true)) = end_of_window(&sites) {
            upto = upto.min(end);
        }
    }
    previous.retain(|site, _| *site <= upto);
    Ok(Some(Window { after: after.map(str::to_owned), upto, previous }))
}

/// The last of as many sites as make a window, and whether others may follow.
fn end_of_window(sites: &[SiteMonth]) -> Option<(String, bool)> {
    let mut pages = 0;
    for (site, at) in sites.iter().zip(1..) {
        pages += site.targets;
        if pages >= PAGES_AT_ONCE || at == SITES_AT_ONCE {
            return Some((site.site.clone(), true));
        }
    }
    sites.last().map(|site| (site.site.clone(), false))
}

/// What the sites of a window showed in one month.
#[derive(Debug)]
pub struct Look {
    /// How their pages ended.
    pub pages: Vec<PageOutcome>,
    /// What was seen on them.
    pub seen: Vec<SeenRow>,
}

impl Look {
    /// Looks at a month, in the way in which it is known.
    pub async fn at(
        catalog: &Catalog,
        month: &str,
        reading: &Reading,
        window: &Window,
    ) -> Result<Look, CatalogError> {
        let Window { after, upto, .. } = window;
        let after = after.as_deref();
        let pages = page_outcomes_between(catalog, month, after, upto).await?;
        let mut seen = Vec::new();
        if reading.archived {
            seen = found_between(catalog, month, after, upto).await?;
        } else {
            for rule_set in &reading.rule_sets {
                seen.extend(seen_between(catalog, month, *rule_set, after, upto).await?);
            }
        }
        Ok(Look { pages, seen })
    }
}

async fn found_between(
    catalog: &Catalog,
    month: &str,
    after: Option<&str>,
    upto: &str,
) -> Result<Vec<SeenRow>, CatalogError> {
    let mut seen = Vec::new();
    let mut last = after.map(|site| [site, BEHIND_ALL, BEHIND_ALL].map(str::to_owned));
    loop {
        let behind = last.as_ref().map(|[site, signal, key]| (site.as_str(), signal.as_str(), key.as_str()));
        let found = findings::list(catalog, month, behind, FINDINGS_AT_ONCE).await?;
        let Some(end) = found.last() else { return Ok(seen) };
        last = Some([end.site.clone(), end.signal.clone(), end.fingerprint_key.clone()]);
        for finding in found {
            if finding.site.as_str() > upto {
                return Ok(seen);
            }
            seen.push(as_seen(finding));
        }
    }
}

fn as_seen(finding: FindingRow) -> SeenRow {
    SeenRow {
        site: finding.site,
        url: finding.url,
        signal_id: finding.signal_id,
        signal: finding.signal,
        vendor: finding.vendor,
        family: finding.family,
        category: finding.category,
        exclusive: finding.exclusive,
        implied: finding.implied_by.is_some(),
        confidence: finding.confidence,
        found_at: finding.first_seen_at,
        snippet: finding.snippet,
        fingerprint_key: finding.fingerprint_key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(number: i64, targets: i64) -> SiteMonth {
        SiteMonth {
            site: format!("s{number:05}"),
            month: "2026-11".into(),
            targets,
            captured: targets,
            failed: 0,
            excluded: 0,
            main_detail: None,
        }
    }

    #[test]
    fn a_window_ends_by_pages_or_by_sites_and_always_holds_one() {
        assert_eq!(end_of_window(&[]), None);
        let few: Vec<_> = (0..3).map(|number| site(number, 10)).collect();
        assert_eq!(end_of_window(&few), Some(("s00002".into(), false)));
        let large = [site(0, 1), site(1, 1_000_000), site(2, 1)];
        assert_eq!(end_of_window(&large), Some(("s00001".into(), true)));
        assert_eq!(end_of_window(&large[1..]), Some(("s00001".into(), true)));
        let many: Vec<_> = (0..SITES_AT_ONCE).map(|number| site(number, 1)).collect();
        assert_eq!(end_of_window(&many), Some(("s00999".into(), true)));
    }
}
