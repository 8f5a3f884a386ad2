//! Which sites are there?

use std::{collections::HashMap, net::Ipv4Addr};

use crate::{
    Category, Mix, Plan, Site, TruthLine, answers,
    behaviour::Behaviour,
    chance::Chance,
    content::{Stack, Story},
    list::{self, Entry},
    site::Promises,
};

/// The version of the world that a plan makes: it changes whenever the same plan would make other bytes.
pub const WORLD_VERSION: u32 = 1;

/// All sites, their pages and the truth about them: made from a plan alone, without I/O.
#[derive(Debug)]
pub struct World {
    plan: Plan,
    sites: Vec<Site>,
    by_name: HashMap<String, usize>,
    entries: Vec<Entry>,
}

impl World {
    /// The world of `plan`.
    #[must_use]
    pub fn build(plan: &Plan) -> World {
        let mut dealer = Dealer::default();
        let sites: Vec<Site> = (0..plan.sites).map(|number| build_site(plan, number, &mut dealer)).collect();
        let mut by_name = HashMap::with_capacity(sites.len());
        for site in &sites {
            by_name.extend(site.names().map(|name| (name.to_owned(), site.number)));
        }
        let entries = match plan.mix {
            Mix::Uniform { .. } => Vec::new(),
            _ => list::arrange(plan, &sites),
        };
        World { plan: plan.clone(), sites, by_name, entries }
    }

    /// What it was made from.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Its sites, in order of their numbers.
    #[must_use]
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The site that answers to `host`, by its name or by an alias.
    #[must_use]
    pub fn site_at(&self, host: &str) -> Option<&Site> {
        self.by_name.get(host).map(|number| &self.sites[*number])
    }

    /// How many targets a complete round has: the lines of the list that are neither rejected nor duplicates.
    #[must_use]
    pub fn target_count(&self) -> u64 {
        match self.plan.mix {
            Mix::Uniform { .. } => self.sites.len() as u64 * self.uniform_pages() as u64,
            _ => self.sites.iter().map(|site| site.promises.targets.len() as u64).sum(),
        }
    }

    /// The truth about every line of the list that is not blank, in the list's order; held in memory all at once.
    #[must_use]
    pub fn truth(&self) -> Vec<TruthLine> {
        self.truth_lines().collect()
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn uniform_pages(&self) -> usize {
        *self.plan.pages_per_site.end()
    }
}

/// Labels that are not ASCII, as people write them and as they go over the wire.
const UNICODE_LABELS: &[(&str, &str)] = &[
    ("bücher", "xn--bcher-kva"),
    ("münchen", "xn--mnchen-3ya"),
    ("café", "xn--caf-dma"),
    ("пример", "xn--e1afmkfd"),
];

/// Deals out stories, site after site.
#[derive(Default)]
struct Dealer {
    dealt: usize,
    /// The number and the seed of the site that waits for its sibling.
    first_sibling: Option<(usize, u64)>,
}

impl Dealer {
    /// The products of the site `number`, and the first site of its account where that is to have two.
    fn deal(&mut self, number: usize, seed: u64) -> (Stack, Option<usize>) {
        let story = Story::of(self.dealt);
        self.dealt += 1;
        match (story, self.first_sibling.take()) {
            (Story::FirstSibling, _) => {
                self.first_sibling = Some((number, seed));
                (Stack::draw(story, seed, seed), Some(number))
            }
            (Story::SecondSibling, Some((first, its_seed))) => {
                (Stack::draw(story, seed, its_seed), Some(first))
            }
            _ => (Stack::draw(story, seed, seed), None),
        }
    }
}

fn build_site(plan: &Plan, number: usize, dealer: &mut Dealer) -> Site {
    let behaviour = plan.mix.behaviour_of(number);
    let seed = Chance::new(plan.seed, number as u64 + 1_000).next();
    let mut chance = Chance::new(seed, 2);
    let category = Category::ALL[chance.below(Category::ALL.len())];
    let stem = format!("{}-{number:04}", category.vocabulary().stem);
    let tld = if chance.below(2) == 0 { "test" } else { "example" };
    let unicode = plan.noise && behaviour.is_ordinary() && chance.below(12) == 0;
    let (name, written_name) = if behaviour == Behaviour::UnknownHost {
        // RFC 6761 promises that `.invalid` never exists, whichever resolver is asked.
        (format!("{stem}.invalid"), None)
    } else if unicode {
        let (written, wire) = UNICODE_LABELS[chance.below(UNICODE_LABELS.len())];
        (format!("{stem}.{wire}.{tld}"), Some(format!("{stem}.{written}.{tld}")))
    } else {
        (format!("{stem}.{tld}"), None)
    };
    let aliases = match plan.mix {
        Mix::Uniform { .. } => Vec::new(),
        _ if behaviour == Behaviour::UnknownHost => Vec::new(),
        _ => vec![format!("www.{name}"), format!("{stem}-partner.test")],
    };
    let mut site = Site {
        number,
        name,
        written_name,
        aliases,
        address: (behaviour != Behaviour::UnknownHost).then(|| address_of(plan, number, behaviour)),
        behaviour,
        category,
        seed,
        promises: Promises::default(),
        stack: None,
        siblings: None,
        month: plan.month,
    };
    if plan.technographics && behaviour.is_ordinary() {
        let (stack, siblings) = dealer.deal(number, seed);
        (site.stack, site.siblings) = (Some(stack), siblings);
    }
    if !matches!(plan.mix, Mix::Uniform { .. }) {
        let pages = chance.between(*plan.pages_per_site.start(), *plan.pages_per_site.end());
        site.promises = answers::promise(&site, pages, &mut chance);
    }
    site
}

/// Ordinary sites spread over 127.20.0.0/15, a tenth of them on an address of their neighbour, as with shared hosting;
/// the others live alone in 127.24.0.0/13, because a listener misbehaves for all of its address.
fn address_of(plan: &Plan, number: usize, behaviour: Behaviour) -> Ipv4Addr {
    let (base, index) = if behaviour.is_ordinary() {
        let neighbour_is_ordinary = number > 0 && plan.mix.behaviour_of(number - 1).is_ordinary();
        let host = if number % 10 == 9 && neighbour_is_ordinary { number - 1 } else { number };
        (Ipv4Addr::new(127, 20, 0, 0), host % plan.addresses.clamp(1, 1 << 16))
    } else {
        (Ipv4Addr::new(127, 24, 0, 0), number % (1 << 18))
    };
    // Skips .0 and .255, which some systems take for a network and for everybody.
    let (block, last) = (index / 250, index % 250 + 1);
    Ipv4Addr::from(u32::from(base) + ((block as u32) << 8) + last as u32)
}
