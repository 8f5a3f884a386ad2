//! With which rules was a month read?
//!
//! A changed rule is not a changed site: before two months are compared, both are read with the rules of today, from
//! their segments. Where the segments or the matches are gone, the answers are in doubt.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use anyhow::{Context, Result};
use catalog::{
    archives, findings,
    matches::{self, ProcessedSegment},
};

use super::{answer::Doubt, ways::Ways};
use crate::{
    clock::Clock,
    jobs::{
        patience::Patience,
        process::{Reread, reread_month},
    },
    rules::ActiveRules,
    settings::Settings,
};

/// How it is known what the pages of a month showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The rules that saw it: those in force, or what each round was read with while it had segments.
    pub rule_sets: BTreeSet<i64>,
    /// Whether only the findings are left, each with one of its pages: the matches are archived.
    pub archived: bool,
}

/// Sees to it that months are read with the rules in force.
pub struct Readings<'a> {
    patience: &'a Patience,
    clock: Clock,
    settings: &'a Settings,
    rule_set: i64,
    quiet: bool,
    archived: BTreeSet<String>,
    known: BTreeMap<String, Reading>,
    /// Made ready when a month must be read again: most runs need none.
    rules: Option<Arc<ActiveRules>>,
    ways: Ways,
}

impl<'a> Readings<'a> {
    /// Months are to be read with `rule_set`.
    pub async fn new(
        patience: &'a Patience,
        clock: Clock,
        settings: &'a Settings,
        rule_set: i64,
        quiet: bool,
    ) -> Result<Readings<'a>> {
        let archived = patience.ask(async |catalog| archives::list(catalog).await).await?;
        let archived = archived.into_iter().map(|archive| archive.month).collect();
        Ok(Readings {
            patience,
            clock,
            settings,
            rule_set,
            quiet,
            archived,
            known: BTreeMap::new(),
            rules: None,
            ways: Ways::default(),
        })
    }

    /// How it is known what a month showed, after it was read again where that was needed and possible.
    pub async fn of(&mut self, month: &str) -> Result<Reading> {
        if let Some(known) = self.known.get(month) {
            return Ok(known.clone());
        }
        let reading = if self.archived.contains(month) {
            let rows = self.patience.ask(async |catalog| findings::months(catalog).await).await?;
            let row = rows.into_iter().find(|row| row.month == month).unwrap_or_default();
            Reading { rule_sets: row.rule_sets.into_iter().collect(), archived: true }
        } else {
            Reading { rule_sets: self.read(month).await?, archived: false }
        };
        self.known.insert(month.to_owned(), reading.clone());
        Ok(reading)
    }

    /// Why two months cannot be compared with certainty, if so.
    pub async fn doubt(&mut self, now: &Reading, before: &Reading) -> Result<Option<Doubt>> {
        let rule_sets: BTreeSet<i64> = now.rule_sets.union(&before.rule_sets).copied().collect();
        let reason = match (now.archived || before.archived, rule_sets.len()) {
            (true, _) => "the matches of one month are archived",
            (false, ..=1) => return Ok(None),
            (false, _) => "rules changed since and the segments are gone",
        };
        let other_rules = self.ways.differ_in(self.patience, &rule_sets).await?;
        Ok(Some(Doubt { reason, other_rules }))
    }

    /// The rules that a month is known by, after it was read again where that was needed and possible.
    async fn read(&mut self, month: &str) -> Result<BTreeSet<i64>> {
        let ledgers = self.patience.ask(async |catalog| {
            let mut ledgers = Vec::new();
            for round in matches::rounds_of_month(catalog, month).await? {
                ledgers.push(matches::processed(catalog, &round).await?);
            }
            Ok(ledgers)
        });
        let ledgers = ledgers.await?;
        let in_force = BTreeSet::from([self.rule_set]);
        if ledgers.iter().all(|ledger| was_read_with(ledger, self.rule_set)) {
            return Ok(in_force);
        }
        tracing::info!(month, rule_set = self.rule_set, "reading a month again with the rules of today");
        let rules = self.rules().await?;
        match reread_month(self.patience.handle(), self.clock, self.settings, month, &rules, self.quiet)
            .await?
        {
            Reread::Done => Ok(in_force),
            Reread::SegmentsGone { rounds: gone } => {
                let gone = gone.join(", ");
                tracing::warn!(month, rounds = gone, "segments are gone, so a month stays as it was read");
                Ok(ledgers.iter().flat_map(|ledger| best_rule_sets(ledger, self.rule_set)).collect())
            }
        }
    }

    async fn rules(&mut self) -> Result<Arc<ActiveRules>> {
        if let Some(rules) = &self.rules {
            return Ok(Arc::clone(rules));
        }
        let rules = ActiveRules::load_version(self.patience.handle().catalog(), self.rule_set).await?;
        let rules = Arc::new(rules.with_context(|| format!("rule set {} is gone", self.rule_set))?);
        self.rules = Some(Arc::clone(&rules));
        Ok(rules)
    }
}

/// Whether every segment of a round was read to its end with a rule set.
fn was_read_with(ledger: &[ProcessedSegment], rule_set: i64) -> bool {
    let read = ledger.iter().filter(|entry| entry.rule_set == rule_set && entry.finished_at.is_some());
    let read: BTreeSet<&str> = read.map(|entry| entry.sha256.as_str()).collect();
    ledger.iter().all(|entry| read.contains(entry.sha256.as_str()))
}

/// What a round was read with: the rules in force if that is so, else the newest rules that read all of it, else all.
fn best_rule_sets(ledger: &[ProcessedSegment], in_force: i64) -> Vec<i64> {
    let all: BTreeSet<i64> = ledger.iter().map(|entry| entry.rule_set).collect();
    let newest_first = [in_force].into_iter().chain(all.iter().rev().copied());
    match newest_first.into_iter().find(|rule_set| all.contains(rule_set) && was_read_with(ledger, *rule_set))
    {
        Some(best) => vec![best],
        None => all.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use domain::Moment;

    use super::*;

    fn entry(sha256: &str, rule_set: i64, finished: bool) -> ProcessedSegment {
        ProcessedSegment {
            sha256: sha256.into(),
            rule_set,
            round: "may".into(),
            segment: 1,
            records_done: 1,
            pages: 1,
            matches: 1,
            started_at: Moment(0),
            finished_at: finished.then_some(Moment(1)),
        }
    }

    #[test]
    fn a_round_was_read_with_rules_if_each_of_its_segments_was_to_its_end() {
        let ledger = [entry("a", 1, true), entry("b", 1, true), entry("a", 2, true), entry("b", 2, false)];
        assert!(was_read_with(&ledger, 1));
        assert!(!was_read_with(&ledger, 2));
        assert!(!was_read_with(&ledger[..3], 2));
        assert_eq!(best_rule_sets(&ledger, 2), [1]);
        assert_eq!(best_rule_sets(&ledger, 3), [1]);
        assert_eq!(best_rule_sets(&ledger[1..], 3), [1, 2], "none read all of it");
        let both = [entry("a", 1, true), entry("a", 2, true)];
        assert_eq!(best_rule_sets(&both, 1), [1], "the rules in force are the best");
        assert_eq!(best_rule_sets(&both, 3), [2], "then the newest");
    }
}
