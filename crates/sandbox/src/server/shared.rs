//! What do all connections of a server share?

use std::{
    borrow::Cow,
    collections::HashMap,
    net::Ipv4Addr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;

use super::{Request, SandboxError, ServeOptions, head::Head, log::Log};
use crate::{
    Mix, Site, World,
    answers::{self, Answer, Ask, Body, Coding, Reply, encode},
    content::uniform_page,
};

/// How many made pages are kept, at 60 KB each at most.
const PAGES_KEPT: usize = 2_048;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) world: Arc<World>,
    pub(super) options: ServeOptions,
    pub(super) log: Log,
    visits: Mutex<HashMap<(usize, String), u32>>,
    pages: Mutex<HashMap<(usize, String, Coding), Bytes>>,
    uniform: Option<Uniform>,
    connections: AtomicU64,
}

/// The whole responses of a world in which all pages are the same.
#[derive(Debug)]
struct Uniform {
    plain: Bytes,
    /// What goes to a client that accepts gzip.
    gzip: Bytes,
    not_found: Bytes,
}

/// Which connection a request came over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Connection {
    pub(super) id: u64,
    pub(super) address: Ipv4Addr,
    pub(super) https: bool,
    pub(super) http_version: &'static str,
}

/// What goes back.
pub(super) enum Decision<'a> {
    /// A whole HTTP/1.1 response.
    Ready(Bytes),
    /// What a site answers.
    Of(&'a Site, Answer),
}

impl Shared {
    pub(super) fn new(world: Arc<World>, options: ServeOptions) -> Result<Shared, SandboxError> {
        let uniform = match world.plan().mix {
            Mix::Uniform { page_bytes } => {
                Some(Uniform::new(page_bytes, world.plan().seed, options.gzip_uniform_pages))
            }
            _ => None,
        };
        Ok(Shared {
            log: Log::new(options.record, options.log_file.as_deref())?,
            world,
            options,
            visits: Mutex::default(),
            pages: Mutex::default(),
            uniform,
            connections: AtomicU64::new(1),
        })
    }

    pub(super) fn connection(
        &self,
        address: Ipv4Addr,
        https: bool,
        http_version: &'static str,
    ) -> Connection {
        Connection { id: self.connections.fetch_add(1, Ordering::Relaxed), address, https, http_version }
    }

    /// Decides on a request and records it.
    pub(super) fn decide(&self, head: &Head<'_>, over: Connection) -> Decision<'_> {
        let read_at = self.log.stamp();
        let host: Cow<'_, str> = if head.host.bytes().any(|byte| byte.is_ascii_uppercase()) {
            head.host.to_ascii_lowercase().into()
        } else {
            head.host.into()
        };
        let (status, decision) = self.answer_for(&host, head, over);
        if let Some(at_us) = read_at {
            self.log.record(Request {
                at_us,
                connection_id: over.id,
                address: over.address,
                scheme: if over.https { "https" } else { "http" }.to_owned(),
                http_version: over.http_version.to_owned(),
                host: host.into_owned(),
                method: head.method.to_owned(),
                path: head.path.to_owned(),
                status,
                user_agent: head.user_agent.to_owned(),
            });
        }
        decision
    }

    fn answer_for(&self, host: &str, head: &Head<'_>, over: Connection) -> (u16, Decision<'_>) {
        let site = self.world.site_at(host).filter(|site| site.address == Some(over.address));
        if let Some(uniform) = &self.uniform {
            // Not every client of a benchmark can be given a hosts file.
            if site.is_some() || host.parse() == Ok(over.address) {
                let (status, wire) = uniform.answer(head);
                return (status, Decision::Ready(wire));
            }
        }
        // A request that came to another site's address went wrong on its way: better to say so than to help out.
        let Some(site) = site else {
            return (421, Decision::Ready(Bytes::from_static(MISDIRECTED)));
        };
        let ask = Ask {
            host,
            path: head.path,
            https: over.https,
            accept_encoding: head.accept_encoding,
            earlier_visits: self.count_visit(site, head.path),
            pace: &self.options.pace,
            bomb_bytes: self.world.plan().bomb_bytes,
        };
        let answer = answers::answer(site, ask);
        (answer.status, Decision::Of(site, answer))
    }

    fn count_visit(&self, site: &Site, path: &str) -> u32 {
        if !site.behaviour.changes_after_the_first_visit() || !(is_robots(path) || site.has_page(path)) {
            return 0;
        }
        let mut visits = unpoisoned(&self.visits);
        let visits = visits.entry((site.number, path.to_owned())).or_default();
        *visits += 1;
        *visits - 1
    }

    pub(super) fn forget_visits(&self) {
        unpoisoned(&self.visits).clear();
    }

    /// The body of `reply`; a page is made once and then kept, as long as there is room.
    pub(super) fn body_of(&self, site: &Site, reply: &Reply) -> Bytes {
        let Body::Page { path, coding } = &reply.body else {
            return reply.make_body(site);
        };
        let key = (site.number, path.clone(), *coding);
        if let Some(body) = unpoisoned(&self.pages).get(&key) {
            return body.clone();
        }
        // Made without the lock: two may make the same page, but none waits for another's.
        let body = reply.make_body(site);
        let mut pages = unpoisoned(&self.pages);
        if pages.len() < PAGES_KEPT {
            pages.insert(key, body.clone());
        }
        body
    }
}

const MISDIRECTED: &[u8] = b"HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n";

fn is_robots(path: &str) -> bool {
    path == "/robots.txt"
}

/// None of these maps is ever left half changed, so one who panicked does no harm.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Uniform {
    fn new(page_bytes: usize, seed: u64, compress: bool) -> Uniform {
        let page = uniform_page(page_bytes, seed).into_bytes();
        let gzip = encode(Coding::Gzip, page.clone());
        let reply = Reply::html(200, "").with("Vary", "Accept-Encoding");
        let plain = reply.to_http1(&page.into(), true);
        let gzip = if compress {
            reply.with("Content-Encoding", "gzip").to_http1(&gzip, true)
        } else {
            plain.clone()
        };
        Uniform { plain, gzip, not_found: Reply::html(404, "").to_http1(&Bytes::new(), true) }
    }

    fn answer(&self, head: &Head<'_>) -> (u16, Bytes) {
        let number = head.path.strip_prefix("/p/").unwrap_or("");
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return (404, self.not_found.clone());
        }
        match Coding::Gzip.if_accepted(head.accept_encoding) {
            Coding::Gzip => (200, self.gzip.clone()),
            _ => (200, self.plain.clone()),
        }
    }
}
