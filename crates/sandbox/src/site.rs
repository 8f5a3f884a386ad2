//! What is one site of the world?

use std::{net::Ipv4Addr, time::Duration};

use domain::{Disposition, Exclusion, Failure, FailureKind};

use crate::{
    Behaviour, Category,
    content::{self, Organisation, OutageKind, Product, Sight, Stack},
};

/// One site: a name, an address and a way to behave.
#[derive(Debug, Clone)]
pub struct Site {
    /// Its number in the world, from 0; its key in the list is one more.
    pub number: usize,
    /// Its host name, in the form that goes over the wire.
    pub name: String,
    /// Its host name as people write it, where that differs.
    pub written_name: Option<String>,
    /// Other host names that lead to it: a `www` name, a partner's host.
    pub aliases: Vec<String>,
    /// Its address; none where the name does not exist.
    pub address: Option<Ipv4Addr>,
    /// How it behaves.
    pub behaviour: Behaviour,
    /// What its organisation is.
    pub category: Category,
    pub(crate) seed: u64,
    pub(crate) promises: Promises,
    /// What it runs from month to month, in a world of accounts.
    pub(crate) stack: Option<Stack>,
    /// The first site of its account, where that is to have two.
    pub(crate) siblings: Option<usize>,
    pub(crate) month: u32,
}

/// What was planned for a site: the truth about its targets and its rules.
#[derive(Debug, Clone, Default)]
pub(crate) struct Promises {
    pub(crate) targets: Vec<TargetPlan>,
    pub(crate) forbidden: Vec<Forbidden>,
    pub(crate) crawl_delay: Option<Duration>,
}

/// What robots.txt forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Forbidden {
    /// Everything on the host but robots.txt itself.
    Host(String),
    /// One path (with its query) of a host.
    Path(String, String),
}

/// One target of a site and how it should end.
#[derive(Debug, Clone)]
pub(crate) struct TargetPlan {
    pub(crate) url: String,
    pub(crate) expect: Expect,
}

/// How a target should end.
#[derive(Debug, Clone)]
pub(crate) struct Expect {
    pub(crate) outcome: Disposition,
    pub(crate) status: Option<u16>,
    pub(crate) final_url: Option<String>,
    pub(crate) charset: Option<&'static str>,
    pub(crate) truncated: bool,
    pub(crate) needs_browser: bool,
    /// The path of the site's page that is captured, where it is one whose content is known.
    pub(crate) page: Option<String>,
}

impl Expect {
    fn ending(outcome: Disposition, status: Option<u16>) -> Expect {
        Expect {
            outcome,
            status,
            final_url: None,
            charset: None,
            truncated: false,
            needs_browser: false,
            page: None,
        }
    }

    pub(crate) fn captured() -> Expect {
        Expect::ending(Disposition::Captured, Some(200))
    }

    pub(crate) fn page(path: &str) -> Expect {
        Expect { page: Some(path.to_owned()), charset: Some("UTF-8"), ..Expect::captured() }
    }

    pub(crate) fn page_at(final_url: String, path: &str) -> Expect {
        Expect { final_url: Some(final_url), ..Expect::page(path) }
    }

    pub(crate) fn excluded(reason: Exclusion) -> Expect {
        Expect::ending(Disposition::Excluded { reason }, None)
    }

    pub(crate) fn failed(kind: FailureKind) -> Expect {
        Expect::ending(Disposition::Failed(Failure::new(kind, "")), None)
    }

    pub(crate) fn failed_by_status(kind: FailureKind, status: u16) -> Expect {
        Expect::ending(Disposition::Failed(Failure::by_status(kind, status)), Some(status))
    }
}

impl Promises {
    /// Adds a target at `path` of `site`'s plain HTTP origin.
    pub(crate) fn target(&mut self, site: &Site, path: &str, expect: Expect) {
        self.targets.push(TargetPlan { url: site.url(path), expect });
    }

    /// Adds a target that robots.txt forbids.
    pub(crate) fn forbidden_target(&mut self, site: &Site, path: &str) {
        self.forbidden.push(Forbidden::Path(site.name.clone(), path.to_owned()));
        self.target(site, path, Expect::excluded(Exclusion::Robots));
    }
}

impl Site {
    /// The URL of `path` over plain HTTP.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.name)
    }

    /// The URL of `path` over TLS.
    #[must_use]
    pub fn https_url(&self, path: &str) -> String {
        format!("https://{}{path}", self.name)
    }

    /// Its name, then its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }

    /// The key of its organisation in the list.
    #[must_use]
    pub fn key(&self) -> String {
        (self.number + 1).to_string()
    }

    /// The least time between two requests that its robots.txt asks for.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.promises.crawl_delay
    }

    /// Whether robots.txt forbids `path` (with its query) on `host`, by the plan rather than by reading the rules: a
    /// request that this forbids should never be in the server's log.
    #[must_use]
    pub fn forbids(&self, host: &str, path: &str) -> bool {
        self.promises.forbidden.iter().any(|forbidden| match forbidden {
            Forbidden::Host(name) => name == host && !path.starts_with("/robots"),
            Forbidden::Path(name, closed) => name == host && closed == path,
        })
    }

    /// Who runs it.
    pub(crate) fn organisation(&self) -> Organisation {
        Organisation::draw(self.seed, self.category, self.stack.clone(), self.month)
    }

    /// How the page at `path` fails this month, if it does.
    pub(crate) fn outage(&self, path: &str) -> Option<OutageKind> {
        self.stack.as_ref()?.outage(path, self.month)
    }

    /// The products that a target shows if it ends as planned.
    pub(crate) fn products_on(&self, target: &TargetPlan) -> Vec<&'static Product> {
        let seen = match (self.behaviour, target.expect.page.as_deref()) {
            (Behaviour::SpaShell, _) => Some(("/", Sight::Document)),
            (Behaviour::DripEnds, Some(path)) => Some((path, Sight::Document)),
            (_, Some(path)) => Some((path, Sight::Whole)),
            (_, None) => None,
        };
        seen.map_or_else(Vec::new, |(path, sight)| self.organisation().products(path, sight))
    }

    /// Whether there is a page at `path` (with its query).
    pub(crate) fn has_page(&self, path: &str) -> bool {
        content::is_page_path(self.category, path)
            || self.promises.targets.iter().any(|target| target.expect.page.as_deref() == Some(path))
            || self
                .promises
                .forbidden
                .iter()
                .any(|f| matches!(f, Forbidden::Path(_, closed) if closed == path))
    }

    /// The host of its partner, to which some behaviours lead.
    pub(crate) fn partner(&self) -> &str {
        self.aliases.get(1).map_or(self.name.as_str(), String::as_str)
    }

    /// Its `www` name.
    pub(crate) fn www(&self) -> &str {
        self.aliases.first().map_or(self.name.as_str(), String::as_str)
    }

    /// Whether anybody listens at its address.
    pub(crate) fn listens(&self) -> bool {
        self.address.is_some() && self.behaviour != Behaviour::ConnectRefused
    }
}
