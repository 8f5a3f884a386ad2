//! How is HTTP/2 spoken?

use std::{convert::Infallible, net::Ipv4Addr, sync::Arc};

use bytes::Bytes;
use http::{Response, header};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::{
    head::Head,
    shared::{Connection, Decision, Shared},
};
use crate::answers::Script;

/// Answers the requests of one connection. It follows the rules of HTTP: only HTTP/1.1 misbehaves here.
pub(super) async fn serve(stream: TlsStream<TcpStream>, shared: Arc<Shared>, address: Ipv4Addr) {
    let over = shared.connection(address, true, "HTTP/2.0");
    let service = service_fn(move |request| {
        let response = respond(&shared, &request, over);
        async move { Ok::<_, Infallible>(response) }
    });
    // A client that breaks the rules loses its connection; there is nobody here to tell.
    let _ = http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

fn respond(shared: &Shared, request: &http::Request<Incoming>, over: Connection) -> Response<Full<Bytes>> {
    let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
    let head = Head {
        method: request.method().as_str(),
        path: request.uri().path_and_query().map_or("/", |path| path.as_str()),
        host: request.uri().host().unwrap_or_else(|| text(header::HOST)),
        user_agent: text(header::USER_AGENT),
        accept_encoding: text(header::ACCEPT_ENCODING),
        last: false,
    };
    let Decision::Of(site, answer) = shared.decide(&head, over) else {
        return bare(421);
    };
    let Script::Reply(reply) = answer.script else {
        return bare(500);
    };
    let mut response = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        response = response.header(*name, value.as_ref());
    }
    response.body(Full::new(shared.body_of(site, &reply))).unwrap_or_else(|_| bare(500))
}

fn bare(status: u16) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    response
}
