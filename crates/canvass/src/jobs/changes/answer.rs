//! What can be said of a signal on a site?

use std::collections::BTreeSet;

use domain::Moment;

use super::evidence::Evidence;

/// What became of a signal on a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It is there, and was not.
    Added,
    /// It was there, and is not.
    Dropped,
    /// It was there, and is.
    Kept,
    /// One of the two months cannot tell.
    Unknown,
}

impl Kind {
    /// Its name in the catalog.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Added => "added",
            Kind::Dropped => "dropped",
            Kind::Kept => "kept",
            Kind::Unknown => "unknown",
        }
    }

    /// The kind with that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Kind> {
        [Kind::Added, Kind::Dropped, Kind::Kept, Kind::Unknown].into_iter().find(|kind| kind.name() == name)
    }
}

/// How sure an answer is; the weaker is the lesser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Nothing speaks for it.
    Unknown,
    /// A page speaks for it, and others that could speak against it are missing.
    Likely,
    /// Nothing that could speak against it is missing.
    Certain,
}

impl Certainty {
    /// Its name in the catalog.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Unknown => "unknown",
            Certainty::Likely => "likely",
            Certainty::Certain => "certain",
        }
    }

    /// The certainty with that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Certainty> {
        let all = [Certainty::Unknown, Certainty::Likely, Certainty::Certain];
        all.into_iter().find(|certainty| certainty.name() == name)
    }
}

/// What became of one signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The signal.
    pub signal: i64,
    /// What became of it.
    pub kind: Kind,
    /// How sure that is.
    pub certainty: Certainty,
    /// Why, in words.
    pub reason: String,
    /// When it was first seen on the site.
    pub since: Moment,
    /// What shows it.
    pub evidence: Evidence,
}

/// Why two months cannot be compared with certainty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// In words.
    pub reason: &'static str,
    /// The signals that were looked for in other ways then: whatever seems to have changed about them may be the rules.
    pub other_rules: BTreeSet<i64>,
}
