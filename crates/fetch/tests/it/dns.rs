//! Are names looked up as they should be, and is what was checked what is asked?

use std::{
    collections::HashMap,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};

use domain::FailureKind as K;
use fetch::{AllowPrivate, FetchError, FetchSettings, Fetcher};
use tokio::net::UdpSocket;

use crate::support::{Server, failure_of, get, lease, loopback_settings, response};

#[derive(Clone)]
pub enum Answer {
    Addresses(Vec<Ipv4Addr>),
    /// One list for each query in turn, the last one for ever; never to be cached.
    InTurn(Vec<Vec<Ipv4Addr>>),
    ServerFailure,
    Garbage,
    Silence,
}

/// A name server of a few lines: A records by name, nothing for AAAA.
pub async fn start_dns(
    answers: impl IntoIterator<Item = (&'static str, Answer)>,
) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let answers: HashMap<String, Answer> =
        answers.into_iter().map(|(name, answer)| (name.into(), answer)).collect();
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    tokio::spawn(async move {
        let mut turns: HashMap<String, usize> = HashMap::new();
        let mut packet = [0; 1500];
        while let Ok((length, from)) = socket.recv_from(&mut packet).await {
            let query = &packet[..length];
            let (name, question_end) = read_name(query);
            let is_a = query[question_end - 4..question_end - 2] == [0, 1];
            if is_a {
                log.lock().unwrap().push(name.clone());
            }
            let (code, ttl, addresses) = match answers.get(&name) {
                None => (3, 60, vec![]),
                Some(Answer::ServerFailure) => (2, 60, vec![]),
                Some(Answer::Silence) => continue,
                Some(Answer::Garbage) => {
                    let _ = socket.send_to(b"not DNS", from).await;
                    continue;
                }
                Some(Answer::Addresses(addresses)) => (0, 60, addresses.clone()),
                Some(Answer::InTurn(lists)) => {
                    let turn = turns.entry(name.clone()).or_default();
                    let list = lists[(*turn).min(lists.len() - 1)].clone();
                    *turn += usize::from(is_a);
                    (0, 0, list)
                }
            };
            let addresses = if is_a { addresses } else { vec![] };
            let reply = build_reply(&query[..question_end], code, ttl, &addresses);
            let _ = socket.send_to(&reply, from).await;
        }
    });
    (address, asked)
}

/// The name of the question, and where the question ends.
fn read_name(query: &[u8]) -> (String, usize) {
    let mut labels = Vec::new();
    let mut at = 12;
    while query[at] != 0 {
        let length = usize::from(query[at]);
        labels.push(String::from_utf8(query[at + 1..=at + length].to_vec()).unwrap().to_lowercase());
        at += length + 1;
    }
    (labels.join("."), at + 5)
}

fn build_reply(query: &[u8], code: u8, ttl: u32, addresses: &[Ipv4Addr]) -> Vec<u8> {
    let mut reply = query[..2].to_vec();
    reply.extend([0x81, 0x80 | code, 0, 1, 0, u8::try_from(addresses.len()).unwrap(), 0, 0, 0, 0]);
    reply.extend(&query[12..]);
    for address in addresses {
        reply.extend([0xc0, 12, 0, 1, 0, 1]);
        reply.extend(ttl.to_be_bytes());
        reply.extend([0, 4]);
        reply.extend(address.octets());
    }
    reply
}

fn fetcher(nameserver: SocketAddr, allow_private: AllowPrivate) -> Fetcher {
    Fetcher::new(FetchSettings {
        nameservers: vec![nameserver],
        resolve_timeout: Duration::from_millis(600),
        allow_private,
        ..loopback_settings()
    })
    .unwrap()
}

const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;

#[tokio::test]
async fn a_name_is_looked_up_once_and_then_remembered() {
    let server = Server::saying(response("200 OK\r\nConnection: close", b"by name")).await;
    let (dns, asked) = start_dns([("shop.test", Answer::Addresses(vec![LOOPBACK]))]).await;
    let fetcher = fetcher(dns, AllowPrivate::All);
    for _ in 0..3 {
        let answer = get(&fetcher, &format!("http://Shop.test:{}/", server.address.port())).await.unwrap();
        assert_eq!(answer.body, "by name");
    }
    assert_eq!(*asked.lock().unwrap(), ["shop.test"]);
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_not_found_and_asked_for_once() {
    let (dns, asked) = start_dns([("empty.test", Answer::Addresses(vec![]))]).await;
    let fetcher = fetcher(dns, AllowPrivate::None);
    assert_eq!(failure_of(&fetcher, "http://nobody.test/").await, K::DnsNotFound);
    assert_eq!(failure_of(&fetcher, "http://empty.test/").await, K::DnsNotFound);
    // No search domain of this machine was tried behind the name.
    assert!(asked.lock().unwrap().iter().all(|name| ["nobody.test", "empty.test"].contains(&name.as_str())));
    let long = format!("http://{}.test/", "x".repeat(64));
    assert_eq!(failure_of(&fetcher, &long).await, K::DnsNotFound);
}

#[tokio::test]
async fn a_name_server_that_fails_or_is_silent_is_a_dns_failure() {
    let (dns, _) = start_dns([
        ("broken.test", Answer::ServerFailure),
        ("silent.test", Answer::Silence),
        ("garbage.test", Answer::Garbage),
    ])
    .await;
    let fetcher = fetcher(dns, AllowPrivate::None);
    for name in ["broken.test", "silent.test", "garbage.test"] {
        assert_eq!(failure_of(&fetcher, &format!("http://{name}/")).await, K::DnsFailed, "{name}");
    }
}

#[tokio::test]
async fn a_name_with_one_private_address_is_refused_as_a_whole() {
    let public = Ipv4Addr::new(93, 184, 215, 14);
    let server = Server::saying(response("200 OK", b"inside")).await;
    let (dns, _) = start_dns([
        ("private.test", Answer::Addresses(vec![LOOPBACK])),
        ("mixed.test", Answer::Addresses(vec![public, LOOPBACK])),
        (
            "hidden.test",
            Answer::Addresses([vec![public; 6], vec![Ipv4Addr::new(169, 254, 169, 254)]].concat()),
        ),
        ("public.test", Answer::Addresses(vec![public])),
    ])
    .await;
    let fetcher = fetcher(dns, AllowPrivate::None);
    for name in ["private.test", "mixed.test", "hidden.test"] {
        let url = format!("http://{name}:{}/", server.address.port());
        let refused = get(&fetcher, &url).await;
        assert!(matches!(refused, Err(FetchError::PrivateAddress { .. })), "{name}: {refused:?}");
    }
    assert_eq!(server.connections(), 0);
    assert_eq!(fetcher.route(&lease("http://public.test/")).await.unwrap().address(), public);
}

#[tokio::test]
async fn a_name_that_is_rebound_after_the_check_gains_nothing() {
    // Two servers on one port: the one that was checked, and the one that the attacker wants reached.
    let allowed = Server::start_at("127.8.0.1:0", |stream, _| answer_once(stream, "checked")).await;
    let port = allowed.address.port();
    let target =
        Server::start_at(&format!("127.0.0.1:{port}"), |stream, _| answer_once(stream, "inside")).await;
    let checked = Ipv4Addr::new(127, 8, 0, 1);
    let (dns, asked) =
        start_dns([("rebind.test", Answer::InTurn(vec![vec![checked], vec![LOOPBACK]]))]).await;
    let only_the_sandbox = AllowPrivate::Networks(vec!["127.8.0.0/16".parse().unwrap()]);
    let fetcher = fetcher(dns, only_the_sandbox);
    let lease = lease(&format!("http://rebind.test:{port}/"));

    let route = fetcher.route(&lease).await.unwrap();
    assert_eq!(route.address(), checked);
    assert_eq!(fetcher.fetch(&lease, route).await.unwrap().body, "checked");
    assert!(matches!(fetcher.route(&lease).await, Err(FetchError::PrivateAddress { .. })));
    assert_eq!((allowed.connections(), target.connections()), (1, 0));
    assert_eq!(asked.lock().unwrap().len(), 2);
}

async fn answer_once(mut stream: tokio::net::TcpStream, body: &'static str) {
    use tokio::io::AsyncWriteExt;
    crate::support::read_request(&mut stream).await;
    let _ = stream.write_all(&response("200 OK\r\nConnection: close", body.as_bytes())).await;
}
