//! What does a site run in which month, and what becomes of it?
//!
//! Every story is one way in which two months can differ, or seem to. The stories are dealt out in turn, so that even a small
//! world has them; which products play the parts is chance.

use super::products::{COMPANIONS, CONTENDED, IMPLIED_RIVAL, ONE_FAMILY, Product, Trace};
use crate::chance::Chance;

/// What happens to a site from month 0 to month 1. A is the product that was there first, B its rival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Story {
    /// B came, A stayed.
    SecondVendor,
    /// A all along; the site failed in month 0.
    DownBefore,
    /// B in place of A.
    Switched,
    /// A and B all along.
    BothAllAlong,
    /// B came, but the site fails in month 1.
    DownNow,
    /// Something came that has no rival.
    Added,
    /// Something went that has no rival.
    Dropped,
    /// A everywhere and B on one page, all along; that page failed in month 0.
    PageDownBefore,
    /// A everywhere and B on one page, all along; that page fails in month 1.
    PageDownNow,
    /// A all along, on the first of two sites of an account.
    FirstSibling,
    /// B came, on the second site of that account.
    SecondSibling,
    /// A second product of A's own family came.
    SameFamily,
    /// A all along, and something that brings a rival of A along.
    ImpliedRival,
    /// A all along.
    Steady,
    /// B came, on one page only.
    SecondVendorOnPage,
    /// A and B all along; the site failed in month 0.
    BothDownBefore,
    /// B in place of A, which was on one page only; that page fails in month 1.
    SwitchedPageDownNow,
}

impl Story {
    /// Every story, in the order in which they are dealt out.
    const ALL: &[Story] = &[
        Story::SecondVendor,
        Story::DownBefore,
        Story::Switched,
        Story::BothAllAlong,
        Story::DownNow,
        Story::Added,
        Story::Dropped,
        Story::PageDownBefore,
        Story::PageDownNow,
        Story::FirstSibling,
        Story::SecondSibling,
        Story::SameFamily,
        Story::ImpliedRival,
        Story::Steady,
        Story::SecondVendorOnPage,
        Story::BothDownBefore,
        Story::SwitchedPageDownNow,
    ];

    /// The story of the ordinary site with this number among its like.
    pub(crate) fn of(ordinal: usize) -> Story {
        Story::ALL[ordinal % Story::ALL.len()]
    }
}

/// The page that shows what the others do not.
const ONE_PAGE: &str = "/about";

/// What a site runs beyond what the sites of every world run, and when it fails.
#[derive(Debug, Clone)]
pub(crate) struct Stack {
    plants: Vec<Plant>,
    outage: Option<Outage>,
}

#[derive(Debug, Clone, Copy)]
struct Plant {
    product: &'static Product,
    from: u32,
    /// The first month without it.
    until: Option<u32>,
    page: Option<&'static str>,
}

/// When and how a site or one page of it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outage {
    month: u32,
    page: Option<&'static str>,
    pub(crate) kind: OutageKind,
}

/// How something fails for a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutageKind {
    /// 403, as from a wall that takes visitors for robots.
    Refused,
    /// The connection is reset in place of an answer.
    Reset,
    /// 503 however often it is asked.
    Unavailable,
    /// No answer at all.
    Silent,
}

/// The first pairs of [`CONTENDED`] have a rival among what every world runs, and there the order of two is left to chance
/// unless all of them are on all pages.
const PAIRS_WITH_A_THIRD: usize = 1;

impl Stack {
    pub(crate) fn draw(story: Story, seed: u64, sibling_seed: u64) -> Stack {
        let mut chance = Chance::new(seed, 7);
        let (pairs, _) = CONTENDED.as_chunks::<2>();
        let pick = |least: usize, chance: &mut Chance| {
            let [a, b] = &pairs[chance.between(least, pairs.len() - 1)];
            (a, b)
        };
        let (a, b) = pick(0, &mut chance);
        let (quiet_a, quiet_b) = pick(PAIRS_WITH_A_THIRD, &mut Chance::new(sibling_seed, 8));
        let coin = chance.below(2) == 0;
        let site_fails = if coin { OutageKind::Refused } else { OutageKind::Reset };
        let page_fails = if coin { OutageKind::Unavailable } else { OutageKind::Silent };
        let mut companions: Vec<&'static Product> = COMPANIONS.iter().collect();
        chance.shuffle(&mut companions);
        let companion = companions[0];
        let always = |product| Plant { product, from: 0, until: None, page: None };
        let came = |product| Plant { from: 1, ..always(product) };
        let went = |product| Plant { until: Some(1), ..always(product) };
        let on_page = |plant: Plant| Plant { page: Some(ONE_PAGE), ..plant };
        let site_down = |month| Some(Outage { month, page: None, kind: site_fails });
        let page_down = |month| Some(Outage { month, page: Some(ONE_PAGE), kind: page_fails });
        let (mut plants, outage) = match story {
            Story::SecondVendor => (vec![always(a), came(b)], None),
            Story::DownBefore => (vec![always(a)], site_down(0)),
            Story::Switched => (vec![went(a), came(b)], None),
            Story::BothAllAlong => (vec![always(a), always(b)], None),
            Story::DownNow => (vec![always(a), came(b)], site_down(1)),
            Story::Added => (vec![came(companion)], None),
            Story::Dropped => (vec![went(companion)], None),
            Story::PageDownBefore => (vec![always(quiet_a), on_page(always(quiet_b))], page_down(0)),
            Story::PageDownNow => (vec![always(quiet_a), on_page(always(quiet_b))], page_down(1)),
            Story::FirstSibling => (vec![always(quiet_a)], None),
            Story::SecondSibling => (vec![came(quiet_b)], None),
            Story::SameFamily => (vec![always(&ONE_FAMILY[0]), came(&ONE_FAMILY[1])], None),
            Story::ImpliedRival => (IMPLIED_RIVAL.iter().map(always).collect(), None),
            Story::Steady => (vec![always(a)], None),
            Story::SecondVendorOnPage => (vec![always(quiet_a), on_page(came(quiet_b))], None),
            Story::BothDownBefore => (vec![always(a), always(b)], site_down(0)),
            Story::SwitchedPageDownNow => (vec![on_page(went(quiet_a)), came(quiet_b)], page_down(1)),
        };
        let others = chance.between(1, 4);
        plants.extend(companions[1..].iter().take(others).map(|product| always(product)));
        Stack { plants, outage }
    }

    /// What the page at `path` shows in `month`.
    pub(crate) fn on(&self, path: &str, month: u32) -> impl Iterator<Item = &'static Product> {
        self.plants
            .iter()
            .filter(move |plant| plant.from <= month && plant.until.is_none_or(|until| month < until))
            .filter(move |plant| plant.page.is_none_or(|page| page == path))
            .map(|plant| plant.product)
    }

    /// How the page at `path` fails in `month`, if it does.
    pub(crate) fn outage(&self, path: &str, month: u32) -> Option<OutageKind> {
        self.outage
            .filter(|outage| outage.month == month && outage.page.is_none_or(|page| page == path))
            .map(|outage| outage.kind)
    }
}

/// All traces of `products` that `pick` takes, one after the other, with the site's own number in them.
pub(crate) fn pieces<'a>(
    products: impl Iterator<Item = &'static Product> + 'a,
    id: &'a str,
    pick: impl Fn(&Trace) -> Option<&'static str> + 'a,
) -> impl Iterator<Item = String> + 'a {
    products.flat_map(|product| product.traces).filter_map(pick).map(move |piece| piece.replace("{id}", id))
}
