//! Is a server believed to be who it says, and spoken to in its best protocol?

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use domain::FailureKind as K;
use fetch::{FetchError, FetchSettings, Fetcher};
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::TlsAcceptor;

use crate::support::{Server, failure_of, get, hasty_settings, loopback_settings, response};

struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), issuer.pem()).unwrap();
        Authority { issuer, folder }
    }

    /// A server's side of TLS with a certificate for this name, signed by the authority, changed as the test wants.
    fn acceptor(
        &self,
        name: &str,
        protocols: &[&[u8]],
        change: impl FnOnce(&mut CertificateParams),
    ) -> TlsAcceptor {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        acceptor_with(certificate.der().clone(), &key, protocols)
    }

    /// A fetcher that trusts the authority and finds `secure.test` at the server.
    fn fetcher(&self, server: &Server) -> Fetcher {
        self.fetcher_with(server, loopback_settings())
    }

    fn fetcher_with(&self, server: &Server, settings: FetchSettings) -> Fetcher {
        let hosts = self.folder.path().join("hosts");
        std::fs::write(&hosts, format!("127.0.0.1 secure.test 443={}\n", server.address.port())).unwrap();
        Fetcher::new(FetchSettings {
            hosts_file: Some(hosts),
            extra_ca_file: Some(self.folder.path().join("ca.pem")),
            ..settings
        })
        .unwrap()
    }
}

fn acceptor_with(
    certificate: rustls::pki_types::CertificateDer<'static>,
    key: &KeyPair,
    protocols: &[&[u8]],
) -> TlsAcceptor {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}

async fn start_http1(acceptor: TlsAcceptor, answer: Vec<u8>) -> Server {
    let answer: Arc<[u8]> = answer.into();
    Server::start(move |stream, _| {
        let (acceptor, answer) = (acceptor.clone(), Arc::clone(&answer));
        async move {
            let Ok(mut tls) = acceptor.accept(stream).await else { return };
            let mut request = [0; 4096];
            while tls.read(&mut request).await.is_ok_and(|read| read > 0) {
                if tls.write_all(&answer).await.is_err() || tls.flush().await.is_err() {
                    return;
                }
                if !answer.starts_with(b"HTTP/1.1 200 OK\r\nContent-Length") {
                    // Gone without TLS's goodbye, as many a server goes.
                    return;
                }
            }
        }
    })
    .await
}

async fn start_http2(acceptor: TlsAcceptor) -> Server {
    Server::start(move |stream, _| serve_http2(acceptor.clone(), stream)).await
}

async fn serve_http2(acceptor: TlsAcceptor, stream: TcpStream) {
    let Ok(tls) = acceptor.accept(stream).await else { return };
    let service = service_fn(|request: http::Request<hyper::body::Incoming>| async move {
        let answer = http::Response::builder();
        let answer = match request.uri().path() {
            "/flood" => answer.header("x-flood", "x".repeat(100_000)),
            "/deluge" => answer.header("x-flood", "x".repeat(1_000_000)),
            "/many" => (0..300).fold(answer, |answer, index| answer.header(format!("x-{index}"), "1")),
            "/reset" => return Err("the stream is given up"),
            "/slow" => {
                tokio::time::sleep(Duration::from_millis(100)).await;
                answer
            }
            _ => answer,
        };
        let seen = format!("{} {:?} {:?}", request.uri(), request.version(), request.headers().get("host"));
        Ok(answer.body(Full::new(Bytes::from(seen))).unwrap())
    });
    let _ = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
        .serve_connection(TokioIo::new(tls), service)
        .await;
}

#[tokio::test]
async fn a_certificate_of_the_extra_authority_is_trusted() {
    let authority = Authority::new();
    let acceptor = authority.acceptor("secure.test", &[b"http/1.1"], |_| {});
    let server = start_http1(acceptor, response("200 OK", b"secret page")).await;
    let fetcher = authority.fetcher(&server);
    for _ in 0..3 {
        let answer = get(&fetcher, "https://secure.test/").await.unwrap();
        assert_eq!((answer.http_version, &answer.body[..]), ("HTTP/1.1", &b"secret page"[..]));
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_certificate_that_is_not_valid_for_name_and_time_is_refused() {
    let authority = Authority::new();
    let expired = authority.acceptor("secure.test", &[b"http/1.1"], |params| {
        params.not_before = rcgen::date_time_ymd(2019, 1, 1);
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
    });
    let other_host = authority.acceptor("other.test", &[b"http/1.1"], |_| {});
    let stranger = Authority::new().acceptor("secure.test", &[b"http/1.1"], |_| {});
    let key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(["secure.test".to_owned()]).unwrap().self_signed(&key).unwrap();
    let self_signed = acceptor_with(own.der().clone(), &key, &[b"http/1.1"]);
    for (what, acceptor) in [
        ("expired", expired),
        ("for another host", other_host),
        ("of a stranger", stranger),
        ("self-signed", self_signed),
    ] {
        let server = start_http1(acceptor, response("200 OK", b"")).await;
        let kind = failure_of(&authority.fetcher(&server), "https://secure.test/").await;
        assert_eq!(kind, K::TlsCertificate, "{what}");
    }
}

#[tokio::test]
async fn what_is_not_tls_or_never_answers_is_a_handshake_failure() {
    let authority = Authority::new();
    let talker = Server::start(|mut stream, _| async move {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    })
    .await;
    let silent = Server::start(|mut stream, _| async move {
        let _ = stream.read_to_end(&mut Vec::new()).await;
    })
    .await;
    let closing = Server::start(|stream, _| async move { drop(stream) }).await;
    for server in [&talker, &silent, &closing] {
        let fetcher = authority.fetcher_with(server, hasty_settings());
        assert_eq!(failure_of(&fetcher, "https://secure.test/").await, K::TlsHandshake);
    }
}

#[tokio::test]
async fn an_unframed_body_may_end_without_the_goodbye_of_tls_but_a_framed_one_may_not() {
    let authority = Authority::new();
    let start = |answer: &str| {
        start_http1(authority.acceptor("secure.test", &[b"http/1.1"], |_| {}), answer.as_bytes().to_vec())
    };
    let unframed = start("HTTP/1.1 200 OK\r\n\r\nall there is").await;
    let answer = get(&authority.fetcher(&unframed), "https://secure.test/").await.unwrap();
    assert_eq!(answer.body, "all there is");
    let framed = start("HTTP/1.1 200 Ok\r\nContent-Length: 50\r\n\r\nnot all").await;
    assert_eq!(failure_of(&authority.fetcher(&framed), "https://secure.test/").await, K::TruncatedBody);
}

#[tokio::test]
async fn http2_is_spoken_where_the_server_can_and_shares_one_connection() {
    let authority = Authority::new();
    let server = start_http2(authority.acceptor("secure.test", &[b"h2"], |_| {})).await;
    let fetcher = authority.fetcher(&server);
    let answer = get(&fetcher, "https://secure.test/page?x=1").await.unwrap();
    assert_eq!(answer.http_version, "HTTP/2.0");
    assert_eq!(answer.body, "https://secure.test/page?x=1 HTTP/2.0 None");
    let at_once = (0..8).map(|index| {
        let fetcher = fetcher.clone();
        tokio::spawn(async move { get(&fetcher, &format!("https://secure.test/slow?{index}")).await })
    });
    for task in at_once.collect::<Vec<_>>() {
        assert_eq!(task.await.unwrap().unwrap().status, 200);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn http2_is_not_offered_where_the_settings_say_so() {
    let authority = Authority::new();
    let acceptor = authority.acceptor("secure.test", &[b"h2", b"http/1.1"], |_| {});
    let server = start_http1(acceptor, response("200 OK", b"")).await;
    let settings = FetchSettings { http2: false, ..loopback_settings() };
    let fetcher = authority.fetcher_with(&server, settings);
    assert_eq!(get(&fetcher, "https://secure.test/").await.unwrap().http_version, "HTTP/1.1");
}

#[tokio::test]
async fn http2_streams_that_break_are_told_apart() {
    let authority = Authority::new();
    let server = start_http2(authority.acceptor("secure.test", &[b"h2"], |_| {})).await;
    let fetcher = authority.fetcher(&server);
    for (path, expected) in [
        ("many", K::HeaderFlood),
        ("flood", K::HeaderFlood),
        ("deluge", K::HeaderFlood),
        ("reset", K::ConnectionLost),
    ] {
        let failure = match get(&fetcher, &format!("https://secure.test/{path}")).await {
            Err(FetchError::Failed(failure)) => failure,
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(failure.kind, expected, "{path}: {failure}");
    }
}

#[tokio::test]
async fn a_stream_that_the_server_gave_up_is_not_asked_for_again() {
    let authority = Authority::new();
    let server = start_http2(authority.acceptor("secure.test", &[b"h2"], |_| {})).await;
    let fetcher = authority.fetcher(&server);
    get(&fetcher, "https://secure.test/").await.unwrap();
    assert_eq!(failure_of(&fetcher, "https://secure.test/reset").await, K::ConnectionLost);
    assert_eq!(get(&fetcher, "https://secure.test/").await.unwrap().status, 200);
    assert_eq!(server.connections(), 1);
}
