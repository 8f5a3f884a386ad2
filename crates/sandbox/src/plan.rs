//! What kind of world is wanted?

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::Behaviour;

/// What a world is made from: the same plan makes the same world, byte for byte.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Where all chance comes from.
    pub seed: u64,
    /// How many sites there are.
    pub sites: usize,
    /// How many targets an ordinary site has; the others have as many as their behaviour needs, one to four.
    pub pages_per_site: RangeInclusive<usize>,
    /// Which behaviours there are.
    pub mix: Mix,
    /// Over how many addresses the ordinary sites spread at most; every other site has an address of its own.
    pub addresses: usize,
    /// Whether the list also has bad lines, duplicates, blank lines and other spellings of its URLs.
    pub noise: bool,
    /// To how much a bomb decodes, rounded down to whole MiB; at least one.
    pub bomb_bytes: u64,
    /// Whether the organisations are accounts that take up, give up and change products from month to month.
    #[serde(default)]
    pub technographics: bool,
    /// Which month it is, from 0. Sites, pages and the list are those of every month; products and failures are not.
    #[serde(default)]
    pub month: u32,
}

/// Which behaviours a world has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mix {
    /// Every behaviour at least once if there are sites enough, and for the rest mostly ordinary sites.
    EveryBehaviour,
    /// Robots of every kind that answers, redirects and ordinary sites: whatever a test of politeness must meet.
    Polite,
    /// Ordinary sites only.
    StaticOnly,
    /// These behaviours in turn.
    Only(Vec<Behaviour>),
    /// Every site has the same pages of this many bytes, `pages_per_site.end()` of them: for benchmarks.
    Uniform {
        /// The size of a page before compression.
        page_bytes: usize,
    },
}

/// The size of a page in the benchmarks, unless told otherwise.
pub const BENCH_PAGE_BYTES: usize = 48_800;

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            seed: 1,
            sites: 300,
            pages_per_site: 2..=4,
            mix: Mix::EveryBehaviour,
            addresses: 4096,
            noise: true,
            bomb_bytes: 64 << 20,
            technographics: false,
            month: 0,
        }
    }
}

impl Plan {
    /// `sites` sites of `pages` pages, all of one size and served from one buffer: for benchmarks.
    #[must_use]
    pub fn bench(sites: usize, pages: usize, page_bytes: usize) -> Plan {
        Plan {
            sites,
            pages_per_site: pages..=pages,
            mix: Mix::Uniform { page_bytes },
            addresses: 64,
            noise: false,
            ..Plan::default()
        }
    }

    /// A world to test politeness on: `sites` sites with robots of every kind that answers.
    #[must_use]
    pub fn polite(sites: usize) -> Plan {
        Plan { sites, mix: Mix::Polite, noise: false, ..Plan::default() }
    }

    /// A world with accounts whose products come and go, as it is in `month`.
    #[must_use]
    pub fn technographics(sites: usize, month: u32) -> Plan {
        Plan { sites, technographics: true, month, ..Plan::default() }
    }

    /// One site for each of `behaviours`, and a list without noise.
    #[must_use]
    pub fn only(behaviours: &[Behaviour]) -> Plan {
        Plan { sites: behaviours.len(), mix: Mix::Only(behaviours.to_vec()), noise: false, ..Plan::default() }
    }
}

impl Mix {
    /// The behaviour of the site number `index`.
    pub(crate) fn behaviour_of(&self, index: usize) -> Behaviour {
        match self {
            Mix::EveryBehaviour => {
                let extra = index.checked_sub(Behaviour::ALL.len());
                extra.map_or_else(|| Behaviour::ALL[index], |extra| BULK[extra % BULK.len()])
            }
            Mix::Polite => POLITE[index % POLITE.len()],
            Mix::StaticOnly => STATIC[index % STATIC.len()],
            Mix::Only(behaviours) if behaviours.is_empty() => Behaviour::StaticPlain,
            Mix::Only(behaviours) => behaviours[index % behaviours.len()],
            Mix::Uniform { .. } => Behaviour::StaticGzip,
        }
    }
}

const STATIC: &[Behaviour] = &[
    Behaviour::StaticGzip,
    Behaviour::StaticPlain,
    Behaviour::StaticBrotli,
    Behaviour::StaticGzip,
    Behaviour::StaticZstd,
    Behaviour::StaticChunked,
    Behaviour::StaticGzip,
    Behaviour::StaticDeflate,
    Behaviour::StaticChunkedGzip,
    Behaviour::StaticUntilClose,
];

/// What fills a world after every behaviour was there once: the failures stay a small part of it, as in a real list.
const BULK: &[Behaviour] = &[
    Behaviour::StaticGzip,
    Behaviour::StaticPlain,
    Behaviour::StaticBrotli,
    Behaviour::StaticGzip,
    Behaviour::RobotsDisallowPaths,
    Behaviour::StaticZstd,
    Behaviour::StaticChunked,
    Behaviour::RedirectToWww,
    Behaviour::StaticGzip,
    Behaviour::TlsGood,
    Behaviour::StaticDeflate,
    Behaviour::StaticChunkedGzip,
    Behaviour::StaticGzip,
    Behaviour::RedirectToHttps,
    Behaviour::StaticPlain,
    Behaviour::Status404,
];

const POLITE: &[Behaviour] = &[
    Behaviour::StaticGzip,
    Behaviour::RobotsNone,
    Behaviour::RobotsEmpty,
    Behaviour::RobotsAllowAll,
    Behaviour::RobotsDisallowAll,
    Behaviour::RobotsDisallowPaths,
    Behaviour::RobotsWildcards,
    Behaviour::RobotsLongestRule,
    Behaviour::RobotsOwnGroup,
    Behaviour::RobotsMergedGroups,
    Behaviour::RobotsHuge,
    Behaviour::RobotsBomCrlf,
    Behaviour::RobotsGzip,
    Behaviour::RobotsHtml,
    Behaviour::Robots403,
    Behaviour::Robots410,
    Behaviour::RobotsServerErrorOnce,
    Behaviour::RobotsThrottledOnce,
    Behaviour::RobotsRedirect,
    Behaviour::RobotsRedirectCrossHost,
    Behaviour::RobotsSlow,
    Behaviour::CrawlDelayOne,
    Behaviour::CrawlDelayFraction,
    Behaviour::CrawlDelayLong,
    Behaviour::RedirectSameHost,
    Behaviour::RedirectToWww,
    Behaviour::RedirectCrossHost,
    Behaviour::RedirectForbiddenPath,
    Behaviour::RedirectForbiddingHost,
    Behaviour::ThrottledOnce,
    Behaviour::UnavailableOnce,
    Behaviour::TlsGood,
    Behaviour::StaticPlain,
];
