//! What changed on a site between two months?
//!
//! Pages are compared with themselves: something was added if a page shows it that was captured before too and did not,
//! and dropped if a page that showed it was captured and does not any more. A page that was not captured says nothing,
//! so it can weaken an answer and never make one.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use domain::Moment;

use super::{
    answer::{Certainty, Change, Doubt, Kind},
    evidence::{Evidence, Seen},
};
use crate::jobs::process::PARTLY_READ;

/// Which of the two months.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// The month in question.
    Now,
    /// The month that it is compared with.
    Before,
}

impl When {
    fn other(self) -> When {
        match self {
            When::Now => When::Before,
            When::Before => When::Now,
        }
    }
}

/// How a page ended in one month.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum End<'a> {
    /// It was not on the list.
    #[default]
    NotListed,
    /// It was, and was not captured.
    Missed(&'a str),
    /// It was captured.
    Captured,
}

/// What was seen of a signal in one month, each with the place of its page.
type Shown<'a> = Vec<(usize, Seen<'a>)>;

/// One site in two months.
#[derive(Debug, Default)]
pub struct Comparison<'a> {
    places: HashMap<&'a str, usize>,
    ends: Vec<[End<'a>; 2]>,
    shown: BTreeMap<i64, [Shown<'a>; 2]>,
}

/// What a comparison must know of the two months.
#[derive(Debug, Clone, Copy, Default)]
pub struct Against<'a> {
    /// The month that it is compared with, where the site was covered in one.
    pub previous: Option<&'a str>,
    /// Why no answer can be certain, where there is such a reason.
    pub doubt: Option<&'a Doubt>,
}

impl<'a> Comparison<'a> {
    /// Notes how a page ended. A page that ended more than once in a month is captured if it was captured once; one that
    /// was not read to its end says nothing.
    pub fn page(&mut self, when: When, url: &'a str, disposition: &str, detail: &'a str) {
        let place = self.place(url);
        let end = &mut self.ends[place][when as usize];
        *end = match (*end, disposition) {
            (End::Captured, _) => End::Captured,
            // what is not seen on half a page may be on the other half
            (_, "captured") if detail != PARTLY_READ => End::Captured,
            (End::Missed(known), _) => End::Missed(known.min(detail)),
            (End::NotListed, _) => End::Missed(detail),
        };
    }

    /// Notes what a page shows; it counts if the page was captured.
    pub fn saw(&mut self, when: When, seen: Seen<'a>) {
        let place = self.place(seen.url);
        self.shown.entry(seen.signal).or_default()[when as usize].push((place, seen));
    }

    fn place(&mut self, url: &'a str) -> usize {
        let next = self.ends.len();
        let place = *self.places.entry(url).or_insert(next);
        if place == next {
            self.ends.push([End::NotListed; 2]);
        }
        place
    }

    /// Whether any page was captured in that month.
    #[must_use]
    pub fn is_covered(&self, when: When) -> bool {
        self.ends.iter().any(|ends| ends[when as usize] == End::Captured)
    }

    /// What became of each signal that was seen in either month, by signal. `since` gives the earliest time at which
    /// a signal was seen in any month, where that is known.
    #[must_use]
    pub fn changes(&self, against: Against<'_>, since: impl Fn(i64) -> Option<Moment>) -> Vec<Change> {
        let whole = [self.was_whole(When::Now), self.was_whole(When::Before)];
        let mut changes = Vec::with_capacity(self.shown.len());
        for (&signal, shown) in &self.shown {
            let now = self.sighted(&shown[When::Now as usize], When::Now);
            let before = self.sighted(&shown[When::Before as usize], When::Before);
            let verdict = match (now.places.is_empty(), before.places.is_empty()) {
                (true, true) => continue,
                (false, false) => Verdict::kept(),
                (false, true) => {
                    self.judge(&now.places, When::Now, whole[When::Before as usize], against.previous)
                }
                (true, false) => {
                    self.judge(&before.places, When::Before, whole[When::Now as usize], against.previous)
                }
            };
            let Verdict { kind, certainty, reason } = verdict.with_doubt(signal, against.doubt);
            let here = now.earliest.min(before.earliest);
            let since = since(signal).map_or(here, |known| known.min(here));
            let [now, before] = [now.best, before.best].map(|best| best.map(|seen| seen.keep()));
            let evidence = Evidence { now, before };
            changes.push(Change { signal, kind, certainty, reason, since, evidence });
        }
        changes
    }

    /// Whether nothing is missing in that month that could show a signal of the other month: all its pages were captured,
    /// and so were those of the other month of which it is not known what they showed there.
    fn was_whole(&self, when: When) -> bool {
        self.ends.iter().all(|ends| match ends[when as usize] {
            End::Captured => true,
            End::Missed(_) => false,
            End::NotListed => !matches!(ends[when.other() as usize], End::Missed(_)),
        })
    }

    fn sighted(&self, shown: &Shown<'a>, when: When) -> Sighted<'a> {
        let mut sighted = Sighted { places: Vec::new(), best: None, earliest: Moment::FAR_FUTURE };
        for &(place, seen) in shown {
            if self.ends[place][when as usize] == End::Captured {
                sighted.places.push(place);
                sighted.best = Some(sighted.best.map_or(seen, |best| best.or_better(seen)));
                sighted.earliest = sighted.earliest.min(seen.found_at);
            }
        }
        sighted.places.sort_unstable();
        sighted.places.dedup();
        sighted
    }

    /// What follows from the pages that show a signal in one month, where none does in the other.
    fn judge(&self, showing: &[usize], when: When, other_was_whole: bool, previous: Option<&str>) -> Verdict {
        let other = when.other();
        if other == When::Before && !self.is_covered(other) {
            return Verdict::unknown("no earlier look".to_owned());
        }
        let ends = || showing.iter().map(|&place| self.ends[place][other as usize]);
        let compared = ends().filter(|end| *end == End::Captured).count();
        let words = Words::of(when, previous);
        if compared == 0 {
            return Verdict::unknown(words.nothing_compared(&why_missed(ends())));
        }
        let kind = if when == When::Now { Kind::Added } else { Kind::Dropped };
        let all = compared == showing.len();
        let certainty = if all && other_was_whole { Certainty::Certain } else { Certainty::Likely };
        let mut reason = words.compared(compared, showing.len());
        if all && !other_was_whole {
            reason.push_str("; other pages of the site were missed");
        }
        Verdict { kind, certainty, reason }
    }
}

/// Where a signal was seen on pages that were captured.
struct Sighted<'a> {
    places: Vec<usize>,
    best: Option<Seen<'a>>,
    earliest: Moment,
}

/// How a reason is put.
struct Words {
    /// One page and several, with what they do.
    page: &'static str,
    pages: &'static str,
    other_month: String,
    otherwise: [&'static str; 2],
}

impl Words {
    fn of(when: When, previous: Option<&str>) -> Words {
        match when {
            When::Now => Words {
                page: "page that shows it",
                pages: "pages that show it",
                other_month: previous.map_or_else(|| "before".to_owned(), |month| format!("in {month}")),
                otherwise: ["did not", "did not"],
            },
            When::Before => Words {
                page: "page that showed it",
                pages: "pages that showed it",
                other_month: "this month".to_owned(),
                otherwise: ["does not", "do not"],
            },
        }
    }

    fn nothing_compared(&self, missed: &str) -> String {
        format!("no {} was captured {} ({missed})", self.page, self.other_month)
    }

    fn compared(&self, compared: usize, all: usize) -> String {
        let Words { page, pages, other_month, otherwise: [one, several] } = self;
        match (compared, all) {
            (1, 1) => format!("the {page} was captured {other_month} and {one}"),
            (1, _) => format!("1 of {all} {pages} was captured {other_month} and {one}"),
            (some, _) if some == all => {
                format!("all {all} {pages} were captured {other_month} and {several}")
            }
            (some, _) => format!("{some} of {all} {pages} were captured {other_month} and {several}"),
        }
    }
}

struct Verdict {
    kind: Kind,
    certainty: Certainty,
    reason: String,
}

impl Verdict {
    fn kept() -> Verdict {
        let reason = "seen in both months".to_owned();
        Verdict { kind: Kind::Kept, certainty: Certainty::Certain, reason }
    }

    fn unknown(reason: String) -> Verdict {
        Verdict { kind: Kind::Unknown, certainty: Certainty::Unknown, reason }
    }

    fn with_doubt(self, signal: i64, doubt: Option<&Doubt>) -> Verdict {
        let Some(doubt) = doubt.filter(|_| self.kind != Kind::Unknown) else { return self };
        let reason = format!("{}; {}", self.reason, doubt.reason);
        if self.kind != Kind::Kept && doubt.other_rules.contains(&signal) {
            return Verdict::unknown(reason);
        }
        Verdict { certainty: self.certainty.min(Certainty::Likely), reason, ..self }
    }
}

/// Why pages were not captured, the most frequent reason first.
fn why_missed<'a>(ends: impl Iterator<Item = End<'a>>) -> String {
    let mut counts = BTreeMap::<&str, usize>::new();
    for end in ends {
        let word = match end {
            End::NotListed => "not on the list",
            End::Missed(detail) => detail,
            End::Captured => continue,
        };
        *counts.entry(word).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(word, count)| (std::cmp::Reverse(count), word));
    counts.iter().map(|(word, count)| format!("{word} {count}")).collect::<Vec<_>>().join(", ")
}
