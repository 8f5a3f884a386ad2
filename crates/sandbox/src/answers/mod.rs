//! What does a site promise, and what does it answer?
//!
//! Each family of behaviours has a module with two functions that must agree: `promise` plans the targets and says how
//! each should end, `answer` decides what goes over the wire.

mod bombs;
mod breaks;
mod charsets;
mod coding;
mod outages;
mod pages;
mod reach;
mod redirects;
mod reply;
mod robots;
mod stalls;
mod statuses;

use crate::{Pace, Site, behaviour::Family, chance::Chance, site::Promises};
pub(crate) use coding::{Coding, encode};
pub(crate) use reply::{Answer, Body, Framing, Reply, Script, Step};

/// What is asked of a site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) host: &'a str,
    /// The path with its query.
    pub(crate) path: &'a str,
    pub(crate) https: bool,
    pub(crate) accept_encoding: &'a str,
    /// How often the same was asked before; counted only where the behaviour depends on it.
    pub(crate) earlier_visits: u32,
    pub(crate) pace: &'a Pace,
    pub(crate) bomb_bytes: u64,
}

/// Plans the targets of `site`, about `pages` of them where its behaviour leaves the choice.
pub(crate) fn promise(site: &Site, pages: usize, chance: &mut Chance) -> Promises {
    let mut promises = match site.behaviour.family() {
        Family::Pages => pages::promise(site, pages),
        Family::Charsets => charsets::promise(site),
        Family::Types => pages::promise_types(site),
        Family::Redirects => redirects::promise(site, chance),
        Family::Robots => robots::promise(site),
        Family::Statuses => statuses::promise(site),
        Family::Stalls => stalls::promise(site),
        Family::Breaks => breaks::promise(site),
        Family::Bombs => bombs::promise(site),
        Family::Reach => reach::promise(site, pages),
    };
    outages::overrule(site, &mut promises);
    promises
}

/// Decides what `site` answers; cheap, because the making of a page is left to whoever sends it.
pub(crate) fn answer(site: &Site, ask: Ask<'_>) -> Answer {
    if robots::is_about_robots(ask.path) {
        return robots::answer(site, ask);
    }
    if let Some(outage) = site.outage(ask.path) {
        return outages::answer(outage);
    }
    match site.behaviour.family() {
        Family::Pages | Family::Types => pages::answer(site, ask),
        Family::Charsets => charsets::answer(site),
        Family::Redirects => redirects::answer(site, ask),
        Family::Robots | Family::Reach => pages::ordinary(site, ask, Coding::Gzip, Framing::Length),
        Family::Statuses => statuses::answer(site, ask),
        Family::Stalls => stalls::answer(site, ask),
        Family::Breaks => breaks::answer(site),
        Family::Bombs => bombs::answer(site, ask),
    }
}
