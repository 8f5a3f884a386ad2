//! Which products can a site run, and how does each show on a page?
//!
//! The traces are the embed codes that the vendors document, with invented numbers. Names, vendors, families and categories
//! are the words of the shipped fingerprint packs, so that what is planted and what is found can be compared; nothing here
//! is made by running them.

use Trace::{Body, Head, Header};

/// Where a product shows. `{id}` becomes a number of the site's own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trace {
    /// A response header: its name and value.
    Header(&'static str, &'static str),
    /// A piece of the document's head.
    Head(&'static str),
    /// A piece of the document's body.
    Body(&'static str),
}

/// A vendor's product.
#[derive(Debug)]
pub(crate) struct Product {
    pub(crate) name: &'static str,
    pub(crate) vendor: &'static str,
    /// Products of one family are one choice.
    pub(crate) family: &'static str,
    pub(crate) category: &'static str,
    /// What it always brings along, with all that follows from that.
    pub(crate) implies: &'static [&'static str],
    pub(crate) traces: &'static [Trace],
}

/// The categories in which an organisation normally runs one product only.
pub(crate) const EXCLUSIVE: &[&str] = &[
    "accessibility",
    "booking",
    "call-tracking",
    "church-management",
    "cms",
    "consent",
    "customer-data-platforms",
    "ecommerce",
    "error-tracking",
    "giving",
    "hosting",
    "live-chat",
    "push-notifications",
    "translation",
];

/// A product whose vendor has no other, and which brings nothing along.
const fn plain(
    name: &'static str,
    vendor: &'static str,
    category: &'static str,
    traces: &'static [Trace],
) -> Product {
    Product { name, vendor, family: vendor, category, implies: &[], traces }
}

/// What the sites of every world are drawn from; their traces are with the odds of each.
pub(crate) const BASE: &[Product] = &[
    plain("Nginx", "F5", "web-servers", &[]),
    plain("PHP", "The PHP Group", "programming-languages", &[]),
    Product { implies: &["PHP", "MySQL"], ..plain("WordPress", "WordPress", "cms", &[]) },
    plain("Shopify", "Shopify", "ecommerce", &[]),
    plain("Stripe", "Stripe", "payment", &[]),
    plain("Google Tag Manager", "Google", "tag-managers", &[]),
    Product { family: "Google Analytics", ..plain("Google Analytics", "Google", "analytics", &[]) },
    plain("Matomo Analytics", "Matomo", "analytics", &[]),
    plain("HubSpot", "HubSpot", "marketing-automation", &[]),
    plain("Intercom", "Intercom", "live-chat", &[]),
    Product { family: "jQuery", ..plain("jQuery", "OpenJS Foundation", "js-libraries", &[]) },
];

/// Products of which an organisation normally runs one per category: two neighbours of a category are a pair that makes
/// news, unless they are of one family.
pub(crate) const CONTENDED: &[Product] = &[
    plain(
        "Crisp",
        "Crisp IM",
        "live-chat",
        &[Head(
            "<script>window.$crisp=[];window.CRISP_WEBSITE_ID=\"7c1f0a52-1d1e-4b7e-9d5e-00000{id}0\";(function(){d=document;s=d.createElement(\"script\");s.src=\"https://client.crisp.chat/l.js\";s.async=1;d.getElementsByTagName(\"head\")[0].appendChild(s);})();</script>",
        )],
    ),
    plain(
        "Tidio",
        "Tidio",
        "live-chat",
        &[Body("<script src=\"//code.tidio.co/q5xk{id}vyw2m8z.js\" async></script>")],
    ),
    plain(
        "Donorbox",
        "Donorbox",
        "giving",
        &[Body(
            "<script src=\"https://donorbox.org/widget.js\" paypalExpress=\"false\"></script>\n<iframe src=\"https://donorbox.org/embed/roof-appeal-{id}\" name=\"donorbox\" allowpaymentrequest=\"allowpaymentrequest\" height=\"900px\" width=\"100%\"></iframe>",
        )],
    ),
    plain(
        "Givebutter",
        "Givebutter",
        "giving",
        &[Head(
            "<script async src=\"https://widgets.givebutter.com/latest.umd.cjs?acct=Kq{id}&p=other\"></script>",
        )],
    ),
    plain(
        "Acuity Scheduling",
        "Squarespace",
        "booking",
        &[Body(
            "<iframe src=\"https://app.acuityscheduling.com/schedule.php?owner=18{id}\" title=\"Schedule Appointment\" width=\"100%\" height=\"800\" frameborder=\"0\"></iframe>\n<script src=\"https://embed.acuityscheduling.com/js/embed.js\"></script>",
        )],
    ),
    plain(
        "Calendly",
        "Calendly",
        "booking",
        &[Head(
            "<link href=\"https://assets.calendly.com/assets/external/widget.css\" rel=\"stylesheet\">\n<script src=\"https://assets.calendly.com/assets/external/widget.js\" async></script>",
        )],
    ),
    Product {
        family: "Cookiebot",
        ..plain(
            "Cookiebot",
            "Usercentrics",
            "consent",
            &[Head(
                "<script id=\"Cookiebot\" src=\"https://consent.cookiebot.com/uc.js\" data-cbid=\"2b1c0000-0f3a-4c55-8a77-000000{id}\" data-blockingmode=\"auto\"></script>",
            )],
        )
    },
    plain(
        "OneTrust",
        "OneTrust",
        "consent",
        &[Head(
            "<script src=\"https://cdn.cookielaw.org/scripttemplates/otSDKStub.js\" charset=\"UTF-8\" data-domain-script=\"018f2a11-77aa-7bbb-9ccc-000000{id}\"></script>",
        )],
    ),
    plain(
        "Bugsnag",
        "SmartBear",
        "error-tracking",
        &[Head(
            "<script src=\"//d2wy8f7a9ursnm.cloudfront.net/v7/bugsnag.min.js\"></script>\n<script>Bugsnag.start({ apiKey: 'a0b1c2d3e4f5a6b7c8d9e0f1aa{id}' })</script>",
        )],
    ),
    plain(
        "Sentry",
        "Functional Software",
        "error-tracking",
        &[Head(
            "<script src=\"https://js.sentry-cdn.com/0f1e2d3c4b5a69788796a5b4c3{id}.min.js\" crossorigin=\"anonymous\"></script>",
        )],
    ),
    Product {
        family: "UserWay",
        ..plain(
            "UserWay",
            "Level Access",
            "accessibility",
            &[Body("<script src=\"https://cdn.userway.org/widget.js\" data-account=\"Vr{id}9k\"></script>")],
        )
    },
    plain(
        "accessiBe",
        "accessiBe",
        "accessibility",
        &[Body(
            "<script>(function(){var s=document.createElement('script'),e=!document.body?document.querySelector('head'):document.body;s.src='https://acsbapp.com/apps/app/dist/js/app.js';s.async=true;s.onload=function(){acsbJS.init({statementLink:'',footerHtml:''});};e.appendChild(s);}());</script>",
        )],
    ),
    plain(
        "RudderStack",
        "RudderStack",
        "customer-data-platforms",
        &[Head(
            "<script>rudderanalytics=window.rudderanalytics=[];for(var m=['load','page','track','identify'],i=0;i<m.length;i++){var k=m[i];rudderanalytics[k]=function(e){return function(){rudderanalytics.push([e].concat(Array.prototype.slice.call(arguments)))}}(k)}rudderanalytics.load('2Cx{id}','https://dataplane.example.net');rudderanalytics.page();</script>\n<script src=\"https://cdn.rudderlabs.com/v1.1/rudder-analytics.min.js\"></script>",
        )],
    ),
    plain(
        "Segment",
        "Twilio",
        "customer-data-platforms",
        &[Head(
            "<script>!function(){var analytics=window.analytics=window.analytics||[];analytics.load=function(key,e){var t=document.createElement(\"script\");t.async=!0;t.src=\"https://cdn.segment.com/analytics.js/v1/\"+key+\"/analytics.min.js\";var n=document.getElementsByTagName(\"script\")[0];n.parentNode.insertBefore(t,n)};analytics.load(\"hZq3{id}WbT9yLkPf\");analytics.page();}();</script>",
        )],
    ),
    plain(
        "GTranslate",
        "GTranslate",
        "translation",
        &[Body(
            "<div class=\"gtranslate_wrapper\"></div>\n<script>window.gtranslateSettings = {\"default_language\":\"en\",\"languages\":[\"en\",\"es\"],\"wrapper_selector\":\".gtranslate_wrapper\"}</script>\n<script src=\"https://cdn.gtranslate.net/widgets/latest/float.js\" defer></script>",
        )],
    ),
    plain(
        "Weglot",
        "Weglot",
        "translation",
        &[Head(
            "<script src=\"https://cdn.weglot.com/weglot.min.js\"></script>\n<script>Weglot.initialize({ api_key: 'wg_7d1e0c{id}' });</script>",
        )],
    ),
    plain(
        "CallRail",
        "CallRail",
        "call-tracking",
        &[Body("<script async src=\"//cdn.callrail.com/companies/{id}/5f2c1b9a8d7e/12/swap.js\"></script>")],
    ),
    plain(
        "CallTrackingMetrics",
        "CallTrackingMetrics",
        "call-tracking",
        &[Head("<script async src=\"//{id}.tctm.co/t.js\"></script>")],
    ),
];

/// Two products of one family in an exclusive category: no second vendor, whatever a count may say.
pub(crate) const ONE_FAMILY: [Product; 2] = [
    Product {
        family: "InMobi CMP",
        ..plain(
            "Quantcast Choice",
            "Quantcast",
            "consent",
            &[Head(
                "<script async src=\"https://cmp.quantcast.com/choice/Kx{id}/parish.example/choice.js?tag_version=V2\"></script>",
            )],
        )
    },
    Product {
        family: "InMobi CMP",
        ..plain(
            "InMobi CMP",
            "InMobi",
            "consent",
            &[Head(
                "<script async src=\"https://cmp.inmobi.com/choice/Kx{id}/parish.example/choice.js?tag_version=V3\"></script>",
            )],
        )
    },
];

/// A product of an exclusive category, and one of another category that brings along a rival of it: what only follows
/// from something else is no second vendor.
pub(crate) const IMPLIED_RIVAL: [Product; 2] = [
    Product {
        implies: &["PHP"],
        ..plain(
            "Joomla",
            "Open Source Matters",
            "cms",
            &[Head("<meta name=\"generator\" content=\"Joomla! - Open Source Content Management\">")],
        )
    },
    Product {
        family: "MonsterInsights",
        implies: &["WordPress", "PHP", "MySQL", "Google Analytics"],
        ..plain(
            "MonsterInsights",
            "Awesome Motive",
            "analytics",
            &[Head(
                "<!-- This site uses the Google Analytics by MonsterInsights plugin v8.24.0 - Using Analytics tracking - https://www.monsterinsights.com/ -->",
            )],
        )
    },
];

/// Products that stand beside others of their category without anybody minding.
pub(crate) const COMPANIONS: &[Product] = &[
    Product {
        family: "Google Fonts",
        ..plain(
            "Google Fonts",
            "Google",
            "fonts",
            &[Head(
                "<link rel=\"preconnect\" href=\"https://fonts.googleapis.com\">\n<link rel=\"preconnect\" href=\"https://fonts.gstatic.com\" crossorigin>\n<link href=\"https://fonts.googleapis.com/css2?family=Source+Serif+4:wght@400;700&display=swap\" rel=\"stylesheet\">",
            )],
        )
    },
    Product {
        family: "Adobe Fonts",
        ..plain(
            "Adobe Fonts",
            "Adobe",
            "fonts",
            &[Head("<link rel=\"stylesheet\" href=\"https://use.typekit.net/k{id}.css\">")],
        )
    },
    plain(
        "Hotjar",
        "Hotjar",
        "session-replay",
        &[Head(
            "<script>(function(h,o,t,j,a,r){h.hj=h.hj||function(){(h.hj.q=h.hj.q||[]).push(arguments)};h._hjSettings={hjid:{id},hjsv:6};a=o.getElementsByTagName('head')[0];r=o.createElement('script');r.async=1;r.src=t+h._hjSettings.hjid+j+h._hjSettings.hjsv;a.appendChild(r);})(window,document,'https://static.hotjar.com/c/hotjar-','.js?sv=');</script>",
        )],
    ),
    plain(
        "Microsoft Clarity",
        "Microsoft",
        "session-replay",
        &[Head(
            "<script>(function(c,l,a,r,i,t,y){c[a]=c[a]||function(){(c[a].q=c[a].q||[]).push(arguments)};t=l.createElement(r);t.async=1;t.src=\"https://www.clarity.ms/tag/\"+i;y=l.getElementsByTagName(r)[0];y.parentNode.insertBefore(t,y);})(window, document, \"clarity\", \"script\", \"k8{id}\");</script>",
        )],
    ),
    plain(
        "Klaviyo",
        "Klaviyo",
        "marketing-automation",
        &[Head(
            "<script async src=\"https://static.klaviyo.com/onsite/js/klaviyo.js?company_id=Wq{id}\"></script>",
        )],
    ),
    Product {
        family: "YouTube",
        ..plain(
            "YouTube",
            "Google",
            "video",
            &[Body(
                "<iframe width=\"560\" height=\"315\" src=\"https://www.youtube.com/embed/a{id}Qx0k\" title=\"YouTube video player\" allowfullscreen></iframe>",
            )],
        )
    },
    plain(
        "Vimeo",
        "Vimeo",
        "video",
        &[Body(
            "<iframe src=\"https://player.vimeo.com/video/76{id}?h=5f1a\" width=\"640\" height=\"360\" allow=\"autoplay; fullscreen\"></iframe>",
        )],
    ),
    Product {
        family: "Google Maps",
        ..plain(
            "Google Maps",
            "Google",
            "maps",
            &[Body(
                "<iframe src=\"https://www.google.com/maps/embed?pb=!1m18!1m12!1m3!1d{id}\" width=\"600\" height=\"450\" loading=\"lazy\"></iframe>",
            )],
        )
    },
    Product {
        implies: &["PHP"],
        ..plain(
            "Laravel",
            "Laravel",
            "web-frameworks",
            &[Header("Set-Cookie", "laravel_session=eyJpdiI6{id}; path=/; httponly; samesite=lax")],
        )
    },
    plain("Netlify", "Netlify", "hosting", &[Header("X-NF-Request-ID", "01HM4ZQ7P8T2C9V6K3D1R5{id}")]),
    plain(
        "Meta Pixel",
        "Meta",
        "advertising",
        &[Head(
            "<script>!function(f,b,e,v,n,t,s){if(f.fbq)return;n=f.fbq=function(){n.callMethod?n.callMethod.apply(n,arguments):n.queue.push(arguments)};if(!f._fbq)f._fbq=n;n.push=n;n.loaded=!0;n.version='2.0';n.queue=[];t=b.createElement(e);t.async=!0;t.src=v;s=b.getElementsByTagName(e)[0];s.parentNode.insertBefore(t,s)}(window,document,'script','https://connect.facebook.net/en_US/fbevents.js');fbq('init', '480000000{id}');fbq('track', 'PageView');</script>",
        )],
    ),
    plain(
        "Trustpilot",
        "Trustpilot",
        "reviews",
        &[Body(
            "<div class=\"trustpilot-widget\" data-locale=\"en-US\" data-template-id=\"5419b6a8b0d04a076446a9ad\" data-businessunit-id=\"46d6a890000064000500{id}\"></div>\n<script src=\"//widget.trustpilot.com/bootstrap/v5/tp.widget.bootstrap.min.js\" async></script>",
        )],
    ),
];
