//! How is the page put together?

use indicatif::HumanCount;

use super::{
    gather::{Figures, share},
    html::{Text, put},
    sections,
};

/// The page: one document with its style in it.
pub fn render(figures: &Figures) -> String {
    let title = format!("What sites run: {}", month_name(&figures.month));
    let mut html = String::with_capacity(64 << 10);
    put!(
        html,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <style>\n{}</style>\n</head>\n<body>\n<main>\n",
        Text(&title),
        include_str!("style.css"),
    );
    put_head(&mut html, figures);
    sections::put_dual_vendors(&mut html, figures);
    sections::put_movers(&mut html, figures);
    sections::put_adoption(&mut html, figures);
    sections::put_categories(&mut html, figures);
    sections::put_coverage(&mut html, figures);
    sections::put_rules(&mut html, figures);
    sections::put_notes(&mut html);
    put!(
        html,
        "</main>\n<footer>Made by canvass {} on {}.</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        figures.made_at.timestamp().strftime("%-d %B %Y, %H:%M UTC"),
    );
    html
}

fn put_head(html: &mut String, figures: &Figures) {
    let name = month_name(&figures.month);
    put!(html, "<header>\n<p class=\"kicker\">Technographics</p>\n<h1>What sites run, {name}</h1>\n");
    let Some(now) = figures.months.last() else { return };
    let (sites, covered) = (now.coverage.sites, now.coverage.covered);
    put!(
        html,
        "<p class=\"lead\">{} of {} sites gave at least one page ({:.1} %).",
        HumanCount(covered),
        HumanCount(sites),
        share(covered, sites)
    );
    if let Some(before) = figures.months.iter().rev().nth(1) {
        put!(html, " Compared with {}.", month_name(&before.coverage.month));
    }
    html.push_str("</p>\n</header>\n<ul class=\"tiles\">\n");
    let products: usize = figures.categories.iter().map(|category| category.products.len()).sum();
    let accounts: u64 = figures.dual_counts.iter().map(|count| count.accounts).sum();
    let new_accounts: u64 = figures.dual_counts.iter().map(|count| count.new_accounts).sum();
    let certain =
        |kind: &str| figures.changes.get(&(kind.to_owned(), "certain".to_owned())).copied().unwrap_or(0);
    tile(html, "#dual", new_accounts, "new second vendors", &format!("{} in all", HumanCount(accounts)));
    tile(
        html,
        "#changes",
        certain("added"),
        "products added for certain",
        &format!("{} dropped", HumanCount(certain("dropped"))),
    );
    tile(
        html,
        "#categories",
        products as u64,
        "products seen",
        &format!("in {} categories", figures.categories.len()),
    );
    let (captured, targets) = (now.coverage.captured, now.coverage.targets);
    tile(html, "#coverage", captured, "pages read", &format!("of {} on the list", HumanCount(targets)));
    html.push_str("</ul>\n");
}

fn tile(html: &mut String, to: &str, number: u64, what: &str, more: &str) {
    put!(
        html,
        "<li><a href=\"{to}\"><b>{}</b> <span>{}</span> <small>{}</small></a></li>\n",
        HumanCount(number),
        Text(what),
        Text(more)
    );
}

/// `2026-11` as people say it.
pub(super) fn month_name(month: &str) -> String {
    const NAMES: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let parts = month.split_once('-').and_then(|(year, number)| {
        let index = number.parse::<usize>().ok()?.checked_sub(1)?;
        Some((year, NAMES.get(index)?))
    });
    parts.map_or_else(|| Text(month).to_string(), |(year, name)| format!("{name} {}", Text(year)))
}
