//! How does an ordinary site fail for a month?

use domain::FailureKind;

use super::{Answer, Step, statuses::explained};
use crate::{
    Site,
    content::OutageKind,
    site::{Expect, Promises},
};

/// Lets the targets fail that fail this month, whatever else was promised of them.
pub(super) fn overrule(site: &Site, promises: &mut Promises) {
    for target in &mut promises.targets {
        let outage = target.expect.page.as_deref().and_then(|path| site.outage(path));
        target.expect = match outage {
            None => continue,
            Some(OutageKind::Refused) => Expect::failed_by_status(FailureKind::HttpStatus, 403),
            Some(OutageKind::Reset) => Expect::failed(FailureKind::ConnectionLost),
            Some(OutageKind::Unavailable) => Expect::failed_by_status(FailureKind::Throttled, 503),
            Some(OutageKind::Silent) => Expect::failed(FailureKind::ResponseTimeout),
        };
    }
}

pub(super) fn answer(outage: OutageKind) -> Answer {
    match outage {
        OutageKind::Refused => Answer::reply(explained(403)),
        OutageKind::Reset => Answer::steps(0, vec![Step::Reset]),
        OutageKind::Unavailable => Answer::reply(explained(503)),
        OutageKind::Silent => Answer::steps(0, vec![Step::Hang]),
    }
}
