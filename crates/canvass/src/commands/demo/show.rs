//! What does the demo say in the end?

use std::{io::Write, path::Path};

use anyhow::Result;
use serde_json::{Value as Json, json};

use super::{DemoArgs, Lived, compare::DualVendor};
use crate::commands::{
    print_json,
    table::{cut, grouped},
};

/// No more than this many mistakes are told.
const TOLD: usize = 20;

/// Prints everything that was compared; the last month's numbers stand at the top.
pub(super) fn print_as_json(args: &DemoArgs, lived: &[Lived], out: &mut dyn Write) -> Result<()> {
    let months: Vec<Json> = lived.iter().map(month_as_json).collect();
    let mut all = months.last().cloned().unwrap_or_default();
    if let Some(all) = all.as_object_mut() {
        all.insert("sites".to_owned(), json!(args.sites));
        all.insert("equal_to_truth".to_owned(), json!(lived.iter().all(Lived::is_right)));
        all.insert("months".to_owned(), json!(months));
    }
    print_json(out, &all)
}

fn month_as_json(lived: &Lived) -> Json {
    let Lived {
        month,
        round,
        folder,
        ledger,
        lines,
        products,
        dual_vendors,
        dual_vendors_wrong,
        truth,
        dual_vendors_truth,
        export,
        report,
    } = lived;
    let counts: Vec<Json> = lines
        .counts
        .iter()
        .map(|((name, detail), (should, is))| {
            json!({ "disposition": name, "detail": detail, "truth": should, "found": is })
        })
        .collect();
    let wrong: Vec<&String> = lines.wrong.iter().chain(&products.wrong).chain(dual_vendors_wrong).collect();
    json!({
        "month": month, "round": round, "folder": folder, "ledger": ledger, "counts": counts,
        "products": { "found": products.found, "truth": products.truth }, "dual_vendors": dual_vendors,
        "wrong": wrong, "equal_to_truth": lived.is_right(), "export": export, "report": report,
        "truth_files": [truth, dual_vendors_truth],
    })
}

/// Prints what was compared, and names the accounts with a second vendor.
pub(super) fn print_comparison(dir: &Path, lived: &[Lived], out: &mut dyn Write) -> Result<()> {
    let Some(last) = lived.last() else { return Ok(()) };
    writeln!(out, "\n  {:<11} {:<20} {:>8} {:>8}", "ended", "as", "truth", "found")?;
    for ((name, detail), (should, is)) in &last.lines.counts {
        let mark = if should == is { "✓" } else { "✗" };
        writeln!(out, "{mark} {name:<11} {detail:<20} {:>8} {:>8}", grouped(*should), grouped(*is))?;
    }
    for month in lived {
        print_verdicts(month, out)?;
    }
    let new = last.dual_vendors.iter().filter(|dual| dual.is_new).count() as u64;
    let all = last.dual_vendors.len() as u64;
    writeln!(
        out,
        "\nAccounts with a second vendor: {}, of which {} are new (●)",
        grouped(all),
        grouped(new)
    )?;
    for dual in &last.dual_vendors {
        print_dual_vendor(dual, out)?;
    }
    let settings = dir.join("canvass.yaml");
    writeln!(out, "\nRead it:      {}", last.report.display())?;
    writeln!(out, "Take it:      {}", last.export.display())?;
    writeln!(out, "Look around:  canvass --config {} status", settings.display())?;
    Ok(())
}

fn print_verdicts(lived: &Lived, out: &mut dyn Write) -> Result<()> {
    let Lived { month, lines, products, dual_vendors, dual_vendors_wrong, truth, dual_vendors_truth, .. } =
        lived;
    writeln!(out, "\n{month}")?;
    let count: u64 = lines.counts.values().map(|(should, _)| should).sum();
    verdict(out, &lines.wrong, &format!("{} lines ended as {} says", grouped(count), truth.display()))?;
    let found = grouped(products.found);
    verdict(out, &products.wrong, &format!("{found} products on sites, exactly those that are there"))?;
    let duals = grouped(dual_vendors.len() as u64);
    let says = dual_vendors_truth.display();
    verdict(out, dual_vendors_wrong, &format!("{duals} second vendors, exactly those of {says}"))
}

fn verdict(out: &mut dyn Write, wrong: &[String], right: &str) -> Result<()> {
    if wrong.is_empty() {
        writeln!(out, "✓ {right}")?;
        return Ok(());
    }
    writeln!(out, "✗ not so: {right}")?;
    for mistake in wrong.iter().take(TOLD) {
        writeln!(out, "  ✗ {mistake}")?;
    }
    if wrong.len() > TOLD {
        writeln!(out, "  and {} more", grouped((wrong.len() - TOLD) as u64))?;
    }
    Ok(())
}

fn print_dual_vendor(dual: &DualVendor, out: &mut dyn Write) -> Result<()> {
    let DualVendor {
        account_id,
        account_name,
        category_title,
        first_product,
        second_product,
        is_new,
        category: _,
    } = dual;
    let name = if account_name.is_empty() { account_id } else { account_name };
    let mark = if *is_new { "●" } else { " " };
    let sign = if *is_new { "→" } else { "+" };
    let pair = format!("{category_title}: {first_product} {sign} {second_product}");
    writeln!(out, "{mark} {:<24} {}", cut(name, 24), cut(&pair, 53))?;
    Ok(())
}
