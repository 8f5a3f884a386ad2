//! Which products do sites run, and how did that go over the months?

use std::cmp::Reverse;

use indicatif::HumanCount;

use super::with_sign;
use crate::jobs::report::{
    chart::{bar, sparkline},
    gather::{CategoryFigures, Figures, ProductFigures},
    html::{Text, put},
};

const PRODUCTS_PER_CATEGORY: usize = 6;
const ADOPTED: usize = 12;

pub fn put_adoption(html: &mut String, figures: &Figures) {
    if figures.months.len() < 2 {
        return;
    }
    let mut products: Vec<&ProductFigures> =
        figures.categories.iter().flat_map(|category| &category.products).filter(|p| p.shown > 0).collect();
    products.sort_by_key(|product| (Reverse(product.shown), &product.name));
    html.push_str(
        "<section id=\"adoption\">\n<h2>Adoption over the months</h2>\n<p>The most used products, in percent of the sites that gave a page.</p>\n\
         <div class=\"scroll\"><table><caption>Share of covered sites by month</caption>\n<thead><tr><th scope=\"col\">Product</th>",
    );
    for month in &figures.months {
        put!(html, "<th scope=\"col\" class=\"n\">{}</th>", Text(&month.coverage.month));
    }
    html.push_str("<th scope=\"col\" class=\"n\">Change</th>");
    let with_lines = figures.months.len() > 2;
    if with_lines {
        html.push_str("<th scope=\"col\">Trend</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for product in products.into_iter().take(ADOPTED) {
        put!(html, "<tr><th scope=\"row\">{}</th>", Text(&product.name));
        for share in &product.shares {
            put!(html, "<td class=\"n\">{share:.1}</td>");
        }
        put!(html, "<td class=\"n\">{}</td>", points(&product.shares));
        if with_lines {
            let label = format!("Trend of {}", product.name);
            put!(html, "<td>{}</td>", sparkline(&product.shares, &label));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n</section>\n");
}

/// The difference of the last two shares in percentage points.
fn points(shares: &[f64]) -> String {
    match shares {
        [.., before, now] if (now - before).abs() >= 0.05 => {
            let class = if now > before { "up" } else { "down" };
            format!("<span class=\"{class}\">{}</span>", with_sign(&format!("{:+.1}", now - before)))
        }
        [.., _, _] => "<span class=\"same\">±0</span>".to_owned(),
        _ => String::new(),
    }
}

pub fn put_categories(html: &mut String, figures: &Figures) {
    html.push_str("<section id=\"categories\">\n<h2>Products by category</h2>\n<div class=\"grid\">\n");
    for category in &figures.categories {
        put_category(html, category, figures.months.len() > 1);
    }
    if figures.categories.is_empty() {
        html.push_str("<p class=\"none\">Nothing was found.</p>\n");
    }
    html.push_str("</div>\n</section>\n");
}

fn put_category(html: &mut String, category: &CategoryFigures, compared: bool) {
    let CategoryFigures { key, title, exclusive, products } = category;
    put!(html, "<div class=\"category\" id=\"c-{}\"><table><caption>{}", Text(key), Text(title));
    if *exclusive {
        html.push_str(" <span class=\"tag\">one is the rule</span>");
    }
    html.push_str(
        "</caption>\n<thead class=\"quiet\"><tr><th scope=\"col\">Product</th><th scope=\"col\" class=\"n\">Sites</th>\
         <th scope=\"col\" class=\"n\">Share</th>",
    );
    if compared {
        html.push_str("<th scope=\"col\" class=\"n\">Change</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for product in products.iter().take(PRODUCTS_PER_CATEGORY) {
        let share = product.shares.last().copied().unwrap_or(0.0);
        put!(
            html,
            "<tr><th scope=\"row\">{}{}{}</th><td class=\"n\">{}</td><td class=\"n\">{share:.1} %</td>",
            Text(&product.name),
            implied_note(product),
            bar(share),
            HumanCount(product.shown),
        );
        if compared {
            put!(html, "<td class=\"n\">{}</td>", points(&product.shares));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table>\n");
    if products.len() > PRODUCTS_PER_CATEGORY {
        put!(html, "<p class=\"more\">and {} more</p>\n", products.len() - PRODUCTS_PER_CATEGORY);
    }
    html.push_str("</div>\n");
}

fn implied_note(product: &ProductFigures) -> String {
    match product.implied {
        0 => String::new(),
        more => format!(" <small>+{} implied</small>", HumanCount(more)),
    }
}
