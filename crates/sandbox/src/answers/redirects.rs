//! How do redirects lead on, astray or in circles?

use domain::{Exclusion, FailureKind};

use super::{Answer, Ask, Coding, Framing, Reply, pages};
use crate::{
    Behaviour, Site,
    chance::Chance,
    site::{Expect, Forbidden, Promises, TargetPlan},
};

/// Where private redirects lead, by the path that leads there.
const PRIVATE: &[(&str, &str)] = &[
    ("/to-lan", "http://10.0.0.1/"),
    ("/to-metadata", "http://169.254.169.254/latest/meta-data/"),
    ("/to-loopback", "http://[::1]/"),
    ("/to-number", "http://2852039166/latest/meta-data/"),
];

const STATUSES: &[u16] = &[301, 302, 303, 307, 308];

/// The path that a robots.txt of this family forbids.
pub(super) const FORBIDDEN: &str = "/forbidden/landing";

pub(super) fn promise(site: &Site, chance: &mut Chance) -> Promises {
    use Behaviour as B;
    let mut promises = Promises::default();
    match site.behaviour {
        B::RedirectSameHost => {
            let hops = chance.between(2, 5);
            promises.target(site, &format!("/chain/{hops}"), Expect::page_at(site.url("/about"), "/about"));
        }
        B::RedirectToHttps => {
            promises.target(site, "/", Expect::page_at(site.https_url("/"), "/"));
            promises.target(site, "/about", Expect::page_at(site.https_url("/about"), "/about"));
        }
        B::RedirectToHttp => promises.targets.push(TargetPlan {
            url: site.https_url("/about"),
            expect: Expect::page_at(site.url("/about"), "/about"),
        }),
        B::RedirectToWww => {
            promises.target(site, "/", Expect::page_at(format!("http://{}/", site.www()), "/"));
        }
        B::RedirectCrossHost => {
            let to = format!("http://{}/about", site.partner());
            promises.target(site, "/about", Expect::page_at(to, "/about"));
        }
        B::RedirectLoop => {
            promises.target(site, "/loop/1", Expect::failed_by_status(FailureKind::RedirectLoop, 302))
        }
        B::RedirectTooLong => {
            promises.target(site, "/chain/20", Expect::failed_by_status(FailureKind::TooManyRedirects, 302));
        }
        B::RedirectBadLocation => {
            promises.target(site, "/no-location", Expect::failed_by_status(FailureKind::BadRedirect, 302));
            promises.target(site, "/to-ftp", Expect::failed_by_status(FailureKind::BadRedirect, 302));
        }
        B::RedirectPrivate => {
            for (path, _) in PRIVATE {
                promises.target(site, path, Expect::excluded(Exclusion::PrivateAddress));
            }
        }
        B::RedirectForbiddenPath => {
            promises.forbidden.push(Forbidden::Path(site.name.clone(), FORBIDDEN.to_owned()));
            promises.target(site, "/to-forbidden", Expect::excluded(Exclusion::Robots));
            promises.target(site, "/about", Expect::page("/about"));
        }
        _ => {
            promises.forbidden.push(Forbidden::Host(site.partner().to_owned()));
            promises.target(site, "/to-partner", Expect::excluded(Exclusion::Robots));
        }
    }
    promises
}

pub(super) fn answer(site: &Site, ask: Ask<'_>) -> Answer {
    match location_of(site, ask) {
        Some((status, location)) => Answer::reply(Reply::redirect(status, location)),
        None if ask.path == "/no-location" => Answer::reply(Reply::html(302, "")),
        None => pages::ordinary(site, ask, Coding::Gzip, Framing::Length),
    }
}

fn location_of(site: &Site, ask: Ask<'_>) -> Option<(u16, String)> {
    use Behaviour as B;
    let on_own_name = ask.host == site.name;
    match site.behaviour {
        B::RedirectSameHost | B::RedirectTooLong => {
            let left: usize = ask.path.strip_prefix("/chain/")?.parse().ok().filter(|left| *left <= 20)?;
            // At which hop a client gives up is its own affair, so each hop of the long chain has the same status.
            let long = site.behaviour == B::RedirectTooLong;
            let status = if long { 302 } else { STATUSES[left % STATUSES.len()] };
            let location = match left {
                0 | 1 => "/about".to_owned(),
                // Every other hop is relative to its own folder, as many servers send it.
                even if even % 2 == 0 => format!("{}", even - 1),
                odd => site.url(&format!("/chain/{}", odd - 1)),
            };
            Some((status, location))
        }
        B::RedirectToHttps if !ask.https => Some((301, site.https_url(ask.path))),
        B::RedirectToHttp if ask.https => Some((302, site.url(ask.path))),
        B::RedirectToWww if on_own_name => Some((301, format!("http://{}{}", site.www(), ask.path))),
        B::RedirectCrossHost if on_own_name => Some((308, format!("http://{}{}", site.partner(), ask.path))),
        B::RedirectLoop => {
            let next = if ask.path == "/loop/1" { "/loop/2" } else { "/loop/1" };
            Some((302, next.to_owned()))
        }
        B::RedirectBadLocation if ask.path == "/to-ftp" => Some((302, format!("ftp://{}/files", site.name))),
        B::RedirectPrivate => {
            PRIVATE.iter().find(|(path, _)| *path == ask.path).map(|(_, to)| (302, (*to).to_owned()))
        }
        B::RedirectForbiddenPath if ask.path == "/to-forbidden" => Some((302, FORBIDDEN.to_owned())),
        B::RedirectForbiddingHost if on_own_name => Some((301, format!("http://{}/about", site.partner()))),
        _ => None,
    }
}
