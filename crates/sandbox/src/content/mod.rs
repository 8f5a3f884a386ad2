//! What do the pages of a site say?
//!
//! Everything is drawn from the site's own seed, so that a page can be made when it is asked for and need not be kept.

mod languages;
mod products;
mod render;
mod stack;
mod technologies;
mod words;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::chance::Chance;
pub(crate) use languages::{CHINESE, JAPANESE, RUSSIAN};
use languages::{LANGUAGES, Language};
use products::Trace;
pub(crate) use products::{BASE, EXCLUSIVE, Product};
pub(crate) use render::{plain_page, uniform_page, words_page};
pub(crate) use stack::{OutageKind, Stack, Story};
use technologies::Technologies;
pub use words::Category;
use words::PLACES;

/// What is true of a page, for the readers of later stages to find.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageTruth {
    /// The text of its title element.
    pub title: String,
    /// Its meta description.
    pub description: String,
    /// Its language, as `html lang` says.
    pub language: String,
    /// The organisation's name.
    pub organisation: String,
    /// The organisation's category.
    pub category: Category,
    /// The topics that its text speaks of more than of others.
    pub topics: Vec<String>,
    /// The technologies that were planted on it.
    pub technologies: Vec<String>,
    /// The offer on it, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing: Option<ListingTruth>,
}

/// What is true of an offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListingTruth {
    /// The platform's own number for it.
    pub id: String,
    /// Its price in hundredths.
    pub price_cents: u64,
    /// The price's currency.
    pub currency: String,
    /// `live` or `sold`.
    pub status: String,
}

/// Who runs a site.
#[derive(Debug, Clone)]
pub(crate) struct Organisation {
    seed: u64,
    pub(crate) name: String,
    pub(crate) category: Category,
    language: &'static Language,
    technologies: Technologies,
    stack: Option<Stack>,
    month: u32,
}

/// How much of a page's answer is there to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Its headers and its document.
    Whole,
    /// The document without the headers of its organisation.
    Document,
}

impl Organisation {
    pub(crate) fn draw(seed: u64, category: Category, stack: Option<Stack>, month: u32) -> Organisation {
        let mut chance = Chance::new(seed, 1);
        let vocabulary = category.vocabulary();
        let name = format!("{} {}", chance.pick(PLACES), chance.pick(vocabulary.suffixes));
        // Half of the sites are English; the rest is spread evenly.
        let language = if chance.below(2) == 0 { 0 } else { chance.below(LANGUAGES.len()) };
        let technologies = Technologies::draw(category, &mut chance);
        Organisation { seed, name, category, language: &LANGUAGES[language], technologies, stack, month }
    }

    /// The products that come and go which the page at `path` shows this month.
    fn stack_on(&self, path: &str) -> impl Iterator<Item = &'static Product> {
        self.stack.iter().flat_map(move |stack| stack.on(path, self.month))
    }

    /// The headers that its server adds to the page at `path`.
    pub(crate) fn headers(&self, path: &str) -> Vec<(&'static str, Cow<'static, str>)> {
        let usual = self.technologies.headers.iter().map(|&(name, value)| (name, value.into()));
        let own = self.stack_on(path).flat_map(|product| product.traces).filter_map(|trace| match *trace {
            Trace::Header(name, value) => Some((name, value.replace("{id}", &self.technologies.id).into())),
            Trace::Head(_) | Trace::Body(_) => None,
        });
        usual.chain(own).collect()
    }

    /// What its products put into the head of the page at `path`.
    fn head_pieces(&self, path: &str) -> String {
        let mut head = self.technologies.head.clone();
        for piece in stack::pieces(self.stack_on(path), &self.technologies.id, |trace| match *trace {
            Trace::Head(piece) => Some(piece),
            Trace::Header(..) | Trace::Body(_) => None,
        }) {
            head.push_str(&piece);
            head.push('\n');
        }
        head
    }

    /// What its products put into the body of the page at `path`.
    fn body_pieces(&self, path: &str) -> String {
        let mut body = String::new();
        for piece in stack::pieces(self.stack_on(path), &self.technologies.id, |trace| match *trace {
            Trace::Body(piece) => Some(piece),
            Trace::Header(..) | Trace::Head(_) => None,
        }) {
            body.push_str(&piece);
            body.push('\n');
        }
        body
    }

    /// The products that the page at `path` shows itself.
    pub(crate) fn products(&self, path: &str, sight: Sight) -> Vec<&'static Product> {
        let unseen: &[&str] = match sight {
            Sight::Whole => &[],
            Sight::Document => &self.technologies.in_headers,
        };
        let usual = BASE.iter().filter(|product| {
            self.technologies.names.contains(&product.name) && !unseen.contains(&product.name)
        });
        usual.chain(self.stack_on(path)).collect()
    }

    /// What is true of the page at `path`.
    pub(crate) fn page(&self, path: &str) -> PageTruth {
        let mut chance = Chance::new(self.seed, label_of(path));
        let vocabulary = self.category.vocabulary();
        let mut topics: Vec<&str> = vocabulary.topics.to_vec();
        chance.shuffle(&mut topics);
        topics.truncate(3);
        let heading = match path {
            "/" => format!("{} | {}", self.name, capitalised(topics[0])),
            "/about" => format!("About {}", self.name),
            "/contact" => format!("Contact {}", self.name),
            _ => format!("{} – {}", capitalised(topics[0]), self.name),
        };
        PageTruth {
            description: format!("{}: {}, {} and {}.", self.name, topics[0], topics[1], topics[2]),
            title: heading,
            language: self.language.code.to_owned(),
            organisation: self.name.clone(),
            category: self.category,
            topics: topics.into_iter().map(str::to_owned).collect(),
            technologies: {
                let own = self.stack_on(path).map(|product| product.name);
                self.technologies.names.iter().copied().chain(own).map(str::to_owned).collect()
            },
            listing: self.offer_at(path, &mut chance),
        }
    }

    fn offer_at(&self, path: &str, chance: &mut Chance) -> Option<ListingTruth> {
        if !matches!(self.category, Category::Marketplace | Category::Shop) || path.matches('/').count() < 2 {
            return None;
        }
        Some(ListingTruth {
            id: format!("L{:08}", chance.below(100_000_000)),
            price_cents: chance.between(199, 250_000) as u64,
            currency: chance.pick(&["EUR", "GBP", "USD"]).to_owned(),
            status: if chance.below(4) == 0 { "sold" } else { "live" }.to_owned(),
        })
    }

    /// The HTML of the page at `path`, in UTF-8.
    pub(crate) fn html(&self, host: &str, path: &str) -> String {
        let truth = self.page(path);
        let mut chance = Chance::new(self.seed, label_of(path) ^ 1);
        render::page(host, path, self, &truth, &mut chance)
    }

    /// The HTML of a shell that fills itself by script.
    pub(crate) fn shell(&self, path: &str) -> String {
        render::shell(&self.page(path), &self.technologies.head)
    }
}

/// The path of a site's page number `index`: home, about, contact, then items of its section.
pub(crate) fn path_of_page(category: Category, index: usize) -> String {
    match index {
        0 => "/".to_owned(),
        1 => "/about".to_owned(),
        2 => "/contact".to_owned(),
        _ => format!("/{}/{}", category.vocabulary().section, index),
    }
}

/// Whether a site of this category has a page at `path`.
pub(crate) fn is_page_path(category: Category, path: &str) -> bool {
    if matches!(path, "/" | "/about" | "/contact") {
        return true;
    }
    path.strip_prefix('/')
        .and_then(|rest| rest.strip_prefix(category.vocabulary().section))
        .and_then(|rest| rest.strip_prefix('/'))
        .is_some_and(|number| number.len() < 8 && number.parse::<u32>().is_ok())
}

fn label_of(path: &str) -> u64 {
    // Any hash that is the same on every machine will do; the last bit tells the text's draws from the truth's.
    domain::host_hash(path) & !1
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
