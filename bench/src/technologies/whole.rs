//! Who reads technologies faster, and by how much?

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{
    contest::{BareAutomaton, BareGrams, Reads, Whole, time},
    pages::Captures,
    peers::{PEERS, Peer, Round},
    rules::{Definition, Loaded, peer_sees, wappalyzer_folder},
};
use crate::{
    clients::Programs,
    machine,
    table::{grouped, markdown, median},
};

/// What the comparison is asked for.
#[derive(Debug, Clone, clap::Args)]
pub struct RaceArgs {
    /// Real pages: a folder or a `.tar.zst`, with a `manifest.json` that names their addresses [default: pages made of our
    /// own examples]
    #[arg(long, value_name = "PATH")]
    pub pages: Option<PathBuf>,
    /// Fingerprints in the open Wappalyzer format: a folder or a `.tar.zst` [default: none, and then no peers]
    #[arg(long, value_name = "PATH")]
    pub wappalyzer: Option<PathBuf>,
    /// How often each reader goes round; the median counts
    #[arg(long, default_value_t = 3)]
    pub repetitions: usize,
    /// No peers, or only those that are named
    #[arg(long, value_delimiter = ',', value_name = "NAMES", num_args = 0..)]
    pub peers: Option<Vec<String>>,
    /// The core to run on
    #[arg(long, default_value_t = 0)]
    pub core: usize,
}

/// One row of the table, as its rounds are gathered.
struct Row {
    label: String,
    load_ms: Option<f64>,
    rounds: Vec<Round>,
    /// The row with the bare search for the same literals.
    bare: Option<usize>,
    is_peer: bool,
}

/// Lets everyone read the pages in turn, several times, and prints the table.
///
/// # Errors
/// If pages or fingerprints cannot be read, or a peer fails.
pub fn run(args: &RaceArgs, own: &Path) -> Result<()> {
    let work = tempfile::tempdir()?;
    let (pack, examples) = Definition::own()?;
    let captures = Captures::open(args.pages.as_deref(), &examples, work.path())?;
    let rules_folder =
        args.wappalyzer.as_deref().map(|path| wappalyzer_folder(path, work.path())).transpose()?;
    let mut sets = vec![("our own pack", pack)];
    if let Some(folder) = &rules_folder {
        let imported = Definition::imported(folder)?;
        sets.push(("the same parts as rswappalyzer", imported.only(peer_sees)));
        sets.push(("the imported set", imported));
    }
    let loaded: Vec<(&str, Loaded)> =
        sets.iter().map(|(name, set)| Ok((*name, set.load()?))).collect::<Result<_>>()?;
    let (mut rows, mut readers) = contestants(&loaded)?;
    let programs = Programs::beside(own, args.core);
    let peers = if rules_folder.is_some() { wanted_peers(args, &programs) } else { Vec::new() };
    let first_peer = rows.len();
    rows.extend(peers.iter().map(|peer| Row {
        label: format!("{}, {}", peer.name, peer.data),
        load_ms: None,
        rounds: Vec::new(),
        bare: None,
        is_peer: true,
    }));
    for reader in &mut readers {
        time(reader.as_mut(), &captures);
    }
    for repetition in 1..=args.repetitions {
        eprintln!("round {repetition} of {}", args.repetitions);
        for (row, reader) in rows.iter_mut().zip(&mut readers) {
            row.rounds.push(time(reader.as_mut(), &captures));
        }
        for (row, peer) in rows[first_peer..].iter_mut().zip(&peers) {
            let rules = rules_folder.as_deref().context("peers need fingerprints")?;
            let run = peer.read(&programs, rules, &captures, 1)?;
            row.load_ms.get_or_insert(run.load_ms);
            row.rounds.extend(run.rounds);
        }
    }
    print!("{}", machine::lines(work.path(), "bench/technologies"));
    println!(
        "- {} pages, {:.1} MB; one thread; median of {}\n",
        grouped(captures.pages.len() as u64),
        captures.bytes() as f64 / 1e6,
        args.repetitions
    );
    print!("{}", lay_out(&rows));
    Ok(())
}

/// Something that reads technologies off pages.
type Contestant<'a> = Box<dyn Reads + 'a>;

/// The rows of what runs in this process, and what runs them.
fn contestants<'a>(loaded: &'a [(&str, Loaded)]) -> Result<(Vec<Row>, Vec<Contestant<'a>>)> {
    let (mut rows, mut readers) = (Vec::new(), Vec::<Box<dyn Reads>>::new());
    let row = |label: String, load_ms, bare| Row { label, load_ms, rounds: Vec::new(), bare, is_peer: false };
    for (name, Loaded { rules, read, prepare }) in loaded {
        let load = (*read + *prepare).as_secs_f64() * 1e3;
        let place = rows.len();
        rows.push(row(format!("canvass, {name}"), Some(load), Some(place + 1)));
        readers.push(Box::new(Whole::new(rules)));
        rows.push(row(format!("bare grams, {name}"), None, None));
        readers.push(Box::new(BareGrams::new(rules)));
        rows.push(row(format!("bare aho-corasick, {name}"), None, Some(place + 1)));
        readers.push(Box::new(BareAutomaton::new(rules)?));
    }
    Ok((rows, readers))
}

fn wanted_peers(args: &RaceArgs, programs: &Programs) -> Vec<&'static Peer> {
    let wanted =
        |peer: &&Peer| args.peers.as_ref().is_none_or(|names| names.iter().any(|name| name == peer.name));
    PEERS
        .iter()
        .filter(wanted)
        .filter(|peer| {
            let is_there = peer.is_available(programs);
            if !is_there {
                eprintln!("{} is not available; bench/peers/install gets it", peer.name);
            }
            is_there
        })
        .collect()
}

fn lay_out(rows: &[Row]) -> String {
    let rate = |row: &Row| median(row.rounds.iter().map(|round| round.bytes as f64 / round.seconds));
    let best_peer = rows.iter().filter(|row| row.is_peer).filter_map(rate).max_by(f64::total_cmp);
    let header =
        ["reader", "pages/s", "min – max", "MB/s", "worst page ms", "ready in ms", "× bare", "× best peer"];
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let pages = || row.rounds.iter().map(|round| round.pages as f64 / round.seconds);
            let (low, high) = (pages().fold(f64::MAX, f64::min), pages().fold(0.0, f64::max));
            let bare = row.bare.and_then(|bare| rows.get(bare)).and_then(rate);
            vec![
                row.label.clone(),
                or_dash(median(pages()).map(few)),
                format!("{} – {}", few(low), few(high)),
                or_dash(rate(row).map(|rate| few(rate / 1e6))),
                or_dash(median(row.rounds.iter().map(|round| round.worst_ms)).map(few)),
                or_dash(row.load_ms.map(few)),
                or_dash(rate(row).zip(bare).map(|(rate, bare)| format!("{:.2}", rate / bare))),
                or_dash(rate(row).zip(best_peer).map(|(rate, best)| format!("{:.1}", rate / best))),
            ]
        })
        .collect();
    markdown(&header, &lines)
}

/// A number with as many digits as say something.
fn few(number: f64) -> String {
    if number < 10.0 { format!("{number:.1}") } else { grouped(number.round() as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_to_the_bare_search_for_the_same_and_to_the_fastest_peer() {
        let row = |label: &str, seconds: f64, bare, is_peer| Row {
            label: label.to_owned(),
            load_ms: Some(12.0),
            rounds: vec![Round { pages: 100, bytes: 10_000_000, seconds, worst_ms: 3.5 }],
            bare,
            is_peer,
        };
        let rows = [
            row("canvass", 0.2, Some(1), false),
            row("bare", 0.1, None, false),
            row("quick", 2.0, None, true),
            row("slow", 20.0, None, true),
        ];
        let table = lay_out(&rows);
        let line = |label: &str| {
            let line = table.lines().find(|line| line.contains(label)).unwrap();
            line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(line("canvass")[2..9], ["500", "500 – 500", "50", "3.5", "12", "0.50", "10.0"]);
        assert_eq!(line("slow")[2..9], ["5.0", "5.0 – 5.0", "0.5", "3.5", "12", "–", "0.1"]);
    }
}
