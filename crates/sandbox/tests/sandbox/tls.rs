//! Are good certificates good and bad ones bad?

use std::sync::Arc;

use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use sandbox::{Behaviour as B, Plan};
use tokio::{io::AsyncWriteExt, net::TcpStream};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::client::{Sandbox, serve};

async fn connect(
    sandbox: &Sandbox,
    behaviour: B,
    protocols: &[&[u8]],
) -> std::io::Result<TlsStream<TcpStream>> {
    let site = sandbox.site(behaviour);
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(sandbox.server.ca_pem().as_bytes()).expect("a certificate"))
        .expect("an authority");
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the usual versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let address = site.address.expect("an address");
    let stream = TcpStream::connect((address, sandbox.server.https_port())).await.expect("somebody listens");
    let name = ServerName::try_from(site.name.clone()).expect("a name");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

#[tokio::test]
async fn good_certificates_are_trusted_and_bad_ones_fail_for_their_own_reason() {
    let sandbox =
        serve(&Plan::only(&[B::TlsGood, B::TlsExpired, B::TlsWrongHost, B::TlsSelfSigned, B::TlsPlainText]))
            .await;
    let mut stream = connect(&sandbox, B::TlsGood, &[]).await.expect("a good certificate");
    let request = format!("GET /robots.txt HTTP/1.1\r\nHost: {}\r\n\r\n", sandbox.site(B::TlsGood).name);
    stream.write_all(request.as_bytes()).await.expect("taken");
    let mut answer = [0; 9];
    tokio::io::AsyncReadExt::read_exact(&mut stream, &mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 ");
    let request = sandbox.server.requests().remove(0);
    assert_eq!((&request.scheme[..], &request.path[..]), ("https", "/robots.txt"));

    for (behaviour, reason) in [
        (B::TlsExpired, "expired"),
        (B::TlsWrongHost, "not valid for name"),
        (B::TlsSelfSigned, "UnknownIssuer"),
    ] {
        let error = connect(&sandbox, behaviour, &[]).await.expect_err("a bad certificate").to_string();
        assert!(error.contains(reason), "{behaviour}: {error}");
    }
    let error = connect(&sandbox, B::TlsPlainText, &[]).await.expect_err("not TLS").to_string();
    assert!(!error.contains("certificate"), "{error}");
}

#[tokio::test]
async fn http2_is_spoken_where_it_is_on_offer_and_wanted() {
    let sandbox = serve(&Plan::only(&[B::TlsH2, B::TlsGood])).await;
    let good = connect(&sandbox, B::TlsGood, &[b"h2", b"http/1.1"]).await.expect("a good certificate");
    assert_eq!(good.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    let old = connect(&sandbox, B::TlsH2, &[b"http/1.1"]).await.expect("a good certificate");
    assert_eq!(old.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));

    let stream = connect(&sandbox, B::TlsH2, &[b"h2", b"http/1.1"]).await.expect("a good certificate");
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (mut sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("a handshake");
    let driver = tokio::spawn(connection);
    for line in sandbox.world.truth().iter().filter(|line| line.behaviour == Some(B::TlsH2)) {
        let request = http::Request::get(&line.url).body(Empty::<bytes::Bytes>::new()).expect("a request");
        let response = sender.send_request(request).await.expect("a response");
        assert_eq!(response.status(), 200);
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        let title = &line.page.as_ref().expect("its content is known").title;
        assert!(String::from_utf8_lossy(&body).contains(title.as_str()));
    }
    let requests = sandbox.server.requests();
    assert!(requests.iter().all(|request| request.http_version == "HTTP/2.0" && request.status == 200));
    drop(sender);
    driver.abort();
}
