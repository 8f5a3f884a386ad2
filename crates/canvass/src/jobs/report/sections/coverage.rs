//! How much was looked at, and why not all of it?

use catalog::statistics::EndingCount;
use indicatif::HumanCount;

use crate::jobs::report::{
    chart::{Slice, divided},
    gather::{Figures, share},
    html::{Text, put},
    page::month_name,
};

pub fn put_coverage(html: &mut String, figures: &Figures) {
    html.push_str(
        "<section id=\"coverage\">\n<h2>Coverage and failures</h2>\n<div class=\"scroll\"><table><caption>What was looked at, month by month</caption>\n\
         <thead><tr><th scope=\"col\">Month</th><th scope=\"col\" class=\"n\">Sites</th><th scope=\"col\" class=\"n\">Covered</th><th scope=\"col\" class=\"n\">Pages</th>\
         <th scope=\"col\" class=\"n\">Read</th><th scope=\"col\" class=\"n\">Failed</th><th scope=\"col\" class=\"n\">Ruled out</th></tr></thead>\n<tbody>\n",
    );
    for month in figures.months.iter().rev() {
        let seen = &month.coverage;
        put!(
            html,
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{:.1} %</td><td class=\"n\">{}</td><td class=\"n\">{:.1} %</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            month_name(&seen.month),
            HumanCount(seen.sites),
            share(seen.covered, seen.sites),
            HumanCount(seen.targets),
            share(seen.captured, seen.targets),
            HumanCount(seen.failed),
            HumanCount(seen.excluded)
        );
    }
    html.push_str("</tbody></table></div>\n");
    put_endings(html, &figures.endings, &figures.month);
    html.push_str("</section>\n");
}

fn put_endings(html: &mut String, endings: &[EndingCount], month: &str) {
    let sum = |name: &str| {
        endings.iter().filter(|ending| ending.disposition == name).map(|ending| ending.pages).sum()
    };
    let (read, failed, excluded) = (sum("captured"), sum("failed"), sum("excluded"));
    let all = read + failed + excluded;
    html.push_str(&divided(&[
        Slice { class: "read", label: "read", count: read },
        Slice { class: "failed", label: "failed", count: failed },
        Slice { class: "excluded", label: "ruled out", count: excluded },
    ]));
    put!(
        html,
        "<p class=\"legend\"><i class=\"read\"></i> {} read <i class=\"failed\"></i> {} failed <i class=\"excluded\"></i> {} ruled out</p>\n",
        HumanCount(read),
        HumanCount(failed),
        HumanCount(excluded)
    );
    put!(
        html,
        "<div class=\"scroll\"><table class=\"narrow\"><caption>Why pages were not read, {}</caption>\n<thead><tr><th scope=\"col\">Reason</th>\
         <th scope=\"col\"></th><th scope=\"col\" class=\"n\">Pages</th><th scope=\"col\" class=\"n\">Share</th></tr></thead>\n<tbody>\n",
        month_name(month)
    );
    for ending in endings.iter().filter(|ending| ending.disposition != "captured") {
        put!(
            html,
            "<tr><th scope=\"row\">{}</th><td class=\"quiet\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.1} %</td></tr>\n",
            Text(&ending.detail.replace('_', " ")),
            if ending.disposition == "failed" { "failed" } else { "ruled out" },
            HumanCount(ending.pages),
            share(ending.pages, all)
        );
    }
    if read == all {
        html.push_str("<tr><td colspan=\"4\" class=\"none\">Every page was read.</td></tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
}
