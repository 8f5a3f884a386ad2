//! Can a list, a name or a redirect make it connect to a private address?

use std::{
    collections::HashSet,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket},
    thread,
};

use crate::support::{
    found::{Ending, check_books, endings},
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

const SETTINGS: &str = "\
crawl:
  default_crawl_delay_seconds: 0.01
  connect_timeout_seconds: 1
  retry:
    transient_retries: 0
network:
  hosts_file: hosts
";

fn home(trap: &Trap, allowed: &str, hosts: &str) -> Home {
    let home = Home::migrated(SETTINGS, &[&format!("network.allow_private={allowed}")]);
    home.write("hosts", hosts.replace("PORT", &trap.port.to_string()).as_bytes());
    home
}

/// Crawls the URLs, checks that each was refused as private or ended in one of the `other` ways, and that nothing
/// arrived; says how many were refused.
fn crawl_and_count_private(trap: &Trap, home: &Home, urls: &[String], other: &[&str]) -> usize {
    let list = home.write("list.txt", (urls.join("\n") + "\n").as_bytes());
    home.crawl("r", &list);
    let found = endings(home, "r");
    check_books(home, "r", &found);
    assert_eq!(found.len(), urls.len());
    let is_private = |ending: &Ending| ending.detail == "private_address";
    for (line, ending) in &found {
        let url = &urls[usize::try_from(line - 1).unwrap()];
        let named = |name: &&str| ending.detail == *name || ending.disposition == *name;
        assert!(is_private(ending) || other.iter().any(named), "{url} ended as {ending:?}");
    }
    assert_eq!(trap.connections(), 0, "something came through");
    found.values().filter(|ending| is_private(ending)).count()
}

pub fn no_spelling_of_a_private_address_is_connected_to() {
    assert!(VECTORS.len() >= 60);
    let trap = Trap::set(|_, _| not_found());
    let home = home(&trap, "false", "");
    // where somebody listens, and the port that a URL means when it names none
    let mut urls: Vec<String> = VECTORS.iter().map(|host| format!("http://{host}:{}/", trap.port)).collect();
    urls.extend(VECTORS.iter().map(|host| format!("https://{host}/")));
    // another spelling of one that was refused is a duplicate, and one that is no host is rejected
    let excluded = crawl_and_count_private(&trap, &home, &urls, &["duplicate", "rejected"]);
    eprintln!("addresses: {} URLs, {excluded} excluded, 0 connections", urls.len());
}

pub fn no_name_or_redirect_leads_to_a_private_address() {
    let trap = Trap::set(|host, path| {
        let number = host.strip_prefix("leads-").and_then(|rest| rest.split('.').next());
        match number.and_then(|number| number.parse::<usize>().ok()) {
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
    // a name with two addresses is on two lines
    urls.dedup();
    for number in 0..VECTORS.len() {
        hosts.push_str(&format!("{PUBLIC} leads-{number}.test\n"));
        urls.push(format!("http://leads-{number}.test:{}/", trap.port));
    }
    let home = home(&trap, &format!("[{PUBLIC}/32]"), &hosts);
    // a redirect to what is no host at all leads nowhere
    let excluded = crawl_and_count_private(&trap, &home, &urls, &["bad_redirect"]);
    eprintln!("addresses: {} names and redirects, {excluded} excluded, 0 connections", urls.len());
}

pub fn a_name_whose_address_changes_is_checked_anew() {
    let trap = Trap::set(|_, path| if path == "/robots.txt" { not_found() } else { page("public") });
    let name_server = flipping_name_server();
    let home = home(&trap, &format!("[{PUBLIC}/32]"), "");
    let urls: Vec<String> =
        (0..8).map(|number| format!("http://rebind-{number}.example.com:{}/", trap.port)).collect();
    home.write_settings(&format!("{SETTINGS}  nameservers: ['{name_server}']\n"));
    // a page is captured only where the connection that was checked could be used again
    let refused = crawl_and_count_private(&trap, &home, &urls, &["captured"]);
    eprintln!("addresses: {refused} of {} names that moved inside were refused, 0 connections", urls.len());
    assert!(refused > 0, "the names never moved");
}

/// A name server that gives each name the public address once, and then loopback.
fn flipping_name_server() -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    let address = socket.local_addr().expect("a socket has an address");
    thread::spawn(move || {
        let mut asked: HashSet<Vec<u8>> = HashSet::new();
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
