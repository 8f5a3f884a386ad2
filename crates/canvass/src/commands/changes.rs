//! canvass changes: what did sites add and drop, and who uses a second vendor?

use std::io::Write;

use anyhow::{Context, Result, bail};
use catalog::{
    Catalog,
    changes::{ListedDual, list_dual_vendors},
    findings::{self, MonthRow},
    matches,
};
use serde_json::{Value as Json, json};

use super::table::{counted, cut, grouped};
use crate::{
    clock::Clock,
    exit::Exit,
    jobs::{
        changes::{self, ChangesPlan, ChangesReport, Counts, Sighting, Sure},
        open_catalog,
    },
    month::Month,
    round::{RoundFolder, find_round},
    settings::Settings,
};

/// The summary tells so many second vendors; `--dual` tells all.
const TOLD: usize = 20;
const ROWS_AT_ONCE: i64 = 500;

/// What `canvass changes` is asked for.
///
/// Compares each site with the last earlier month in which one of its pages was captured, page by page. A page that
/// failed says nothing: a technology is not dropped because its page failed this month, nor added because it failed
/// then. Where that leaves no page to compare, the answer is `unknown`; where only some are left, it is `likely`.
///
/// Then the sites of each account are looked at together: an account has a second vendor if products of two vendors are
/// seen this month in a category where one is the rule. A site that belongs to no account (`canvass accounts load`)
/// stands for itself, as the account `site:` and its key.
///
/// If the rules changed since a month was read, its segments are read again first, so that a changed rule is no changed
/// site. Run it again whenever you like: each answer is replaced by the same answer.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ChangesArgs {
    /// The month (`2026-11`) [default: the newest with findings]
    #[arg(long, value_name = "YYYY-MM")]
    pub month: Option<Month>,
    /// Only list the accounts with a second vendor, as the last comparison found them
    #[arg(long)]
    pub dual: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// Compares a month with what was there before, and names the accounts with a second vendor.
pub async fn changes(args: &ChangesArgs, settings: Settings, out: &mut dyn Write) -> Result<Exit> {
    let clock = Clock::start();
    let catalog = open_catalog(&settings.storage).await?;
    let (month, row) = choose_month(&catalog, args.month.as_ref()).await?;
    if args.dual {
        print_dual_vendors(&catalog, &month, args.json, out).await?;
        return Ok(Exit::Done);
    }
    let Some((rules, _)) = catalog::rules::active(&catalog).await? else {
        bail!("there are no fingerprints yet: run `canvass fingerprints load`");
    };
    let plan = ChangesPlan {
        folder: folder_of(&catalog, &month, &settings).await?,
        month,
        rule_set: rules.version,
        sites: u64::try_from(row.sites).unwrap_or(0),
        settings,
        quiet: args.quiet,
    };
    let report = changes::run(plan, catalog.clone(), clock).await?;
    print_report(&catalog, &report, args.json, out).await?;
    Ok(report.outcome.exit)
}

/// The month that was asked for, or the newest, if there are findings of it.
async fn choose_month(catalog: &Catalog, asked: Option<&Month>) -> Result<(Month, MonthRow)> {
    let mut months = findings::months(catalog).await?;
    // a month in which nothing could be captured has its answer too: unknown
    months.retain(|row| row.sites > 0);
    let known: Vec<String> = months.iter().map(|row| row.month.clone()).collect();
    let chosen = match asked {
        Some(month) => months.into_iter().find(|row| row.month == month.as_str()),
        None => months.pop(),
    };
    match (chosen, asked) {
        (Some(row), _) => Ok((row.month.parse().map_err(anyhow::Error::msg)?, row)),
        (None, Some(month)) if !known.is_empty() => {
            bail!("there are no findings of {month}, but of {}", known.join(", "))
        }
        _ => bail!("there are no findings yet: run `canvass process`, then `canvass aggregate`"),
    }
}

/// The newest round of the month that is still there.
async fn folder_of(catalog: &Catalog, month: &Month, settings: &Settings) -> Result<RoundFolder> {
    let data_dir = &settings.storage.data_dir;
    for round in matches::rounds_of_month(catalog, month.as_str()).await?.into_iter().rev() {
        let folder = RoundFolder::new(data_dir, round.parse()?);
        if folder.exists() {
            return Ok(folder);
        }
    }
    find_round(data_dir, None)
}

/// Prints how comparing went.
pub async fn print_report(
    catalog: &Catalog,
    report: &ChangesReport,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let ChangesReport { month, rule_set, counts, outcome } = report;
    if as_json {
        let head = json!({
            "month": month.as_str(), "rule_set": rule_set, "counts": counts, "status": outcome.status.name(),
            "outcome": outcome.words, "exit_code": outcome.exit as u8,
        });
        return print_json_with_dual_vendors(catalog, month, head, out).await;
    }
    writeln!(out, "{month}, read with rule set {rule_set}: {}", outcome.words)?;
    write!(out, "{}", table_of(counts))?;
    if counts.dual_vendors == 0 {
        writeln!(out, "\nNo account uses a second vendor where one is the rule.")?;
        return Ok(());
    }
    let (all, new) = (grouped(counts.dual_vendors), grouped(counts.new_dual_vendors));
    writeln!(out, "\nSecond vendors where one is the rule: {all}, of which {new} are new")?;
    let told_here = newest_first(catalog, month).await?;
    for dual in &told_here {
        write!(out, "{}", told(dual)?)?;
    }
    let more = counts.dual_vendors.saturating_sub(told_here.len() as u64);
    if more > 0 {
        writeln!(out, "\nand {} more: `canvass changes --month {month} --dual`", grouped(more))?;
    }
    Ok(())
}

/// As many second vendors as a summary tells: those that came this month, then the others.
async fn newest_first(catalog: &Catalog, month: &Month) -> Result<Vec<ListedDual>> {
    let (mut new, mut others) = (Vec::new(), Vec::new());
    let mut last = None;
    while new.len() < TOLD {
        let page = next_page(catalog, month, last.as_ref()).await?;
        let Some(end) = page.last() else { break };
        last = Some(end.clone());
        for dual in page {
            let kept = if dual.dual.is_new { &mut new } else { &mut others };
            if kept.len() < TOLD {
                kept.push(dual);
            }
        }
    }
    new.extend(others);
    new.truncate(TOLD);
    Ok(new)
}

fn table_of(counts: &Counts) -> String {
    let Counts {
        sites,
        sites_not_captured,
        sites_without_earlier_look,
        added,
        dropped,
        kept,
        unknown,
        dual_vendors: _,
        new_dual_vendors: _,
    } = counts;
    let sure = |sure: &Sure| {
        format!(
            "{:>12}  certain {}, likely {}",
            grouped(sure.all()),
            grouped(sure.certain),
            grouped(sure.likely)
        )
    };
    let missed = match sites_not_captured {
        0 => String::new(),
        missed => format!(", {} of them not captured", grouped(*missed)),
    };
    let first = match sites_without_earlier_look {
        0 => String::new(),
        first => format!(", {} for the first time", grouped(*first)),
    };
    format!(
        "  sites      {:>12}{missed}{first}\n  kept       {:>12}\n  added      {}\n  dropped    {}\n  unknown    {:>12}\n",
        grouped(*sites),
        grouped(*kept),
        sure(added),
        sure(dropped),
        grouped(*unknown),
    )
}

/// Prints every account with a second vendor, page by page: there may be many.
async fn print_dual_vendors(
    catalog: &Catalog,
    month: &Month,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<()> {
    if as_json {
        return print_json_with_dual_vendors(catalog, month, json!({ "month": month.as_str() }), out).await;
    }
    let mut all = 0;
    let mut page = next_page(catalog, month, None).await?;
    while let Some(last) = page.last() {
        for dual in &page {
            write!(out, "{}", told(dual)?)?;
        }
        all += page.len() as u64;
        page = next_page(catalog, month, Some(last)).await?;
    }
    match all {
        0 => writeln!(out, "{month}: no account uses a second vendor, or nothing was compared yet")?,
        all => writeln!(out, "\n{month}: {}", counted(all, "second vendor"))?,
    }
    Ok(())
}

/// Prints an object with the list behind its own fields. The list is written row by row, since it may be long.
async fn print_json_with_dual_vendors(
    catalog: &Catalog,
    month: &Month,
    head: Json,
    out: &mut dyn Write,
) -> Result<()> {
    let head = serde_json::to_string_pretty(&head)?;
    let open = head.strip_suffix("\n}").context("an object ends with a brace")?;
    write!(out, "{open},\n  \"dual_vendors\": [")?;
    let mut separator = "";
    let mut page = next_page(catalog, month, None).await?;
    while let Some(last) = page.last() {
        for dual in &page {
            write!(out, "{separator}\n    {}", as_json(dual))?;
            separator = ",";
        }
        page = next_page(catalog, month, Some(last)).await?;
    }
    writeln!(out, "{}]\n}}", if separator.is_empty() { "" } else { "\n  " })?;
    Ok(())
}

async fn next_page(catalog: &Catalog, month: &Month, last: Option<&ListedDual>) -> Result<Vec<ListedDual>> {
    let after =
        last.map(|last| (last.dual.account.as_str(), last.dual.category.as_str(), last.second.as_str()));
    Ok(list_dual_vendors(catalog, month.as_str(), after, ROWS_AT_ONCE).await?)
}

fn as_json(listed: &ListedDual) -> Json {
    let ListedDual { dual, account_name, category_title, first, first_vendor, second, second_vendor } =
        listed;
    json!({
        "account": dual.account, "account_name": account_name, "category": dual.category,
        "category_title": category_title,
        "first": {
            "signal": first, "vendor": first_vendor, "since": dual.first_since.to_string(),
            "evidence": dual.evidence["first"],
        },
        "second": {
            "signal": second, "vendor": second_vendor, "since": dual.second_since.to_string(),
            "evidence": dual.evidence["second"],
        },
        "is_new": dual.is_new, "certainty": dual.certainty, "rule_set": dual.rule_set,
    })
}

/// An account with a second vendor: who, what, since when, and what shows it.
fn told(listed: &ListedDual) -> Result<String> {
    let ListedDual { dual, account_name, category_title, first, second, .. } = listed;
    let name = if account_name.is_empty() {
        plain(&dual.account, 76)
    } else {
        format!("{} ({})", plain(account_name, 50), plain(&dual.account, 24))
    };
    let news = match (dual.is_new, dual.certainty.as_str()) {
        (true, "certain") => "added this month".to_owned(),
        (true, sure) => format!("added this month, {sure}"),
        (false, "unknown") => "who was first is unknown".to_owned(),
        (false, "likely") => "both were there before, likely".to_owned(),
        (false, _) => "both were there before".to_owned(),
    };
    let mut text = format!("\n  {name}\n    {}: {news}\n", plain(category_title, 40));
    let sides = [("first", first, dual.first_since), ("second", second, dual.second_since)];
    for (side, product, since) in sides {
        let sighting: Sighting = serde_json::from_value(dual.evidence[side].clone())
            .with_context(|| format!("the evidence of {} and {second} cannot be read", dual.account))?;
        let since = since.timestamp().strftime("%Y-%m-%d");
        text += &format!("    {side:<6} {:<40} since {since}\n", plain(product, 40));
        text += &format!("           {}\n", plain(&sighting.url, 68));
        text +=
            &format!("           {}: {}\n", plain(&sighting.fingerprint, 30), plain(&sighting.snippet, 36));
    }
    Ok(text)
}

/// Pages and lists say anything; a terminal gets one line without commands to it.
fn plain(text: &str, width: usize) -> String {
    let line: String = text.chars().take(4 * width).map(|c| if c.is_control() { ' ' } else { c }).collect();
    cut(line.trim(), width)
}
