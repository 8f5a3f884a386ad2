//! How do answers take their time?

use domain::FailureKind;

use super::{Answer, Ask, Step, reply::head};
use crate::{
    Behaviour, Site,
    site::{Expect, Promises},
};

pub(super) fn promise(site: &Site) -> Promises {
    let expect = match site.behaviour {
        Behaviour::DripEnds => Expect::page("/about"),
        Behaviour::DripEndless => Expect::failed_by_status(FailureKind::BodyTimeout, 200),
        _ => Expect::failed(FailureKind::ResponseTimeout),
    };
    let mut promises = Promises::default();
    promises.target(site, "/about", expect);
    promises
}

pub(super) fn answer(site: &Site, ask: Ask<'_>) -> Answer {
    const DRIPS: usize = 30;
    let html = [("Content-Type", "text/html; charset=utf-8".into())];
    match site.behaviour {
        Behaviour::DripEnds => {
            let body = site.organisation().html(&site.name, "/about").into_bytes();
            let mut start = head(200, &html);
            start.extend_from_slice(
                format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len()).as_bytes(),
            );
            let piece = body.len().div_ceil(DRIPS);
            let every = ask.pace.drip_total / DRIPS as u32;
            Answer::steps(
                200,
                vec![Step::Send(start.into()), Step::Drip { bytes: body.into(), piece, every }],
            )
        }
        Behaviour::DripEndless => {
            let mut start = head(200, &html);
            start.extend_from_slice(b"Connection: close\r\n\r\n<!doctype html>\n<html>\n<body>\n");
            let drips = vec![b'.'; 100_000];
            let drip = Step::Drip { bytes: drips.into(), piece: 1, every: ask.pace.endless_drip_every };
            Answer::steps(200, vec![Step::Send(start.into()), drip])
        }
        _ => Answer::steps(0, vec![Step::Hang]),
    }
}
