//! Which words does a site of each category and language use?

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

/// The running text of a language: its code and its commonest words.
#[derive(Debug)]
pub(crate) struct Language {
    pub(crate) code: &'static str,
    pub(crate) words: &'static [&'static str],
}

/// The languages of ordinary sites.
pub(crate) const LANGUAGES: &[Language] = &[
    Language {
        code: "en",
        words: &[
            "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "was", "on", "are", "with",
            "they", "be", "at", "one", "have", "this", "from", "by", "some", "what", "there", "we", "can",
            "out", "other", "were", "all", "your", "when", "up", "use", "word", "how", "said", "each",
            "which", "time", "will", "way", "about", "many", "then", "them", "would", "write", "people",
            "water", "long", "find", "day", "part", "sound", "work", "year", "place", "back", "thing",
            "name", "sentence", "think", "great", "where", "help", "through", "much", "before", "line",
            "right", "mean", "old", "same", "tell", "follow", "came", "want", "show", "around", "form",
            "three", "small", "set", "put", "end", "does", "another", "well", "large", "must", "even",
            "such", "because", "turn", "here", "why", "went", "number", "night",
        ],
    },
    Language {
        code: "de",
        words: &[
            "der",
            "die",
            "und",
            "in",
            "den",
            "von",
            "zu",
            "das",
            "mit",
            "sich",
            "des",
            "auf",
            "für",
            "ist",
            "im",
            "dem",
            "nicht",
            "ein",
            "eine",
            "als",
            "auch",
            "es",
            "an",
            "werden",
            "aus",
            "er",
            "hat",
            "dass",
            "sie",
            "nach",
            "wird",
            "bei",
            "einer",
            "um",
            "am",
            "sind",
            "noch",
            "wie",
            "einem",
            "über",
            "einen",
            "so",
            "zum",
            "war",
            "haben",
            "nur",
            "oder",
            "aber",
            "vor",
            "zur",
            "bis",
            "mehr",
            "durch",
            "man",
            "Jahr",
            "Tag",
            "Woche",
            "Straße",
            "Frühling",
            "Gemeinde",
            "Übung",
            "größer",
            "schön",
            "Leute",
            "Zeit",
            "Haus",
        ],
    },
    Language {
        code: "fr",
        words: &[
            "de", "la", "le", "et", "les", "des", "en", "un", "du", "une", "que", "est", "pour", "qui",
            "dans", "par", "plus", "pas", "au", "sur", "ne", "se", "ce", "il", "sont", "avec", "son", "ou",
            "été", "nous", "vous", "mais", "même", "où", "être", "très", "après", "année", "région", "élève",
            "déjà", "marché", "fenêtre", "matin", "jour", "ville", "maison", "enfant", "chemin", "rivière",
            "lumière", "travail",
        ],
    },
    Language {
        code: "es",
        words: &[
            "de", "la", "que", "el", "en", "y", "los", "se", "del", "las", "un", "por", "con", "no", "una",
            "su", "para", "es", "al", "lo", "como", "más", "pero", "sus", "este", "ya", "entre", "cuando",
            "todo", "esta", "ser", "son", "dos", "también", "había", "era", "muy", "años", "hasta", "desde",
            "está", "mañana", "niño", "ciudad", "camino", "trabajo", "semana", "corazón", "música", "casa",
            "noche",
        ],
    },
];

/// The running text of sites that are not written in UTF-8.
pub(crate) const RUSSIAN: &[&str] = &[
    "город",
    "сегодня",
    "новости",
    "который",
    "время",
    "человек",
    "жизнь",
    "первый",
    "работа",
    "слово",
    "место",
    "друг",
    "дорога",
    "большой",
    "последний",
    "случай",
    "голова",
    "ребёнок",
    "вопрос",
    "страна",
    "мир",
    "дело",
    "и",
    "в",
    "на",
    "не",
    "что",
    "с",
    "по",
    "как",
    "это",
    "из",
    "был",
    "его",
    "для",
    "также",
    "после",
    "очень",
];

/// See [`RUSSIAN`].
pub(crate) const JAPANESE: &[&str] = &[
    "今日は",
    "天気が",
    "とても",
    "良いので",
    "公園へ",
    "行きました。",
    "新しい",
    "商品の",
    "ご案内です。",
    "送料は",
    "無料と",
    "なります。",
    "お問い合わせは",
    "こちらから",
    "お願いします。",
    "会社の",
    "情報を",
    "見る",
];

/// See [`RUSSIAN`].
pub(crate) const CHINESE: &[&str] = &[
    "今天",
    "我们",
    "学校",
    "的",
    "新闻",
    "报道",
    "说明",
    "了",
    "城市",
    "发展",
    "情况，",
    "请",
    "联系",
    "客服",
    "中心。",
    "产品",
    "价格",
    "优惠",
    "活动",
    "已经",
    "开始，",
    "欢迎",
    "大家",
    "参加。",
    "关于",
    "公司",
    "介绍",
];
