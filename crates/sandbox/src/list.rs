//! What does the list look like, and what is true of each of its lines?

use std::io::{self, Write};

use crate::{
    Mix, Plan, Site, TruthLine, World,
    chance::Chance,
    months,
    site::{Expect, TargetPlan},
};

/// One line of a list below its header.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A site's target, as `written` if that is another spelling of its URL.
    Target { site: usize, target: usize, written: Option<String> },
    /// Another spelling of a target that has been listed before, on `line`.
    Duplicate { site: usize, target: usize, written: String, line: u64 },
    /// A line that cannot be a target.
    Bad { key: String, written: String, reason: &'static str },
    /// Nothing.
    Blank,
}

/// Lines that no list should have, with the reason for which each is to be rejected.
const BAD_URLS: &[(&str, &str)] = &[
    ("", "empty"),
    ("   ", "empty"),
    ("ftp://files.example/readme.txt", "scheme_not_http"),
    ("mailto:office@parish.example", "scheme_not_http"),
    ("javascript:void(0)", "scheme_not_http"),
    ("a parish without a page", "no_scheme"),
    ("http://", "no_host"),
    ("http://exa mple.test/", "bad_host"),
    ("http://shop.example:99999/", "bad_port"),
    ("http://shop.example/a\u{7}b", "control_character"),
    ("http://user:secret@shop.example/", "has_credentials"),
];

/// Puts the targets of all sites into an order of chance, with noise among them if the plan wants it.
pub(crate) fn arrange(plan: &Plan, sites: &[Site]) -> Vec<Entry> {
    let mut chance = Chance::new(plan.seed, 3);
    let mut targets: Vec<(usize, usize)> = sites
        .iter()
        .flat_map(|site| (0..site.promises.targets.len()).map(|target| (site.number, target)))
        .collect();
    chance.shuffle(&mut targets);

    let mut entries: Vec<Entry> = Vec::with_capacity(targets.len() + targets.len() / 8 + 16);
    let mut bad = BAD_URLS.iter().cycle();
    for (position, &(site, target)) in targets.iter().enumerate() {
        let url = &sites[site].promises.targets[target].url;
        let written = (plan.noise && chance.below(6) == 0).then(|| respell(&sites[site], url, &mut chance));
        entries.push(Entry::Target { site, target, written });
        if !plan.noise {
            continue;
        }
        match position % 40 {
            7 => {
                let (written, reason) = bad.next().expect("a cycle has no end");
                let key = (900_000 + position).to_string();
                entries.push(Entry::Bad { key, written: (*written).to_owned(), reason });
            }
            19 | 31 => {
                let (site, target) = targets[chance.below(position + 1)];
                let url = &sites[site].promises.targets[target].url;
                let written =
                    if position % 40 == 19 { url.clone() } else { respell(&sites[site], url, &mut chance) };
                entries.push(Entry::Duplicate { site, target, written, line: 0 });
            }
            37 => entries.push(Entry::Blank),
            _ => {}
        }
    }
    if plan.noise {
        let long = format!("http://long.example/{}", "a".repeat(4_000));
        entries.push(Entry::Bad { key: "900000".to_owned(), written: long, reason: "too_long" });
    }
    number_duplicates(&mut entries, sites);
    entries
}

/// Tells each duplicate which line it repeats.
fn number_duplicates(entries: &mut [Entry], sites: &[Site]) {
    let mut lines: Vec<Vec<u64>> = sites.iter().map(|site| vec![0; site.promises.targets.len()]).collect();
    for (index, entry) in entries.iter_mut().enumerate() {
        match entry {
            Entry::Target { site, target, .. } => lines[*site][*target] = line_number(index),
            Entry::Duplicate { site, target, line, .. } => *line = lines[*site][*target],
            Entry::Bad { .. } | Entry::Blank => {}
        }
    }
}

fn line_number(index: usize) -> u64 {
    index as u64 + 2
}

/// Another spelling of `url` with the same normal form.
fn respell(site: &Site, url: &str, chance: &mut Chance) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let (host, path) = rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash));
    let port = if scheme == "https" { 443 } else { 80 };
    let join = if path.contains('?') { '&' } else { '?' };
    match chance.below(8) {
        0 => format!("{url}{join}utm_source=letter&utm_medium=email"),
        1 => format!("{url}{join}fbclid=IwAR{}", chance.below(1_000_000)),
        2 => format!("{}://{}{path}", scheme.to_uppercase(), host.to_uppercase()),
        3 => format!("{scheme}://{host}:{port}{path}"),
        4 => format!("{url}#part-{}", chance.below(9)),
        5 => format!("  {url} "),
        6 => format!("{scheme}://{host}/one/../.{path}"),
        _ => match &site.written_name {
            Some(written) if host == site.name => format!("{scheme}://{written}{path}"),
            _ => format!("{url}{join}gclid=Cj0KC,\"{}\"", chance.below(1_000)),
        },
    }
}

impl World {
    /// Writes the list as CSV (`website_id,url`), line by line, so that a list of any length takes no memory.
    ///
    /// # Errors
    /// Whatever `to` says.
    pub fn write_list(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(b"website_id,url\n")?;
        if matches!(self.plan().mix, Mix::Uniform { .. }) {
            return self.write_uniform_list(to);
        }
        for entry in self.entries() {
            let (key, url) = match entry {
                Entry::Blank => {
                    to.write_all(b"\n")?;
                    continue;
                }
                Entry::Bad { key, written, .. } => (key.clone(), written.as_str()),
                Entry::Duplicate { site, written, .. } => (self.sites()[*site].key(), written.as_str()),
                Entry::Target { site, target, written } => {
                    let site = &self.sites()[*site];
                    (site.key(), written.as_deref().unwrap_or(&site.promises.targets[*target].url))
                }
            };
            write_record(to, &key, url)?;
        }
        Ok(())
    }

    /// Page by page through all sites, so that neighbours in the list have different hosts.
    fn write_uniform_list(&self, to: &mut impl Write) -> io::Result<()> {
        let mut record = Vec::with_capacity(128);
        for page in 0..self.uniform_pages() {
            for site in self.sites() {
                record.clear();
                writeln!(record, "{},http://{}/p/{page}", site.number + 1, site.name)?;
                to.write_all(&record)?;
            }
        }
        Ok(())
    }

    /// The truth about every line of the list that is not blank, one after the other.
    pub fn truth_lines(&self) -> impl Iterator<Item = TruthLine> {
        let pages = if matches!(self.plan().mix, Mix::Uniform { .. }) { self.uniform_pages() } else { 0 };
        let uniform = (0..pages).flat_map(move |page| {
            self.sites().iter().map(move |site| {
                let line = (page * self.sites().len() + site.number) as u64 + 2;
                let url = site.url(&format!("/p/{page}"));
                target_truth(site, &TargetPlan { url, expect: Expect::captured() }, None, line)
            })
        });
        let arranged = self
            .entries()
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| self.truth_of(entry, line_number(index)));
        uniform.chain(arranged)
    }

    fn truth_of(&self, entry: &Entry, line: u64) -> Option<TruthLine> {
        match entry {
            Entry::Blank => None,
            Entry::Target { site, target, written } => {
                let site = &self.sites()[*site];
                let target = &site.promises.targets[*target];
                let products =
                    if self.plan().technographics { months::products_of(site, target) } else { None };
                Some(TruthLine { products, ..target_truth(site, target, written.clone(), line) })
            }
            Entry::Duplicate { site, target, written, line: first } => {
                let site = &self.sites()[*site];
                let url = site.promises.targets[*target].url.clone();
                Some(TruthLine {
                    site: site.name.clone(),
                    behaviour: Some(site.behaviour),
                    written: (*written != url).then(|| written.clone()),
                    duplicate_of: Some(*first),
                    ..bare_truth(line, site.key(), url, "duplicate", "duplicate")
                })
            }
            Entry::Bad { key, written, reason } => {
                Some(bare_truth(line, key.clone(), written.clone(), "rejected", reason))
            }
        }
    }
}

fn target_truth(site: &Site, target: &TargetPlan, written: Option<String>, line: u64) -> TruthLine {
    let Expect { outcome, status, final_url, charset, truncated, needs_browser, page } = &target.expect;
    TruthLine {
        written,
        site: site.name.clone(),
        behaviour: Some(site.behaviour),
        status: *status,
        final_url: final_url.clone(),
        charset: charset.map(str::to_owned),
        truncated: *truncated,
        needs_browser: *needs_browser,
        page: page.as_deref().map(|path| site.organisation().page(path)),
        ..bare_truth(line, site.key(), target.url.clone(), outcome.name(), outcome.detail_name())
    }
}

fn bare_truth(line: u64, key: String, url: String, disposition: &str, detail: &str) -> TruthLine {
    TruthLine {
        line,
        key,
        url,
        written: None,
        site: String::new(),
        behaviour: None,
        disposition: disposition.to_owned(),
        detail: detail.to_owned(),
        status: None,
        final_url: None,
        charset: None,
        truncated: false,
        needs_browser: false,
        duplicate_of: None,
        page: None,
        products: None,
    }
}

fn write_record(to: &mut impl Write, key: &str, url: &str) -> io::Result<()> {
    if url.contains([',', '"', '\n', '\r']) {
        writeln!(to, "{key},\"{}\"", url.replace('"', "\"\""))
    } else {
        writeln!(to, "{key},{url}")
    }
}
