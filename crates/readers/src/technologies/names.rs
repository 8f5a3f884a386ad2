//! Which fingerprints look at a header, cookie or meta of this name?

use std::collections::HashMap;

/// Rules by the name that they look at; a name may hold one `*`.
#[derive(Debug, Default)]
pub(super) struct Names {
    exact: HashMap<Box<str>, Vec<u32>>,
    wild: Vec<(Box<str>, Box<str>, u32)>,
}

impl Names {
    pub(super) fn insert(&mut self, name: &str, rule: u32) {
        let name = name.to_ascii_lowercase();
        match name.split_once('*') {
            Some((start, end)) => self.wild.push((start.into(), end.into(), rule)),
            None => self.exact.entry(name.into()).or_default().push(rule),
        }
    }

    /// The rules for a name in lower case.
    pub(super) fn rules<'a>(&'a self, name: &'a str) -> impl Iterator<Item = u32> + 'a {
        let wild = self.wild.iter().filter(move |(start, end, _)| {
            name.len() >= start.len() + end.len() && name.starts_with(&**start) && name.ends_with(&**end)
        });
        self.exact.get(name).into_iter().flatten().copied().chain(wild.map(|(_, _, rule)| *rule))
    }
}
