//! How do sites answer by status alone?

use domain::FailureKind;

use super::{Answer, Ask, Coding, Framing, Reply, pages};
use crate::{
    Behaviour, Site,
    content::plain_page,
    site::{Expect, Promises},
};

pub(super) fn promise(site: &Site) -> Promises {
    use Behaviour as B;
    let path = "/about";
    let expect = match site.behaviour {
        B::ThrottledOnce | B::UnavailableOnce | B::BadGatewayOnce => Expect::page(path),
        B::ThrottledForever => Expect::failed_by_status(FailureKind::Throttled, 429),
        B::BrokenServer => Expect::failed_by_status(FailureKind::BrokenServer, 500),
        B::ServerErrorForever => Expect::failed_by_status(FailureKind::ServerError, 500),
        other => Expect::failed_by_status(FailureKind::HttpStatus, refusal_of(other)),
    };
    let mut promises = Promises::default();
    promises.target(site, path, expect);
    promises
}

fn refusal_of(behaviour: Behaviour) -> u16 {
    match behaviour {
        Behaviour::Status403 => 403,
        Behaviour::Status410 => 410,
        Behaviour::Status418 => 418,
        Behaviour::Status451 => 451,
        _ => 404,
    }
}

/// The 24 bytes that a broken server says.
pub(super) const BROKEN: &str = "Internal error occurred.";

pub(super) fn answer(site: &Site, ask: Ask<'_>) -> Answer {
    use Behaviour as B;
    let once = ask.earlier_visits == 0;
    let wait = ask.pace.retry_after_seconds.to_string();
    match site.behaviour {
        B::ThrottledForever => Answer::reply(explained(429).with("Retry-After", wait)),
        B::ThrottledOnce if once => Answer::reply(explained(429).with("Retry-After", wait)),
        B::UnavailableOnce if once => Answer::reply(explained(503).with("Retry-After", wait)),
        B::BadGatewayOnce if once => Answer::reply(explained(502)),
        B::ThrottledOnce | B::UnavailableOnce | B::BadGatewayOnce => {
            pages::ordinary(site, ask, Coding::Gzip, Framing::Length)
        }
        B::BrokenServer => Answer::reply(Reply::typed(500, "text/plain", BROKEN)),
        B::ServerErrorForever => Answer::reply(explained(500)),
        other => Answer::reply(explained(refusal_of(other))),
    }
}

pub(super) fn explained(status: u16) -> Reply {
    let title =
        http::StatusCode::from_u16(status).ok().and_then(|code| code.canonical_reason()).unwrap_or("Error");
    let sentence = "The page that you asked for cannot be shown. If you think that this is a mistake, write to us and \
                    tell us when it happened and what you were looking for; we read every letter.";
    Reply::html(status, plain_page(title, sentence))
}
