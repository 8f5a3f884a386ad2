//! What does an organisation of each category talk about?

use serde::{Deserialize, Serialize};

/// What an organisation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A parish.
    Church,
    /// A school.
    School,
    /// A shop with products and prices.
    Shop,
    /// A newspaper.
    News,
    /// A clinic.
    Clinic,
    /// A maker of software.
    Software,
    /// A marketplace with listings that sell and vanish.
    Marketplace,
    /// A restaurant.
    Restaurant,
}

/// What is said about a category: how its hosts, pages and items are called, and what it talks about.
pub(crate) struct Vocabulary {
    pub(crate) stem: &'static str,
    pub(crate) schema_type: &'static str,
    pub(crate) section: &'static str,
    pub(crate) suffixes: &'static [&'static str],
    pub(crate) topics: &'static [&'static str],
}

impl Category {
    /// Every category, in the order in which a world takes them up.
    pub const ALL: &'static [Category] = &[
        Category::Church,
        Category::Shop,
        Category::News,
        Category::School,
        Category::Marketplace,
        Category::Clinic,
        Category::Software,
        Category::Restaurant,
    ];

    pub(crate) fn vocabulary(self) -> Vocabulary {
        let (stem, schema_type, section, suffixes, topics): (_, _, _, &[&str], &[&str]) = match self {
            Category::Church => (
                "church",
                "Church",
                "sermons",
                &["Chapel", "Parish Church", "Fellowship"],
                &["worship", "sermon", "baptism", "choir", "parish", "prayer", "youth group", "communion"],
            ),
            Category::School => (
                "school",
                "School",
                "notices",
                &["Primary School", "Academy", "Grammar School"],
                &["enrolment", "curriculum", "term dates", "governors", "homework", "science fair", "pupils"],
            ),
            Category::Shop => (
                "shop",
                "Store",
                "products",
                &["Outfitters", "Supplies", "Trading Company"],
                &["delivery", "returns", "wool jumper", "oak table", "garden tools", "gift cards", "sale"],
            ),
            Category::News => (
                "news",
                "NewsMediaOrganization",
                "articles",
                &["Herald", "Courier", "Evening Post"],
                &[
                    "council",
                    "election",
                    "harbour",
                    "transport strike",
                    "weather warning",
                    "inquiry",
                    "budget",
                ],
            ),
            Category::Clinic => (
                "clinic",
                "MedicalClinic",
                "services",
                &["Medical Centre", "Dental Practice", "Eye Clinic"],
                &["appointment", "vaccination", "physiotherapy", "dental care", "blood test", "referral"],
            ),
            Category::Software => (
                "software",
                "Organization",
                "releases",
                &["Labs", "Systems", "Software"],
                &[
                    "integration",
                    "dashboard",
                    "single sign-on",
                    "audit log",
                    "pipeline",
                    "pricing plans",
                    "uptime",
                ],
            ),
            Category::Marketplace => (
                "market",
                "OnlineStore",
                "listings",
                &["Marketplace", "Bazaar", "Classifieds"],
                &[
                    "vintage bicycle",
                    "turntable",
                    "camper van",
                    "film camera",
                    "seller rating",
                    "collection only",
                ],
            ),
            Category::Restaurant => (
                "restaurant",
                "Restaurant",
                "menus",
                &["Kitchen", "Trattoria", "Tea Rooms"],
                &[
                    "tasting menu",
                    "reservation",
                    "wood-fired oven",
                    "seasonal vegetables",
                    "wine list",
                    "brunch",
                ],
            ),
        };
        Vocabulary { stem, schema_type, section, suffixes, topics }
    }
}

/// The places that organisations are named after.
pub(crate) const PLACES: &[&str] = &[
    "Ashcombe",
    "Birkdale",
    "Carrow",
    "Dunmere",
    "Elmstead",
    "Fairhaven",
    "Glenmoor",
    "Holloway",
    "Inverlyn",
    "Kingsbrook",
    "Larkhill",
    "Marston",
    "Northcote",
    "Oakhurst",
    "Penwick",
    "Quarrydale",
    "Redmarsh",
    "Stowford",
    "Thornby",
    "Upwell",
    "Wexcombe",
    "Yardley",
];
