//! Do signals speak only of signals that are there, and not in circles?

use std::collections::{HashMap, HashSet};

use readers::technologies::Signal;

use super::Lint;

impl Lint<'_> {
    pub(super) fn check_relations(&mut self, known: &HashSet<String>) {
        let places: HashMap<&str, usize> =
            self.signals.iter().enumerate().map(|(place, signal)| (signal.name.as_str(), place)).collect();
        let seen: HashSet<&str> = self.fingerprints.iter().map(|one| one.signal.as_str()).collect();
        let implied: HashSet<&str> =
            self.signals.iter().flat_map(|one| &one.implies).map(|one| one.signal.as_str()).collect();
        let mut findings = Vec::new();
        for (place, signal) in self.signals.iter().enumerate() {
            let name = signal.name.as_str();
            for (field, other) in others(signal) {
                let unknown = !places.contains_key(other) && !known.contains(other);
                if other == name {
                    findings.push((place, format!("the signal names itself in `{field}`")));
                } else if unknown && !self.unread {
                    // a signal of a file that could not be read would be missed here for nothing
                    findings.push((place, format!("`{field}` names `{other}`, and there is no such signal")));
                }
            }
            if let Some(both) = signal.implies.iter().find(|one| signal.excludes.contains(&one.signal)) {
                findings.push((place, format!("the signal both implies and excludes `{}`", both.signal)));
            }
            if !seen.contains(name) && !implied.contains(name) {
                findings.push((place, "the signal has no fingerprint, and nothing implies it".to_owned()));
            }
        }
        let requires: Vec<Vec<usize>> = self
            .signals
            .iter()
            .map(|signal| {
                signal.requires.iter().filter_map(|name| places.get(name.as_str()).copied()).collect()
            })
            .collect();
        if let Some(circle) = circle(&requires) {
            let names: Vec<&str> = circle.iter().map(|place| self.signals[*place].name.as_str()).collect();
            findings.push((circle[0], format!("`requires` goes in a circle: {}", names.join(" → "))));
        }
        for (place, problem) in findings {
            let key = self.signals[place].name.clone();
            self.tell(self.origins.signals[place], &key, problem);
        }
    }
}

fn others(signal: &Signal) -> impl Iterator<Item = (&'static str, &str)> {
    let implies = signal.implies.iter().map(|one| ("implies", one.signal.as_str()));
    let requires = signal.requires.iter().map(|name| ("requires", name.as_str()));
    let excludes = signal.excludes.iter().map(|name| ("excludes", name.as_str()));
    implies.chain(requires).chain(excludes)
}

/// A way that ends where it began, if there is one. A signal alone is told apart, so a step to itself is no way.
fn circle(steps: &[Vec<usize>]) -> Option<Vec<usize>> {
    let steps: Vec<Vec<usize>> = steps
        .iter()
        .enumerate()
        .map(|(from, to)| to.iter().copied().filter(|to| *to != from).collect())
        .collect();
    let mut left: Vec<usize> = steps.iter().map(Vec::len).collect();
    let mut back = vec![Vec::new(); steps.len()];
    for (from, to) in steps.iter().enumerate() {
        to.iter().for_each(|to: &usize| back[*to].push(from));
    }
    // whatever leads nowhere is taken away, again and again; what stays leads round for ever
    let mut ends: Vec<usize> = (0..steps.len()).filter(|place| left[*place] == 0).collect();
    while let Some(end) = ends.pop() {
        for from in &back[end] {
            left[*from] -= 1;
            if left[*from] == 0 {
                ends.push(*from);
            }
        }
    }
    let mut way = vec![left.iter().position(|steps| *steps > 0)?];
    loop {
        let here = way[way.len() - 1];
        let next = *steps[here].iter().find(|next| left[**next] > 0)?;
        if let Some(start) = way.iter().position(|place| *place == next) {
            way.drain(..start);
            way.push(next);
            return Some(way);
        }
        way.push(next);
    }
}
