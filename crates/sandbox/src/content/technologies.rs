//! Which technologies are planted on a site, and where can they be seen?

use super::words::Category;
use crate::chance::Chance;

/// Where a technology shows.
enum Trace {
    /// A response header: its name and value.
    Header(&'static str, &'static str),
    /// A piece of the document's head; `{id}` becomes a number of the site's own.
    Head(&'static str),
}

struct Planted {
    name: &'static str,
    trace: Trace,
    /// The categories that use it; empty for all.
    only: &'static [Category],
    /// How many of a hundred such sites use it.
    percent: usize,
}

const PLANTS: &[Planted] = &[
    Planted { name: "Nginx", trace: Trace::Header("Server", "nginx/1.24.0"), only: &[], percent: 55 },
    Planted { name: "PHP", trace: Trace::Header("X-Powered-By", "PHP/8.2.7"), only: &[], percent: 30 },
    Planted {
        name: "WordPress",
        trace: Trace::Head(
            "<meta name=\"generator\" content=\"WordPress 6.4.2\">\n<link rel=\"stylesheet\" href=\"/wp-content/themes/plain-{id}/style.css\">",
        ),
        only: &[Category::Church, Category::School, Category::News, Category::Restaurant],
        percent: 60,
    },
    Planted {
        name: "Shopify",
        trace: Trace::Head(
            "<script src=\"https://cdn.shopify.com/s/files/1/0{id}/assets/theme.js\"></script>\n<script>Shopify.shop = \"store-{id}.myshopify.com\";</script>",
        ),
        only: &[Category::Shop],
        percent: 60,
    },
    Planted {
        name: "Stripe",
        trace: Trace::Head("<script src=\"https://js.stripe.com/v3/\"></script>"),
        only: &[Category::Shop, Category::Software, Category::Marketplace],
        percent: 50,
    },
    Planted {
        name: "Google Tag Manager",
        trace: Trace::Head(
            "<script src=\"https://www.googletagmanager.com/gtm.js?id=GTM-K{id}\" async></script>",
        ),
        only: &[],
        percent: 45,
    },
    Planted {
        name: "Google Analytics",
        trace: Trace::Head(
            "<script src=\"https://www.googletagmanager.com/gtag/js?id=G-Z{id}\" async></script>\n<script>gtag('config', 'G-Z{id}');</script>",
        ),
        only: &[],
        percent: 40,
    },
    Planted {
        name: "Matomo Analytics",
        trace: Trace::Head(
            "<script>var _paq = [['trackPageView'], ['setSiteId', '{id}']];</script>\n<script src=\"/matomo.js\"></script>",
        ),
        only: &[Category::School, Category::Clinic],
        percent: 40,
    },
    Planted {
        name: "HubSpot",
        trace: Trace::Head("<script src=\"//js.hs-scripts.com/{id}.js\" id=\"hs-script-loader\"></script>"),
        only: &[Category::Software, Category::Clinic],
        percent: 45,
    },
    Planted {
        name: "Intercom",
        trace: Trace::Head("<script src=\"https://widget.intercom.io/widget/w{id}\"></script>"),
        only: &[Category::Software],
        percent: 40,
    },
    Planted {
        name: "jQuery",
        trace: Trace::Head("<script src=\"/static/jquery-3.7.1.min.js\"></script>"),
        only: &[],
        percent: 35,
    },
];

/// What a site was planted with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Technologies {
    /// The site's own number in all its traces.
    pub(crate) id: String,
    pub(crate) names: Vec<&'static str>,
    /// Those of `names` that only a header shows.
    pub(crate) in_headers: Vec<&'static str>,
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) head: String,
}

impl Technologies {
    pub(crate) fn draw(category: Category, chance: &mut Chance) -> Technologies {
        let id = (100_000 + chance.below(900_000)).to_string();
        let mut drawn = Technologies { id, ..Technologies::default() };
        for plant in PLANTS {
            let used = chance.below(100) < plant.percent;
            if !used || !(plant.only.is_empty() || plant.only.contains(&category)) {
                continue;
            }
            drawn.names.push(plant.name);
            match plant.trace {
                Trace::Header(name, value) => {
                    drawn.in_headers.push(plant.name);
                    drawn.headers.push((name, value));
                }
                Trace::Head(snippet) => {
                    drawn.head.push_str(&snippet.replace("{id}", &drawn.id));
                    drawn.head.push('\n');
                }
            }
        }
        drawn
    }
}
