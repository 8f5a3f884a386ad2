//! What follows from an answer? Pure: the same answer to the same visit, the same verdict.

use blobs::segment::Packing;
use bytes::Bytes;
use catalog::robots::RobotsMemory;
use domain::{
    Capture, Completion, Disposition, Exclusion, Failure, FailureKind, FetchedWith, Moment, Target,
};
use fetch::{
    BodyPlace, ContentEncoding, FetchError, RedirectRules, Response, RetrySettings, classify, is_redirect,
};
use frontier::{
    host_of,
    schedule::{Outcome, RobotsAnswer, Subject, Visit},
    site::registrable_domain,
};
use readers::text::detect_charset;

use crate::settings::RedirectScope;

/// RFC 9309 asks for at least five hops; after that there is no robots.txt.
const ROBOTS_REDIRECTS: usize = 5;

/// What decides over an answer.
#[derive(Debug, Clone)]
pub struct Rules {
    /// When failures are tried again.
    pub retry: RetrySettings,
    /// Which redirects are followed.
    pub redirects: RedirectRules,
    /// How far redirects may lead.
    pub scope: RedirectScope,
}

/// What is to be done with an answer.
#[derive(Debug)]
pub enum Verdict {
    /// The target has ended: write this down.
    Ended(Box<Completion>, StoredBody),
    /// The visit goes on.
    GoesOn(Outcome),
    /// An origin's robots.txt is settled; remember it if there is something to remember.
    Robots(Outcome, Option<RobotsMemory>),
}

/// A body on its way to the log.
#[derive(Debug)]
pub struct StoredBody {
    /// Its bytes.
    pub bytes: Bytes,
    /// Whether they are worth compressing.
    pub packing: Packing,
    /// Its place among the large bodies, until its bytes are dropped.
    pub _place: Option<BodyPlace>,
}

impl StoredBody {
    /// No body.
    #[must_use]
    pub fn none() -> StoredBody {
        StoredBody { bytes: Bytes::new(), packing: Packing::Compress, _place: None }
    }
}

impl Rules {
    /// Judges the answer to a page or a robots.txt.
    pub fn judge(&self, mut visit: Visit, answer: Result<Response, FetchError>, now: Moment) -> Verdict {
        visit.requests += 1;
        match visit.subject.clone() {
            Subject::Page(target) => self.judge_page(target, visit, answer, now),
            Subject::Robots { origin } => self.judge_robots(origin, visit, answer, now),
        }
    }

    fn judge_page(
        &self,
        target: Target,
        mut visit: Visit,
        answer: Result<Response, FetchError>,
        now: Moment,
    ) -> Verdict {
        let excluded = |reason| Disposition::Excluded { reason };
        let (failure, retry_after) = match answer {
            Err(FetchError::PrivateAddress { .. }) => {
                return ended(target, &visit, excluded(Exclusion::PrivateAddress), now);
            }
            Err(FetchError::Failed(failure)) => (failure, None),
            Ok(response) if is_redirect(response.status) => {
                let (url, status) = (visit.url().to_owned(), response.status);
                match self.redirects.next_hop(&url, status, response.location(), &visit.passed) {
                    Ok(hop) if self.scope_holds(&target.url, &hop) => {
                        return Verdict::GoesOn(Outcome::Redirected(visit.redirected_to(hop)));
                    }
                    Ok(_) => return ended(target, &visit, excluded(Exclusion::Scope), now),
                    Err(failure) => (failure, None),
                }
            }
            Ok(response) => match classify(response.status, response.body.len()) {
                None if response.skipped_body => {
                    return ended(target, &visit, excluded(Exclusion::ContentType), now);
                }
                None => return captured(target, visit, response, now),
                Some(failure) => (failure, response.retry_after(now)),
            },
        };
        let failures = visit.count_failure(failure.kind.retry_class());
        match self.retry.next_attempt(failure.kind, failures, retry_after) {
            Some(wait) => Verdict::GoesOn(Outcome::Retry { visit, failure: failure.kind, wait }),
            None => ended(target, &visit, Disposition::Failed(failure), now),
        }
    }

    fn scope_holds(&self, from: &str, to: &str) -> bool {
        let (from, to) = (host_of(from), host_of(to));
        match self.scope {
            RedirectScope::Any => true,
            RedirectScope::SameHost => from == to,
            RedirectScope::SameSite => {
                from == to
                    || registrable_domain(from).is_some_and(|site| registrable_domain(to) == Some(site))
            }
        }
    }

    fn judge_robots(
        &self,
        origin: String,
        mut visit: Visit,
        answer: Result<Response, FetchError>,
        now: Moment,
    ) -> Verdict {
        let settled =
            |origin: String, answer, memory| Verdict::Robots(Outcome::Robots { origin, answer }, memory);
        let remember = |origin: &str, status, body: &[u8]| {
            Some(RobotsMemory { origin: origin.to_owned(), fetched_at: now, status, body: body.to_vec() })
        };
        let (failure, retry_after) = match answer {
            // the page itself will be refused for the same reason, and that is the truer word for it
            Err(FetchError::PrivateAddress { .. }) if visit.passed.is_empty() => {
                return settled(origin, RobotsAnswer::AllowAll, None);
            }
            Err(error @ FetchError::PrivateAddress { .. }) => {
                (Failure::new(FailureKind::RobotsUnavailable, error.to_string()), None)
            }
            Err(FetchError::Failed(failure)) => (failure, None),
            Ok(response) if (200..300).contains(&response.status) => {
                let memory = remember(&origin, response.status, &response.body);
                return settled(origin, RobotsAnswer::Body(response.body.to_vec()), memory);
            }
            Ok(response) if is_redirect(response.status) => {
                let rules = RedirectRules { limit: ROBOTS_REDIRECTS, ..self.redirects.clone() };
                let url = visit.url().to_owned();
                match rules.next_hop(&url, response.status, response.location(), &visit.passed) {
                    Ok(hop) => return Verdict::GoesOn(Outcome::Redirected(visit.redirected_to(hop))),
                    Err(_) => {
                        let memory = remember(&origin, response.status, b"");
                        return settled(origin, RobotsAnswer::AllowAll, memory);
                    }
                }
            }
            Ok(response) => match classify(response.status, response.body.len()) {
                Some(failure) if failure.kind != FailureKind::HttpStatus => {
                    (failure, response.retry_after(now))
                }
                _ => {
                    let memory = remember(&origin, response.status, b"");
                    return settled(origin, RobotsAnswer::AllowAll, memory);
                }
            },
        };
        let failures = visit.count_failure(failure.kind.retry_class());
        match self.retry.next_attempt(failure.kind, failures, retry_after) {
            Some(wait) => Verdict::GoesOn(Outcome::Retry { visit, failure: failure.kind, wait }),
            None => settled(origin, RobotsAnswer::Unavailable(without_robots(failure)), None),
        }
    }
}

/// What the targets of an origin fail with whose robots.txt could not be had: a host that cannot be reached is said to
/// be just that.
fn without_robots(failure: Failure) -> Failure {
    use FailureKind as K;
    match failure.kind {
        K::DnsNotFound
        | K::DnsFailed
        | K::ConnectRefused
        | K::ConnectTimeout
        | K::ConnectUnreachable
        | K::TlsCertificate
        | K::TlsHandshake => failure,
        // the status was robots.txt's, and the target has none
        _ => Failure::new(K::RobotsUnavailable, format!("robots.txt: {failure}")),
    }
}

fn ended(target: Target, visit: &Visit, disposition: Disposition, now: Moment) -> Verdict {
    let completion =
        Completion { target, disposition, requests: visit.requests, ended_at: now, capture: None };
    Verdict::Ended(Box::new(completion), StoredBody::none())
}

fn captured(target: Target, visit: Visit, response: Response, now: Moment) -> Verdict {
    let charset = detect_charset(response.content_type(), &response.body);
    let fetched_at = Moment(now.0 - i64::try_from(response.timings.total_us / 1_000).unwrap_or(0));
    let capture = Capture {
        final_url: visit.url().to_owned(),
        redirects: visit.passed,
        status: response.status,
        http_version: response.http_version.to_owned(),
        headers: response.header_lines(),
        body_encoding: response.wire_encoding.name().to_owned(),
        decoded_bytes: response.body.len() as u64,
        truncated: response.truncated,
        charset: charset.to_owned(),
        robots: None,
        fetched_with: FetchedWith::Http,
        fetched_at,
        remote_address: response.remote.to_string(),
        timings: response.timings,
    };
    let (bytes, packing) = match response.wire_encoding {
        ContentEncoding::Identity => (response.body, Packing::Compress),
        _ => (response.wire_body, Packing::Store),
    };
    let body = StoredBody { bytes, packing, _place: response.place };
    let completion = Completion {
        target,
        disposition: Disposition::Captured,
        requests: visit.requests,
        ended_at: now,
        capture: Some(capture),
    };
    Verdict::Ended(Box::new(completion), body)
}

#[cfg(test)]
mod tests;
