//! Can a list, a name or a redirect make it connect to a private address?

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket},
    thread,
};

use crate::support::{
    found::{Endings, check_books, endings},
    home::Home,
    raw::{RawServer, not_found, page, redirect},
};

/// Hosts of URLs that lead to no place on the public internet, in every spelling that some parser understands.
const VECTORS: &[&str] = &[
    // loopback: plain, short, decimal, octal, hexadecimal, mixed, with a dot at the end, full-width, percent-encoded
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0177.0.0.0x1",
    "127.0.0.1.",
    "１２７.0.0.1",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "127.0.0.01",
    "0x7F.0X0.0.1",
    // "this" network
    "0.0.0.0",
    "0",
    "0x0",
    "0.0.0.1",
    "0.255.255.255",
    // private networks
    "10.0.0.1",
    "10.255.255.254",
    "167772161",
    "0x0a000001",
    "012.0.0.1",
    "172.16.0.1",
    "172.31.255.254",
    "192.168.0.1",
    "192.168.1.1",
    "3232235777",
    "0300.0250.0.1",
    "0xc0.0xa8.1.1",
    // carrier-grade NAT, benchmarks, protocol assignments, documentation, 6to4 relays
    "100.64.0.1",
    "100.127.255.254",
    "198.18.0.1",
    "198.19.255.254",
    "192.0.0.1",
    "192.0.0.170",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "192.88.99.1",
    // the metadata services of clouds
    "169.254.169.254",
    "2852039166",
    "0xA9FEA9FE",
    "0251.0376.0251.0376",
    "0251.254.169.254",
    "169.254.43518",
    "169.254.170.2",
    "169.254.0.1",
    // multicast, reserved, broadcast
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "4294967295",
    // IPv6: unspecified, loopback, compatible, mapped
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::FFFF:10.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[0:0:0:0:0:ffff:c0a8:101]",
    "[::ffff:0:127.0.0.1]",
    // NAT64, 6to4, Teredo, ISATAP: an IPv4 address inside
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::10.0.0.1]",
    "[2002:7f00:1::1]",
    "[2002:a9fe:a9fe::]",
    "[2002:c0a8:101::1]",
    "[2001:0:7f00:1::]",
    "[fe80::5efe:127.0.0.1]",
    // unique local, link local, site local, multicast, documentation, discard
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[100::1]",
];

/// The one address that these tests allow: it plays the public internet.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(127, 9, 8, 7);

/// Listens on loopback, where nothing may ever arrive, and on the public address, at the same port.
struct Trap {
    inside: Vec<RawServer>,
    port: u16,
}

impl Trap {
    fn set(public: impl Fn(&str, &str) -> String + Send + Sync + 'static) -> Trap {
        let inside = RawServer::start(IpAddr::V4(Ipv4Addr::LOCALHOST), |_, _| page("secret"));
        let port = inside.address.port();
        let listen = |ip| TcpListener::bind(SocketAddr::new(ip, port));
        let mut inside = vec![inside];
        // a machine may have no IPv6
        inside.extend(
            listen(IpAddr::V6(Ipv6Addr::LOCALHOST)).map(|six| RawServer::listen(six, |_, _| page("secret"))),
        );
        RawServer::listen(listen(IpAddr::V4(PUBLIC)).expect("nobody else uses that address"), public);
        Trap { inside, port }
    }

    fn connections(&self) -> usize {
        self.inside.iter().map(RawServer::connections).sum()
    }
}

fn home(trap: &Trap, allowed: &str, hosts: &str) -> Home {
    let home = Home::migrated(
        "crawl:\n  default_crawl_delay_seconds: 0.01\n  connect_timeout_seconds: 1\n  retry: { transient_retries: 0 }\n\
         network: { hosts_file: hosts }\n",
        &[&format!("network.allow_private={allowed}"), "crawl.thresholds.abort_failure_percent=100"],
    );
    home.write("hosts", hosts.replace("PORT", &trap.port.to_string()).as_bytes());
    home
}

/// Crawls the URLs and checks that each was refused.
fn assert_refused(trap: &Trap, home: &Home, urls: &[String]) -> Endings {
    let list = home.write("list.txt", (urls.join("\n") + "\n").as_bytes());
    home.crawl("r", &list).expect(0);
    let found = endings(home, "r");
    assert_eq!(found.len(), urls.len());
    check_books(home, "r", &found);
    for (line, ending) in &found {
        let url = &urls[usize::try_from(line - 1).unwrap()];
        let refused = match ending.disposition.as_str() {
            "excluded" => ending.detail == "private_address",
            // another spelling of one that was refused, or no host at all
            other => other == "duplicate" || other == "rejected",
        };
        assert!(refused, "{url} ended as {ending:?}");
    }
    assert_eq!(trap.connections(), 0, "something came through");
    found
}

pub fn no_spelling_of_a_private_address_is_connected_to() {
    assert!(VECTORS.len() >= 60);
    let trap = Trap::set(|_, _| not_found());
    let home = home(&trap, "false", "");
    let spell = |scheme| move |host: &&str| format!("{scheme}://{host}:{}/", trap_port(scheme));
    // the real port for most, and ports 80 and 443 for as many again
    let mut urls: Vec<String> = VECTORS.iter().map(|host| format!("http://{host}:{}/", trap.port)).collect();
    urls.extend(VECTORS.iter().map(spell("https")));
    let found = assert_refused(&trap, &home, &urls);
    let excluded = found.values().filter(|ending| ending.disposition == "excluded").count();
    eprintln!("addresses: {} URLs, {excluded} excluded, 0 connections", urls.len());
}

fn trap_port(scheme: &str) -> u16 {
    if scheme == "https" { 443 } else { 80 }
}

pub fn no_name_or_redirect_leads_to_a_private_address() {
    let trap = Trap::set(|host, path| {
        let number = host.strip_prefix("leads-").and_then(|rest| rest.split('.').next());
        let number: Option<usize> = number.and_then(|number| number.parse().ok());
        match number {
            Some(number) if path == "/" => {
                let port = host.split(':').nth(1).unwrap_or("80");
                redirect(&format!("http://{}:{port}/inside", VECTORS[number]))
            }
            _ => not_found(),
        }
    });
    let mut hosts = String::from("127.0.0.1 inside.test 80=PORT\n::1 six.test 80=PORT\n");
    // a name with a good address among its bad ones is bad: which one would be taken is chance
    hosts.push_str(&format!("{PUBLIC} mixed.test 80=PORT\n127.0.0.1 mixed.test 80=PORT\n"));
    hosts.push_str(
        "::ffff:127.0.0.1 mapped.test 80=PORT\n10.0.0.1 inner.test\n169.254.169.254 metadata.test\n",
    );
    hosts
        .push_str("100.64.0.1 carrier.test\n64:ff9b::7f00:1 translated.test\n2002:7f00:1:: tunnelled.test\n");
    let mut urls: Vec<String> = hosts
        .lines()
        .filter_map(|line| line.split(' ').nth(1))
        .map(|name| format!("http://{name}/"))
        .collect();
    for number in 0..VECTORS.len() {
        hosts.push_str(&format!("{PUBLIC} leads-{number}.test\n"));
        urls.push(format!("http://leads-{number}.test:{}/", trap.port));
    }
    let home = home(&trap, &format!("[{PUBLIC}/32]"), &hosts);
    let found = refused_or_bad_redirects(&trap, &home, &urls);
    eprintln!("addresses: {} names and redirects, {found} excluded, 0 connections", urls.len());
}

/// Like `assert_refused`, but a redirect to what is no host at all is a bad redirect.
fn refused_or_bad_redirects(trap: &Trap, home: &Home, urls: &[String]) -> usize {
    let list = home.write("list.txt", (urls.join("\n") + "\n").as_bytes());
    home.crawl("r", &list);
    let found = endings(home, "r");
    check_books(home, "r", &found);
    for (line, ending) in &found {
        let url = &urls[usize::try_from(line - 1).unwrap()];
        let refused = matches!(ending.detail.as_str(), "private_address" | "bad_redirect" | "duplicate");
        assert!(refused, "{url} ended as {ending:?}");
    }
    assert_eq!(trap.connections(), 0, "something came through");
    found.values().filter(|ending| ending.detail == "private_address").count()
}

pub fn a_name_whose_address_changes_is_checked_anew() {
    let trap = Trap::set(|_, path| if path == "/robots.txt" { not_found() } else { page("public") });
    let name_server = flipping_name_server();
    let home = home(&trap, &format!("[{PUBLIC}/32]"), "");
    let urls: Vec<String> =
        (0..8).map(|number| format!("http://rebind-{number}.example.com:{}/", trap.port)).collect();
    let list = home.write("list.txt", (urls.join("\n") + "\n").as_bytes());
    let set = format!("network.nameservers=['{name_server}']");
    home.run(&["crawl", "--quiet", "--round", "r", "--set", &set, home_text(&list)]).expect(0);
    let found = endings(&home, "r");
    for ending in found.values() {
        // the page itself, if the checked connection or answer was used again, or nothing
        assert!(matches!(ending.detail.as_str(), "captured" | "private_address"), "{ending:?}");
    }
    let refused = found.values().filter(|ending| ending.detail == "private_address").count();
    eprintln!("addresses: {refused} of {} names that moved inside were refused, 0 connections", found.len());
    assert!(refused > 0, "the names never moved: {found:?}");
    assert_eq!(trap.connections(), 0, "something came through");
}

fn home_text(path: &std::path::Path) -> &str {
    crate::support::home::text(path)
}

/// A name server that gives each name the public address once, and then loopback.
fn flipping_name_server() -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    let address = socket.local_addr().expect("a socket has an address");
    thread::spawn(move || {
        let mut asked: std::collections::HashSet<Vec<u8>> = std::collections::HashSet::new();
        let mut query = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut query) {
            if let Some(answer) = dns_answer(&query[..length], &mut |name| {
                if asked.insert(name.to_vec()) { PUBLIC } else { Ipv4Addr::LOCALHOST }
            }) {
                let _ = socket.send_to(&answer, from);
            }
        }
    });
    address
}

/// The answer to a query with one question: an address with no time to live for type A, none for any other type.
fn dns_answer(query: &[u8], address_of: &mut dyn FnMut(&[u8]) -> Ipv4Addr) -> Option<Vec<u8>> {
    const HEAD: usize = 12;
    const TYPE_A: [u8; 2] = [0, 1];
    let name_end = HEAD + query.get(HEAD..)?.iter().position(|byte| *byte == 0)? + 1;
    let question = query.get(HEAD..name_end + 4)?;
    let is_a = query.get(name_end..name_end + 2)? == TYPE_A;
    let mut answer = query[..2].to_vec();
    // an answer, recursion available, no error; one question, perhaps one answer
    answer.extend_from_slice(&[0x81, 0x80, 0, 1, 0, u8::from(is_a), 0, 0, 0, 0]);
    answer.extend_from_slice(question);
    if is_a {
        // the question's name, type A, class IN, no time to live, four bytes
        answer.extend_from_slice(&[0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
        answer.extend_from_slice(&address_of(&query[HEAD..name_end].to_ascii_lowercase()).octets());
    }
    Some(answer)
}
