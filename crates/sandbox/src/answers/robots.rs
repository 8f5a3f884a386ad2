//! What does robots.txt say, if it says anything?

use std::{sync::OnceLock, time::Duration};

use bytes::Bytes;
use domain::FailureKind;

use super::{Answer, Ask, Coding, Reply, Step, encode, pages, redirects::FORBIDDEN};
use crate::{
    Behaviour, Site,
    content::plain_page,
    site::{Expect, Forbidden, Promises},
};

/// Rules with the paths that tell whether they were understood: each with whether it is allowed.
struct Rules {
    text: &'static str,
    paths: &'static [(&'static str, bool)],
}

const SOME_PATHS: Rules = Rules {
    text: "User-agent: *\nDisallow: /forbidden/\nDisallow: /search?q=\n",
    paths: &[("/", true), ("/forbidden/list", false), ("/search?q=secret", false), ("/search-help", true)],
};
const WILDCARDS: Rules = Rules {
    text: "User-agent: *\nDisallow: /*/draft-*\nDisallow: /*.tmp$\n",
    paths: &[
        ("/notes/draft-7", false),
        ("/files/a.tmp", false),
        ("/files/a.tmp.html", true),
        ("/draft-7", true),
    ],
};
const LONGEST: Rules = Rules {
    text: "User-agent: *\nDisallow: /shop/\nAllow: /shop/open/\nAllow: /data\nDisallow: /data/closed\n",
    paths: &[
        ("/shop/closed/1", false),
        ("/shop/open/1", true),
        ("/data/open/1", true),
        ("/data/closed/1", false),
    ],
};
const OWN_GROUP: Rules = Rules {
    text: "User-agent: *\nDisallow: /\n\nUser-agent: canvass\nDisallow: /not-for-canvass/\n",
    paths: &[("/", true), ("/about", true), ("/not-for-canvass/1", false)],
};
const MERGED: Rules = Rules {
    text: "User-agent: canvass\nDisallow: /one/\n\nUser-agent: *\nDisallow: /\n\nUser-agent: Canvass\nDisallow: /two/\n",
    paths: &[("/", true), ("/one/a", false), ("/two/a", false)],
};
const HUGE: Rules = Rules { text: "", paths: &[("/before/1", false), ("/after/1", true)] };
const MARKED: Rules = Rules {
    text: "\u{feff}User-agent: *\r\nDisallow: /forbidden/\r\n\r\n# a mark must not hide the first line\r\n",
    paths: &[("/about", true), ("/forbidden/list", false)],
};
const OPEN: Rules = Rules { text: "User-agent: *\nAllow: /\n", paths: &[("/", true), ("/about", true)] };
const DELAY_ONE: Rules = Rules {
    text: "User-agent: *\nCrawl-delay: 1\n",
    paths: &[("/", true), ("/about", true), ("/contact", true)],
};
const DELAY_FRACTION: Rules = Rules {
    text: "User-agent: *\nCrawl-delay: 1.5\n",
    paths: &[("/", true), ("/about", true), ("/contact", true)],
};
const DELAY_LONG: Rules = Rules {
    text: "User-agent: *\nCrawl-delay: 3\n",
    paths: &[("/", true), ("/about", true), ("/contact", true)],
};
const CLOSED: &str = "User-agent: *\nDisallow: /\n";

fn rules_of(behaviour: Behaviour) -> Rules {
    use Behaviour as B;
    match behaviour {
        B::RobotsDisallowPaths
        | B::RobotsGzip
        | B::RobotsRedirect
        | B::RobotsRedirectCrossHost
        | B::RobotsSlow
        | B::RobotsThrottledOnce => SOME_PATHS,
        B::RobotsWildcards => WILDCARDS,
        B::RobotsLongestRule => LONGEST,
        B::RobotsOwnGroup => OWN_GROUP,
        B::RobotsMergedGroups => MERGED,
        B::RobotsHuge => HUGE,
        B::RobotsBomCrlf => MARKED,
        B::CrawlDelayOne => DELAY_ONE,
        B::CrawlDelayFraction => DELAY_FRACTION,
        B::CrawlDelayLong => DELAY_LONG,
        _ => OPEN,
    }
}

pub(super) fn promise(site: &Site) -> Promises {
    use Behaviour as B;
    let mut promises = Promises::default();
    match site.behaviour {
        B::RobotsDisallowAll => {
            promises.forbidden_target(site, "/");
            promises.forbidden_target(site, "/about");
            promises.forbidden.push(Forbidden::Host(site.name.clone()));
        }
        B::RobotsServerError | B::RobotsThrottled | B::RobotsHang | B::RobotsLost => {
            promises.forbidden.push(Forbidden::Host(site.name.clone()));
            promises.target(site, "/", Expect::failed(FailureKind::RobotsUnavailable));
        }
        _ => {
            for &(path, allowed) in rules_of(site.behaviour).paths {
                if allowed {
                    promises.target(site, path, Expect::page(path));
                } else {
                    promises.forbidden_target(site, path);
                }
            }
        }
    }
    promises.crawl_delay = match site.behaviour {
        B::CrawlDelayOne => Some(Duration::from_secs(1)),
        B::CrawlDelayFraction => Some(Duration::from_millis(1_500)),
        B::CrawlDelayLong => Some(Duration::from_secs(3)),
        _ => None,
    };
    promises
}

const MOVED: &str = "/robots-moved.txt";

/// Whether `path` is robots.txt or where it moved to.
pub(super) fn is_about_robots(path: &str) -> bool {
    path == "/robots.txt" || path == MOVED
}

pub(super) fn answer(site: &Site, ask: Ask<'_>) -> Answer {
    use Behaviour as B;
    let text = rules_of(site.behaviour).text;
    let on_partner = ask.host == site.partner();
    let first_visit = ask.earlier_visits == 0;
    let wait = ask.pace.retry_after_seconds.to_string();
    match site.behaviour {
        B::RobotsNone => pages::not_found(),
        B::RobotsEmpty => rules(""),
        B::RobotsDisallowAll => rules(CLOSED),
        B::RobotsHuge => rules(huge()),
        B::RobotsGzip => {
            let coding = Coding::Gzip.if_accepted(ask.accept_encoding);
            let reply = Reply::typed(200, "text/plain", encode(coding, text.into()));
            Answer::reply(reply.with("Content-Encoding", coding.name()))
        }
        B::RobotsHtml => Answer::reply(Reply::html(
            200,
            plain_page("Welcome", "This site shows its home page wherever you go."),
        )),
        B::Robots403 => unavailable(403),
        B::Robots410 => unavailable(410),
        B::RobotsServerError => unavailable(500),
        B::RobotsServerErrorOnce if first_visit => unavailable_for(503, wait),
        B::RobotsThrottled => unavailable_for(429, wait),
        B::RobotsThrottledOnce if first_visit => unavailable_for(429, wait),
        B::RobotsRedirect if ask.path != MOVED => Answer::reply(Reply::redirect(301, MOVED.to_owned())),
        B::RobotsRedirectCrossHost if !on_partner => {
            Answer::reply(Reply::redirect(302, format!("http://{}/robots.txt", site.partner())))
        }
        B::RobotsHang => Answer::steps(0, vec![Step::Hang]),
        B::RobotsLost => Answer::steps(0, vec![Step::Reset]),
        B::RobotsSlow => {
            let wire = plain_text(text).to_http1(&Bytes::from_static(text.as_bytes()), true);
            Answer::steps(200, vec![Step::Wait(ask.pace.slow_robots), Step::Send(wire)])
        }
        B::RedirectForbiddenPath => rules(format!("User-agent: *\nDisallow: {FORBIDDEN}\n")),
        B::RedirectForbiddingHost if on_partner => rules(CLOSED),
        _ if !text.is_empty() && site.behaviour.family() == crate::behaviour::Family::Robots => rules(text),
        // The sites of other families are open in one of the three usual ways.
        _ => match site.seed % 3 {
            0 => pages::not_found(),
            1 => rules(""),
            _ => rules(OPEN.text),
        },
    }
}

fn plain_text(text: impl Into<Bytes>) -> Reply {
    Reply::typed(200, "text/plain; charset=utf-8", text)
}

fn rules(text: impl Into<Bytes>) -> Answer {
    Answer::reply(plain_text(text))
}

fn unavailable(status: u16) -> Answer {
    Answer::reply(Reply::html(
        status,
        plain_page("Unavailable", "The rules of this site cannot be had at the moment."),
    ))
}

fn unavailable_for(status: u16, seconds: String) -> Answer {
    let page = plain_page("Later", "The rules of this site can be had in a little while.");
    Answer::reply(Reply::html(status, page).with("Retry-After", seconds))
}

/// A rule within the first 500 KiB, and one beyond.
fn huge() -> Bytes {
    static TEXT: OnceLock<Bytes> = OnceLock::new();
    TEXT.get_or_init(|| {
        let mut text = String::from("User-agent: *\nDisallow: /before/\n");
        while text.len() < 540_000 {
            text.push_str("# a comment that makes this file longer than any crawler has to read\n");
        }
        text.push_str("Disallow: /after/\n");
        text.into()
    })
    .clone()
}
