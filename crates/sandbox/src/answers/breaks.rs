//! How do answers break?

use bytes::Bytes;
use domain::FailureKind;

use super::{Answer, Coding, Reply, Step, encode, reply::head};
use crate::{
    Behaviour, Site,
    site::{Expect, Promises},
};

pub(super) fn promise(site: &Site) -> Promises {
    use Behaviour as B;
    // Where the head is good and the body breaks, its status was received.
    let broken_body = |kind| Expect::failed_by_status(kind, 200);
    let expect = match site.behaviour {
        B::ResetBeforeHead | B::CloseWithoutAnswer => Expect::failed(FailureKind::ConnectionLost),
        B::ResetInBody => broken_body(FailureKind::ConnectionLost),
        B::TruncatedLength => broken_body(FailureKind::TruncatedBody),
        B::TruncatedGzip | B::UnknownEncoding => broken_body(FailureKind::BadEncoding),
        B::BrokenChunking => broken_body(FailureKind::BrokenChunking),
        B::Garbage => Expect::failed(FailureKind::BadResponse),
        _ => Expect::failed(FailureKind::HeaderFlood),
    };
    let mut promises = Promises::default();
    promises.target(site, "/about", expect);
    promises
}

pub(super) fn answer(site: &Site) -> Answer {
    use Behaviour as B;
    let page = || Bytes::from(site.organisation().html(&site.name, "/about"));
    match site.behaviour {
        B::ResetBeforeHead => Answer::steps(0, vec![Step::Reset]),
        B::CloseWithoutAnswer => Answer::steps(0, Vec::new()),
        B::ResetInBody => {
            let whole = Reply::html(200, "").to_http1(&page(), true);
            // A reset throws away what the client has not read yet; the pause lets it read the head first.
            let pause = Step::Wait(std::time::Duration::from_millis(100));
            Answer::steps(200, vec![Step::Send(whole.slice(..whole.len() / 2)), pause, Step::Reset])
        }
        B::TruncatedLength => {
            let whole = Reply::html(200, "").to_http1(&page(), true);
            Answer::steps(200, vec![Step::Send(whole.slice(..whole.len() - 500))])
        }
        B::TruncatedGzip => {
            let body = encode(Coding::Gzip, page().to_vec());
            let reply = Reply::html(200, body.slice(..body.len() * 2 / 3));
            Answer::reply(reply.with("Content-Encoding", "gzip"))
        }
        B::UnknownEncoding => Answer::reply(Reply::html(200, page()).with("Content-Encoding", "rot13")),
        B::BrokenChunking => {
            let mut wire = head(200, &[("Content-Type", "text/html".into())]);
            wire.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n10\r\n<!doctype html>\n\r\nzz\r\nnot a chunk\r\n0\r\n\r\n");
            Answer::steps(200, vec![Step::Send(wire.into())])
        }
        B::Garbage => Answer::steps(
            0,
            vec![Step::Send(Bytes::from_static(b"\x00\x01\x02 SMTP ready, who are you?\r\n\r\n"))],
        ),
        B::HeaderFloodMany => {
            let mut wire = head(200, &[("Content-Type", "text/html".into())]);
            for number in 0..10_000 {
                wire.extend_from_slice(format!("X-Flood-{number}: {number}\r\n").as_bytes());
            }
            wire.extend_from_slice(b"Content-Length: 2\r\n\r\nok");
            Answer::steps(200, vec![Step::Send(wire.into())])
        }
        _ => {
            let mut wire = head(200, &[("Content-Type", "text/html".into())]);
            wire.extend_from_slice(b"X-Long: ");
            wire.resize(wire.len() + (1 << 20), b'x');
            wire.extend_from_slice(b"\r\nContent-Length: 2\r\n\r\nok");
            Answer::steps(200, vec![Step::Send(wire.into())])
        }
    }
}
