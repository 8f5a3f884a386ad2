//! Who may ask whom for what, now?

/// What a request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A target's page.
    Page,
    /// The robots.txt of an origin, which must be known before its pages.
    Robots,
}

/// The right to send one request: issued by the frontier when the host's pace, its robots answer and its slots allow
/// it, and given back by completion. Nothing reaches the network without one, so it can be neither copied nor cloned.
#[derive(Debug)]
pub struct Lease {
    /// The lease's number within the process.
    pub id: u64,
    /// What the request is for.
    pub purpose: Purpose,
    /// The URL to ask for: the target's own, or the next hop of its redirects.
    pub url: String,
    /// The host whose pace was charged.
    pub host: String,
    /// Whether more requests to the host are queued: otherwise its connection is not worth keeping.
    pub more_to_come: bool,
}
