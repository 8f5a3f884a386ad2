//! canvass accounts: which organisations are there, and which sites are theirs?

mod lines;

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use catalog::{
    Catalog,
    accounts::{self, AccountRow, AccountSite},
};
use domain::Moment;
use serde_json::json;

use super::{
    print_json,
    table::{counted, cut, grouped},
};
use crate::{clock::Clock, exit::Exit, jobs::open_catalog, settings::Settings};
use lines::{AccountLine, AccountLines};

/// How many lines go into one transaction.
const BATCH: usize = 1_000;
/// How many bad lines are told by number.
const TOLD: usize = 20;
/// How a link is known that a file says.
const SOURCE: &str = "file";

/// The `accounts` commands.
#[derive(Debug, clap::Subcommand)]
pub enum AccountsCommand {
    /// Load accounts and their sites from a CSV file
    ///
    /// Columns are found by their names: account_id and name must be there; website_id, website, street, city, region,
    /// postcode and country may be. website_id is the key of the site in the crawled list; an account with several
    /// sites has a line for each. Loading again updates what changed and removes nothing. Lines that are no accounts
    /// are named and passed over.
    /// Exits with 0 if every line was taken, with 1 if not.
    Load(LoadArgs),
    /// List accounts with their sites
    List(ListArgs),
}

/// What `canvass accounts load` is asked for.
#[derive(Debug, clap::Args)]
pub struct LoadArgs {
    /// The CSV file
    #[arg(value_name = "FILE.csv")]
    pub file: PathBuf,
    /// Print the counts as JSON
    #[arg(long)]
    pub json: bool,
}

/// What `canvass accounts list` is asked for.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Only accounts behind this id
    #[arg(long, value_name = "ID")]
    pub after: Option<String>,
    /// How many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50)]
    pub limit: u32,
    /// Print the accounts as JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs one of the `accounts` commands.
pub async fn accounts(command: &AccountsCommand, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let catalog = open_catalog(&settings.storage).await?;
    match command {
        AccountsCommand::Load(args) => load(args, &catalog, out).await,
        AccountsCommand::List(args) => list(args, &catalog, out).await,
    }
}

/// What became of the lines of a file.
#[derive(Debug, Default)]
struct Tally {
    lines: u64,
    changed_accounts: u64,
    changed_links: u64,
    bad: u64,
    first_bad: Vec<(u64, String)>,
}

async fn load(args: &LoadArgs, catalog: &Catalog, out: &mut dyn Write) -> Result<Exit> {
    let tally = load_file(&args.file, catalog, Clock::start().now()).await?;
    let Tally { lines, changed_accounts, changed_links, bad, first_bad } = &tally;
    if args.json {
        let told: Vec<_> =
            first_bad.iter().map(|(line, problem)| json!({ "line": line, "problem": problem })).collect();
        print_json(
            out,
            &json!({
                "lines": lines, "changed_accounts": changed_accounts, "changed_sites": changed_links,
                "bad_lines": bad, "first_bad_lines": told,
            }),
        )?;
    } else {
        writeln!(
            out,
            "{}: {}; new or changed: {}, {}",
            args.file.display(),
            counted(*lines, "line"),
            counted(*changed_accounts, "account"),
            counted(*changed_links, "site")
        )?;
        if *bad > 0 {
            writeln!(out, "{} passed over:", counted(*bad, "line"))?;
        }
        for (line, problem) in first_bad {
            writeln!(out, "  line {line}: {problem}")?;
        }
        let more = bad - first_bad.len() as u64;
        if more > 0 {
            writeln!(out, "  and {} more", grouped(more))?;
        }
    }
    Ok(if *bad == 0 { Exit::Done } else { Exit::Findings })
}

async fn load_file(path: &Path, catalog: &Catalog, now: Moment) -> Result<Tally> {
    let named = || format!("cannot read {}", path.display());
    let mut lines = AccountLines::new(File::open(path).with_context(named)?).with_context(named)?;
    let mut tally = Tally::default();
    loop {
        let (mut rows, mut links) = (Vec::new(), Vec::new());
        while rows.len() < BATCH {
            let Some((number, line)) = lines.next().with_context(named)? else { break };
            tally.lines += 1;
            match line {
                Ok(AccountLine { account, site }) => {
                    links.extend(site.map(|site| AccountSite {
                        account: account.id.clone(),
                        site,
                        source: SOURCE.to_owned(),
                        confidence: 100,
                    }));
                    rows.push(account);
                }
                Err(problem) => {
                    tally.bad += 1;
                    if tally.first_bad.len() < TOLD {
                        tally.first_bad.push((number, problem));
                    }
                }
            }
        }
        if rows.is_empty() {
            return Ok(tally);
        }
        tally.changed_accounts += accounts::load(catalog, &rows, now).await?;
        tally.changed_links += accounts::link(catalog, &links, now).await?;
    }
}

async fn list(args: &ListArgs, catalog: &Catalog, out: &mut dyn Write) -> Result<Exit> {
    let rows = accounts::list(catalog, args.after.as_deref(), i64::from(args.limit)).await?;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let sites = accounts::sites_of(catalog, &row.id).await?;
        found.push((row, sites));
    }
    if args.json {
        let row_json = |(account, sites): &(AccountRow, Vec<AccountSite>)| {
            let AccountRow { id, name, website, street, city, region, postcode, country } = account;
            let sites: Vec<_> = sites
                .iter()
                .map(
                    |link| json!({ "site": link.site, "source": link.source, "confidence": link.confidence }),
                )
                .collect();
            json!({
                "account_id": id, "name": name, "website": website, "street": street, "city": city,
                "region": region, "postcode": postcode, "country": country, "sites": sites,
            })
        };
        print_json(out, &found.iter().map(row_json).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        let hint = if args.after.is_some() { "no account behind that" } else { "no accounts yet" };
        writeln!(out, "{hint}; load some with `canvass accounts load FILE.csv`")?;
        return Ok(Exit::Done);
    }
    writeln!(out, "{:<14} {:<28} {:<20} sites", "account", "name", "place")?;
    for (account, sites) in &found {
        let place = [&account.city, &account.region].into_iter().filter(|text| !text.is_empty());
        let place = place.cloned().collect::<Vec<_>>().join(", ");
        let keys: Vec<&str> = sites.iter().map(|link| link.site.as_str()).collect();
        let line = format!(
            "{:<14} {:<28} {:<20} {}",
            cut(&account.id, 14),
            cut(&account.name, 28),
            cut(&place, 20),
            cut(&keys.join(" "), 15)
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    if let Some((last, _)) = found.last()
        && found.len() == args.limit as usize
    {
        writeln!(out, "more: `canvass accounts list --after {}`", last.id)?;
    }
    Ok(Exit::Done)
}
