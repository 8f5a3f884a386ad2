//! Which accounts have a second vendor?

use catalog::changes::{DualRow, ListedDual};
use domain::Moment;
use indicatif::HumanCount;
use serde_json::Value as Json;

use crate::jobs::report::{
    gather::Figures,
    html::{Text, put},
};

const SNIPPET_LETTERS: usize = 140;

pub fn put_dual_vendors(html: &mut String, figures: &Figures) {
    html.push_str("<section id=\"dual\">\n<h2>Accounts with a second vendor</h2>\n");
    let accounts: u64 = figures.dual_counts.iter().map(|count| count.accounts).sum();
    if accounts == 0 {
        html.push_str(
            "<p class=\"none\">No account shows two vendors in a category where one is the rule.</p>\n</section>\n",
        );
        return;
    }
    html.push_str(
        "<p>Two vendors, seen this month, in a category in which an organisation normally runs one.</p>\n\
         <div class=\"scroll\"><table class=\"narrow\"><caption>By category</caption>\n<thead><tr><th scope=\"col\">Category</th>\
         <th scope=\"col\" class=\"n\">New</th><th scope=\"col\" class=\"n\">Accounts</th></tr></thead>\n<tbody>\n",
    );
    for count in &figures.dual_counts {
        put!(
            html,
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            Text(&count.category_title),
            HumanCount(count.new_accounts),
            HumanCount(count.accounts)
        );
    }
    html.push_str(
        "</tbody></table></div>\n<table class=\"cards\"><caption>The accounts, new ones first</caption>\n<thead><tr>\
         <th scope=\"col\">Account</th><th scope=\"col\">Category</th><th scope=\"col\">First → second</th>\
         <th scope=\"col\">Evidence of the second</th></tr></thead>\n<tbody>\n",
    );
    for dual in &figures.duals {
        put_dual_vendor(html, dual);
    }
    html.push_str("</tbody></table>\n");
    if figures.more_duals {
        put!(
            html,
            "<p class=\"more\">The first {} are shown; <code>canvass export</code> writes all of them to <code>DualVendor_{}.csv</code>.</p>\n",
            figures.duals.len(),
            Text(&figures.month)
        );
    }
    html.push_str("</section>\n");
}

fn put_dual_vendor(html: &mut String, listed: &ListedDual) {
    let dual = &listed.dual;
    let (name, key) = match dual.account.strip_prefix("site:") {
        Some(site) => (format!("Site {site}"), "no account"),
        None if listed.account_name.is_empty() => (dual.account.clone(), ""),
        None => (listed.account_name.clone(), dual.account.as_str()),
    };
    html.push_str("<tr><th scope=\"row\">");
    if dual.is_new {
        html.push_str("<span class=\"tag new\">new</span> ");
    }
    put!(html, "{}<small>{}</small></th><td>{}</td>", Text(&name), Text(key), Text(&listed.category_title));
    let (sign, told) = order_of(dual);
    put!(
        html,
        "<td><span class=\"pair\">{} <span class=\"arrow\">{sign}</span> <b>{}</b></span><small>{told}</small></td>",
        Text(&listed.first),
        Text(&listed.second),
    );
    let second = &dual.evidence["second"];
    let said = |key: &str| second.get(key).and_then(Json::as_str).unwrap_or_default();
    put!(
        html,
        "<td><code>{}</code><small class=\"url\">{}</small></td></tr>\n",
        Text(&shortened(said("snippet"))),
        Text(&shortened(said("url")))
    );
}

/// The sign between the two, which is an arrow only where one of them is known to have come later, and what is known.
fn order_of(dual: &DualRow) -> (&'static str, String) {
    let month = |at: Moment| at.timestamp().strftime("%b %Y").to_string();
    let (first, second) = (month(dual.first_since), month(dual.second_since));
    match dual.certainty.as_str() {
        _ if first == second => ("+", format!("both since {first}")),
        "certain" => ("→", format!("since {first}, then {second}")),
        "likely" => ("→", format!("since {first}, then {second}, likely")),
        _ => ("+", format!("seen since {first} and {second}; which was first is not known")),
    }
}

/// The beginning of a text that may be long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SNIPPET_LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
