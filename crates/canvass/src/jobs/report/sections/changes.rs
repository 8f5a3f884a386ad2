//! Which products gained sites, and which lost some?

use std::cmp::Reverse;

use indicatif::HumanCount;

use super::with_sign;
use crate::jobs::report::{
    gather::{Figures, Mover},
    html::{Text, put},
};

const MOVERS: usize = 8;

pub fn put_movers(html: &mut String, figures: &Figures) {
    html.push_str("<section id=\"changes\">\n<h2>Gained and lost</h2>\n");
    let count = |kind: &str| -> u64 {
        figures.changes.iter().filter(|((known, _), _)| known == kind).map(|(_, sites)| sites).sum()
    };
    if figures.changes.is_empty() || figures.months.len() < 2 {
        html.push_str("<p class=\"none\">There is no earlier month to compare with.</p>\n</section>\n");
        return;
    }
    put!(
        html,
        "<p>On all sites together, products were added {} times and dropped {} times, and {} stayed. Of {} it is not known, because \
         the page that would tell failed in one of the months.</p>\n<div class=\"pairs\">\n",
        HumanCount(count("added")),
        HumanCount(count("dropped")),
        HumanCount(count("kept")),
        HumanCount(count("unknown"))
    );
    let mut gained: Vec<&Mover> = figures.movers.iter().filter(|mover| net(mover) > 0).collect();
    gained.sort_by_key(|mover| (Reverse(net(mover)), &mover.name));
    let mut lost: Vec<&Mover> = figures.movers.iter().filter(|mover| net(mover) < 0).collect();
    lost.sort_by_key(|mover| (net(mover), &mover.name));
    put_mover_table(html, "Gained most", &gained);
    put_mover_table(html, "Lost most", &lost);
    html.push_str("</div>\n</section>\n");
}

fn net(mover: &Mover) -> i64 {
    let sum = |(certain, likely): (u64, u64)| i64::try_from(certain + likely).unwrap_or(i64::MAX);
    sum(mover.added) - sum(mover.dropped)
}

fn put_mover_table(html: &mut String, title: &str, movers: &[&Mover]) {
    put!(
        html,
        "<div class=\"scroll\"><table class=\"movers\"><caption>{title}</caption>\n<thead><tr><th scope=\"col\">Product</th>\
         <th scope=\"col\" class=\"n\">Added</th><th scope=\"col\" class=\"n\">Dropped</th><th scope=\"col\" class=\"n\">Net</th></tr></thead>\n<tbody>\n"
    );
    for mover in movers.iter().take(MOVERS) {
        put!(
            html,
            "<tr><th scope=\"row\">{} <small>{}</small></th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\"><b>{}</b></td></tr>\n",
            Text(&mover.name),
            Text(&mover.category),
            sure_and_likely(mover.added),
            sure_and_likely(mover.dropped),
            with_sign(&format!("{:+}", net(mover)))
        );
    }
    if movers.is_empty() {
        html.push_str("<tr><td colspan=\"4\" class=\"none\">None.</td></tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
}

fn sure_and_likely((certain, likely): (u64, u64)) -> String {
    match likely {
        0 => HumanCount(certain).to_string(),
        _ => format!("{} <small>+{} likely</small>", HumanCount(certain), HumanCount(likely)),
    }
}
