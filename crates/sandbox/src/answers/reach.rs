//! How does a site promise that cannot be reached, or only over TLS?

use domain::FailureKind;

use crate::{
    Behaviour, Site,
    content::path_of_page,
    site::{Expect, Promises, TargetPlan},
};

pub(super) fn promise(site: &Site, pages: usize) -> Promises {
    let failed = match site.behaviour {
        Behaviour::UnknownHost => Some(FailureKind::DnsNotFound),
        Behaviour::ConnectRefused => Some(FailureKind::ConnectRefused),
        Behaviour::TlsExpired | Behaviour::TlsWrongHost | Behaviour::TlsSelfSigned => {
            Some(FailureKind::TlsCertificate)
        }
        Behaviour::TlsPlainText => Some(FailureKind::TlsHandshake),
        _ => None,
    };
    let mut promises = Promises::default();
    let count = if failed.is_some() { 1 } else { pages.max(1) };
    for index in 0..count {
        let path = path_of_page(site.category, index);
        let expect = failed.map_or_else(|| Expect::page(&path), Expect::failed);
        let url = if site.behaviour.speaks_tls() { site.https_url(&path) } else { site.url(&path) };
        promises.targets.push(TargetPlan { url, expect });
    }
    promises
}
