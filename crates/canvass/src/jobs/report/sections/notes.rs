//! By which rules were the numbers made, and what do they mean?

use indicatif::HumanCount;

use crate::jobs::report::{
    gather::{Figures, NAMED_ACCOUNTS},
    html::put,
    page::month_name,
};

pub fn put_rules(html: &mut String, figures: &Figures) {
    html.push_str(
        "<section id=\"rules\">\n<h2>Rules</h2>\n<div class=\"scroll\"><table class=\"narrow\"><caption>The rule sets behind the findings</caption>\n<thead><tr>\
         <th scope=\"col\">Month</th><th scope=\"col\" class=\"n\">Rule set</th><th scope=\"col\" class=\"n\">Products</th><th scope=\"col\" class=\"n\">Fingerprints</th>\
         <th scope=\"col\" class=\"n\">Findings</th></tr></thead>\n<tbody>\n",
    );
    for month in figures.months.iter().rev() {
        for (place, rules) in month.rule_sets.iter().enumerate() {
            put!(
                html,
                "<tr><th scope=\"row\">{}</th><td class=\"n\">{}{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                month_name(&month.coverage.month),
                rules.version,
                if place > 0 { " <small>not counted</small>" } else { "" },
                HumanCount(rules.signals),
                HumanCount(rules.fingerprints),
                HumanCount(rules.findings)
            );
        }
    }
    html.push_str("</tbody></table></div>\n</section>\n");
}

pub fn put_notes(html: &mut String) {
    put!(
        html,
        "<section id=\"notes\">\n<h2>How these numbers were made</h2>\n<ul class=\"notes\">\n\
         <li>A site counts once for a product, however many pages show it. Shares are of the sites that gave at least one page in that month, \
         not of the whole list; a change is in percentage points, and other sites that gave pages move it too.</li>\n\
         <li>What only follows from another product (a WordPress plugin implies WordPress) is counted apart as <i>implied</i> and never makes a second vendor.</li>\n\
         <li><i>Added</i> and <i>dropped</i> compare the same pages in two months. They are certain where every page that tells was read in both, and likely where only \
         some of them were. A page that failed neither adds nor drops anything: there the answer is <i>not known</i>.</li>\n\
         <li>A second vendor means two products, seen themselves this month, of different vendors and families, in a category in which an organisation normally runs \
         one. Which of them was first is told by the month in which each was first seen.</li>\n\
         <li>When the rules change, the earlier month is read again with the new ones before the two are compared. Findings that only older rules made are not counted.</li>\n\
         <li>This page names at most the first {NAMED_ACCOUNTS} such accounts and holds no other data about single sites; <code>canvass export</code> writes everything.</li>\n\
         </ul>\n</section>\n"
    );
}
