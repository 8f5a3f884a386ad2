//! Who is faster, by how much, and at what cost?

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::{
    arena::{Arena, Cores, Course},
    canvass,
    clients::{CLIENTS, Client, Programs, Role},
    machine,
    table::{Sample, grouped, markdown, mebibytes, median},
};

/// What the comparison is asked for.
#[derive(Debug, Clone, clap::Args)]
pub struct RaceArgs {
    /// How many pages, rounded up to as many on every site
    #[arg(long, default_value_t = 20_000)]
    pub pages: usize,
    /// Over how many sites they spread
    #[arg(long, default_value_t = 64)]
    pub sites: usize,
    /// How large a page is before compression
    #[arg(long, default_value_t = sandbox::BENCH_PAGE_BYTES)]
    pub page_bytes: usize,
    /// How many requests each client has under way
    #[arg(long, default_value_t = 64)]
    pub connections: usize,
    /// How often each client runs; the median counts
    #[arg(long, default_value_t = 3)]
    pub repetitions: usize,
    /// Only these clients, by name, and the bare loop
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub only: Vec<String>,
    /// Only pages in gzip
    #[arg(long)]
    pub gzip_only: bool,
    /// The canvass to measure [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    pub canvass: Option<PathBuf>,
    /// Where the lists and what canvass writes go [default: the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// The cores
    #[command(flatten)]
    pub cores: Cores,
}

/// One row of the table, as its runs are gathered.
struct Row {
    label: &'static str,
    role: Option<Role>,
    /// Why there are no samples.
    absent: Option<&'static str>,
    samples: Vec<Sample>,
}

const CANVASS: &str = "canvass";
const WHOLE: &str = "canvass, whole process";
const STAGE: &str = "canvass, crawl stage";

/// Runs every client in turn, several times, and prints the tables.
///
/// # Errors
/// If a client fails or did not bring every page.
pub fn run(args: &RaceArgs, own: &Path) -> Result<()> {
    for name in &args.only {
        let known = name == CANVASS || CLIENTS.iter().any(|client| client.name == name);
        ensure!(known, "there is no client `{name}`; there are {CANVASS}, {}", names().join(", "));
    }
    let program = canvass::find(args.canvass.as_deref(), own)?;
    let programs = Programs::beside(own, args.cores.client_core);
    let root = args.dir.clone().unwrap_or_else(std::env::temp_dir);
    print!("{}", machine::describe(&root, &program));
    for gzip in [true, false].into_iter().filter(|gzip| *gzip || !args.gzip_only) {
        let course = Course {
            sites: args.sites,
            pages_per_site: args.pages.div_ceil(args.sites.max(1)),
            page_bytes: args.page_bytes,
            gzip,
            connections: args.connections,
        };
        let arena = Arena::open(course, own, args.cores.server_core, &root)?;
        let kind = if gzip { "gzip, decoded" } else { "plain" };
        println!(
            "\n### {kind}: {} pages of {} bytes, {} on the wire, {} connections, median of {}\n",
            grouped(arena.targets),
            grouped(args.page_bytes as u64),
            grouped(arena.wire_bytes),
            args.connections,
            args.repetitions,
        );
        let rows = gather(args, &arena, &programs, &program)?;
        print!("{}", lay_out(&rows));
    }
    Ok(())
}

fn names() -> Vec<&'static str> {
    CLIENTS.iter().map(|client| client.name).collect()
}

/// One run of each client after the other, then again: what slows the machine for a while slows them all.
fn gather(args: &RaceArgs, arena: &Arena, programs: &Programs, program: &Path) -> Result<Vec<Row>> {
    let wanted = |name: &str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    let row = |label, role| Row { label, role, absent: None, samples: Vec::new() };
    let mut crawled = [row(WHOLE, None), row(STAGE, None)];
    let mut others: Vec<(&Client, Row)> = CLIENTS
        .iter()
        .filter(|client| wanted(client.name) || client.role == Role::Reference)
        .map(|client| (client, row(client.name, Some(client.role))))
        .collect();
    for repetition in 1..=args.repetitions {
        for (client, row) in &mut others {
            if !client.is_available(arena, programs) {
                row.absent = Some("not available");
                continue;
            }
            eprintln!("{} ({repetition} of {})", client.name, args.repetitions);
            let (cost, pages) = client.run(arena, programs).with_context(|| client.name)?;
            row.samples.push(Sample { pages, wall: cost.wall, cpu: cost.cpu, peak_rss: Some(cost.peak_rss) });
        }
        if wanted(CANVASS) {
            eprintln!("{CANVASS} ({repetition} of {})", args.repetitions);
            let crawl = canvass::crawl(program, arena, programs.core).context(CANVASS)?;
            let stage = crawl.stages.iter().find(|stage| stage.name == "crawl").context("no crawl stage")?;
            let pages = arena.targets;
            let whole = &crawl.cost;
            let [of_whole, of_stage] = &mut crawled;
            of_whole.samples.push(Sample {
                pages,
                wall: whole.wall,
                cpu: whole.cpu,
                peak_rss: Some(whole.peak_rss),
            });
            of_stage.samples.push(Sample { pages, wall: stage.wall, cpu: stage.cpu, peak_rss: None });
        }
    }
    let mut rows: Vec<Row> = others.into_iter().map(|(_, row)| row).collect();
    // canvass stands beside what it is compared with
    let after = rows.iter().position(|row| row.role == Some(Role::Reference)).map_or(0, |at| at + 1);
    rows.splice(after..after, crawled.into_iter().filter(|_| wanted(CANVASS)));
    Ok(rows)
}

fn lay_out(rows: &[Row]) -> String {
    let middle = |row: &Row, of: fn(&Sample) -> f64| median(row.samples.iter().map(of));
    let bare = rows.iter().find(|row| row.role == Some(Role::Reference));
    let bare_rate = bare.and_then(|row| middle(row, Sample::rate));
    let bare_cpu = bare.and_then(|row| middle(row, Sample::cpu_per_thousand));
    let best_peer = rows
        .iter()
        .filter(|row| row.role == Some(Role::Crawler))
        .filter_map(|row| middle(row, Sample::rate))
        .max_by(f64::total_cmp);
    let header =
        ["client", "URLs/s", "min – max", "CPU s/1,000", "peak MiB", "× bare", "CPU × bare", "× best peer"];
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            if let Some(absent) = row.absent {
                let mut line = vec!["–".to_owned(); header.len()];
                (line[0], line[1]) = (row.label.to_owned(), absent.to_owned());
                return line;
            }
            let rate = middle(row, Sample::rate);
            let cpu = middle(row, Sample::cpu_per_thousand);
            let rates = || row.samples.iter().map(Sample::rate);
            let (low, high) = (rates().fold(f64::MAX, f64::min), rates().fold(0.0, f64::max));
            let peak =
                median(row.samples.iter().filter_map(|sample| sample.peak_rss).map(|bytes| bytes as f64));
            vec![
                row.label.to_owned(),
                or_dash(rate.map(|rate| grouped(rate as u64))),
                format!("{} – {}", grouped(low as u64), grouped(high as u64)),
                or_dash(cpu.map(|cpu| format!("{cpu:.3}"))),
                or_dash(peak.map(|bytes| mebibytes(bytes as u64))),
                or_dash(rate.zip(bare_rate).map(|(rate, bare)| format!("{:.2}", rate / bare))),
                or_dash(cpu.zip(bare_cpu).map(|(cpu, bare)| format!("{:.2}", cpu / bare))),
                or_dash(rate.zip(best_peer).map(|(rate, best)| format!("{:.2}", rate / best))),
            ]
        })
        .collect();
    markdown(&header, &lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ratios_are_to_the_bare_loop_and_to_the_fastest_crawler() {
        let row = |label, role, seconds: u64| Row {
            label,
            role,
            absent: None,
            samples: vec![Sample {
                pages: 1_000,
                wall: Duration::from_secs(seconds),
                cpu: Duration::from_secs(seconds),
                peak_rss: None,
            }],
        };
        let absent =
            Row { label: "wget2", role: Some(Role::Crawler), absent: Some("not available"), samples: vec![] };
        let rows = [
            row("bare", Some(Role::Reference), 2),
            row(WHOLE, None, 4),
            row("reqwest", Some(Role::Library), 1),
            row("spider", Some(Role::Crawler), 8),
            row("curl", Some(Role::Crawler), 10),
            absent,
        ];
        let table = lay_out(&rows);
        let line = |label: &str| {
            let line = table.lines().find(|line| line.contains(label)).unwrap();
            line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(line(WHOLE)[2..], ["250", "250 – 250", "4.000", "–", "0.50", "2.00", "2.00", ""]);
        assert_eq!(line("wget2")[2], "not available");
    }
}
