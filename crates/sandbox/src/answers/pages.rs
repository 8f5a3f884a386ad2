//! How are pages served that are as they should be, or nearly?

use bytes::Bytes;
use domain::Exclusion;

use super::{Answer, Ask, Body, Coding, Framing, Reply};
use crate::{
    Behaviour, Site,
    content::{path_of_page, plain_page},
    site::{Expect, Promises},
};

pub(super) fn promise(site: &Site, pages: usize) -> Promises {
    let mut promises = Promises::default();
    // Odd pages have one target: their truth is about the site, not about its pages.
    let pages = if site.behaviour.is_ordinary() { pages.max(1) } else { 1 };
    for index in 0..pages {
        let path = path_of_page(site.category, index);
        let expect = match site.behaviour {
            Behaviour::SpaShell => {
                Expect { needs_browser: true, charset: Some("UTF-8"), ..Expect::captured() }
            }
            Behaviour::EmptyPage => Expect::captured(),
            Behaviour::NoContent => Expect { status: Some(204), ..Expect::captured() },
            _ => Expect::page(&path),
        };
        promises.target(site, &path, expect);
    }
    promises
}

pub(super) fn promise_types(site: &Site) -> Promises {
    let mut promises = Promises::default();
    let path = format!("/files/1.{}", file_of(site.behaviour).1);
    promises.target(site, &path, Expect::excluded(Exclusion::ContentType));
    promises
}

fn file_of(behaviour: Behaviour) -> (&'static str, &'static str, &'static [u8]) {
    match behaviour {
        Behaviour::TypePdf => ("application/pdf", "pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
        Behaviour::TypeZip => ("application/zip", "zip", b"PK\x03\x04\x14\x00\x00\x00"),
        _ => ("image/png", "png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
    }
}

pub(super) fn answer(site: &Site, ask: Ask<'_>) -> Answer {
    use Behaviour as B;
    let (coding, framing) = match site.behaviour {
        B::StaticGzip => (Coding::Gzip, Framing::Length),
        B::StaticBrotli => (Coding::Brotli, Framing::Length),
        B::StaticZstd => (Coding::Zstd, Framing::Length),
        B::StaticDeflate => (Coding::Deflate, Framing::Length),
        B::StaticChunked => (Coding::Identity, Framing::Chunked),
        B::StaticChunkedGzip => (Coding::Gzip, Framing::Chunked),
        B::StaticUntilClose => (Coding::Identity, Framing::UntilClose),
        B::SpaShell => return Answer::reply(Reply::html(200, site.organisation().shell(ask.path))),
        B::EmptyPage => return Answer::reply(Reply::html(200, "")),
        B::NoContent => return Answer::reply(Reply { headers: Vec::new(), ..Reply::html(204, "") }),
        B::TypeImage | B::TypePdf | B::TypeZip => {
            let (content_type, _, magic) = file_of(site.behaviour);
            let body: Bytes =
                magic.iter().copied().chain((0..20_000u32).map(|n| ((n * 31) >> 3) as u8)).collect();
            return Answer::reply(Reply::typed(200, content_type, body));
        }
        _ => (Coding::Identity, Framing::Length),
    };
    let mut answer = ordinary(site, ask, coding, framing);
    if let super::Script::Reply(reply) = &mut answer.script {
        match site.behaviour {
            B::NoContentType => reply.headers.retain(|(name, _)| *name != "Content-Type"),
            B::GzipInNameOnly => reply.headers.push(("Content-Encoding", "gzip".into())),
            _ => {}
        }
    }
    answer
}

/// The site's page at the path that was asked for, or a 404.
pub(super) fn ordinary(site: &Site, ask: Ask<'_>, coding: Coding, framing: Framing) -> Answer {
    let path = ask.path;
    if !site.has_page(path) {
        return not_found();
    }
    let coding = coding.if_accepted(ask.accept_encoding);
    let mut reply = Reply::html(200, "").with("Vary", "Accept-Encoding");
    reply.headers.extend(site.organisation().headers(path));
    if coding != Coding::Identity {
        reply = reply.with("Content-Encoding", coding.name());
    }
    reply.body = Body::Page { path: path.to_owned(), coding };
    reply.framing = framing;
    Answer::reply(reply)
}

pub(super) fn not_found() -> Answer {
    Answer::reply(Reply::html(
        404,
        plain_page("Not found", "There is no page at this address, and there never was one."),
    ))
}
