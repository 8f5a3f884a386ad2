//! Is the server complete in its record, confined to loopback, and quick to go?

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use sandbox::{BENCH_PAGE_BYTES, Behaviour as B, Plan, Request, ServeOptions};
use tokio::io::AsyncWriteExt;

use super::client::{host_and_path, parse, read_until, serve, serve_with};

#[tokio::test]
async fn every_request_is_recorded_in_order_in_memory_and_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let log_file = folder.path().join("requests.jsonl");
    let options = ServeOptions { log_file: Some(log_file.clone()), ..ServeOptions::default() };
    let plan = Plan::only(&[B::StaticPlain, B::StaticGzip, B::ResetBeforeHead, B::Status404]);
    let sandbox = serve_with(&plan, options).await;
    for round in 0..50 {
        for site in sandbox.world.sites() {
            sandbox.see(&site.name, &format!("/about?round={round}"), "", usize::MAX).await;
        }
    }
    let requests = sandbox.server.requests();
    assert_eq!(requests.len(), 200);
    assert!(requests.is_sorted_by_key(|request| request.at_us));
    let mut by_host: HashMap<&str, Vec<&Request>> = HashMap::new();
    for request in &requests {
        by_host.entry(&request.host).or_default().push(request);
    }
    for site in sandbox.world.sites() {
        let seen = &by_host[&site.name[..]];
        let paths: Vec<String> = seen.iter().map(|request| request.path.clone()).collect();
        assert_eq!(paths, (0..50).map(|round| format!("/about?round={round}")).collect::<Vec<_>>());
        let status = if site.behaviour == B::ResetBeforeHead { 0 } else { 404 };
        for request in seen {
            assert_eq!((request.status, &request.user_agent[..]), (status, "test/1"));
            assert_eq!(Some(request.address), site.address);
            assert_eq!((&request.scheme[..], &request.http_version[..]), ("http", "HTTP/1.1"));
        }
    }
    let file = std::fs::read_to_string(&log_file).expect("a log");
    let read: Vec<Request> = file.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    assert_eq!(read, requests);
    sandbox.server.clear_log();
    assert!(sandbox.server.requests().is_empty());
}

#[tokio::test]
async fn requests_in_one_packet_are_answered_one_after_the_other_on_one_connection() {
    let sandbox = serve(&Plan::bench(2, 3, 500)).await;
    let site = &sandbox.world.sites()[1];
    let mut stream = sandbox.connect(site).await;
    let one = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", site.name);
    let all = [one("/p/0"), one("/nothing"), one("/p/2")].concat();
    let (start, rest) = all.as_bytes().split_at(all.len() - 7);
    stream.write_all(start).await.expect("taken");
    tokio::time::sleep(Duration::from_millis(20)).await;
    stream.write_all(rest).await.expect("taken");
    let text = String::from_utf8(read_until(&mut stream, usize::MAX).await.bytes).expect("UTF-8");
    let statuses: Vec<&str> = text.matches("HTTP/1.1 200").chain(text.matches("HTTP/1.1 404")).collect();
    assert_eq!(statuses.len(), 3);
    assert_eq!(text.matches("Content-Length: 500\r\n").count(), 2);
    let requests = sandbox.server.requests();
    assert_eq!(requests.iter().map(|request| request.status).collect::<Vec<_>>(), [200, 404, 200]);
    assert!(requests.iter().all(|request| request.connection_id == requests[0].connection_id));
}

#[tokio::test]
async fn bench_pages_have_the_asked_size_and_compress_like_real_ones() {
    let options = ServeOptions { record: false, ..ServeOptions::default() };
    let sandbox = serve_with(&Plan::bench(3, 10, BENCH_PAGE_BYTES), options).await;
    let truth = sandbox.world.truth_lines().last().expect("a target");
    let (host, path) = host_and_path(&truth.url);
    let plain = sandbox.get(host, path, "br").await;
    let gzip = sandbox.get(host, path, "br, gzip;q=0.8").await;
    assert_eq!(plain.body.len(), BENCH_PAGE_BYTES);
    assert_eq!(gzip.decoded(), plain.body);
    assert!((16_500..19_000).contains(&gzip.body.len()), "{} bytes in gzip", gzip.body.len());
    assert_eq!(sandbox.get(host, "/robots.txt", "").await.status, 404);
    assert!(sandbox.server.requests().is_empty());
}

#[tokio::test]
async fn bench_pages_can_be_had_without_gzip_and_by_the_address_alone() {
    let options = ServeOptions { gzip_uniform_pages: false, ..ServeOptions::default() };
    let sandbox = serve_with(&Plan::bench(2, 3, 500), options).await;
    let [one, other] = sandbox.world.sites() else { panic!("two sites") };
    let address = |site: &sandbox::Site| site.address.expect("an address").to_string();
    for (host, status, length) in
        [(address(one), 200, 500), (address(other), 421, 0), ("127.0.0".into(), 421, 0)]
    {
        let mut stream = sandbox.connect(one).await;
        let port = sandbox.server.http_port();
        let request = format!(
            "GET /p/1 HTTP/1.1\r\nHost: {host}:{port}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("taken");
        let response = parse(&read_until(&mut stream, usize::MAX).await.bytes).expect("a response");
        assert_eq!((response.status, response.body.len()), (status, length), "{host}");
    }
}

#[tokio::test]
async fn the_hosts_file_leads_to_every_site_and_to_nothing_else() {
    let sandbox = serve(&Plan::default()).await;
    let ports = format!("80={} 443={}", sandbox.server.http_port(), sandbox.server.https_port());
    let hosts = sandbox.server.hosts_file();
    let listed: HashMap<&str, (&str, &str)> = hosts
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (address, rest) = line.split_once(' ').expect("an address");
            let (name, ports) = rest.split_once(' ').expect("a name");
            (name, (address, ports))
        })
        .collect();
    for site in sandbox.world.sites() {
        for name in site.names() {
            let expected = site.address.map(|address| address.to_string());
            let listed = listed.get(name);
            assert_eq!(listed.map(|(address, _)| (*address).to_owned()), expected, "{name}");
            assert!(listed.is_none_or(|(_, given)| *given == ports));
        }
    }
    let refused = sandbox.site(B::ConnectRefused).address.expect("an address");
    let answer = tokio::net::TcpStream::connect((refused, sandbox.server.http_port())).await;
    assert_eq!(answer.expect_err("nobody listens").kind(), std::io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn a_request_that_strayed_to_another_address_is_told_so() {
    let sandbox = serve(&Plan::only(&[B::Status404, B::Status410])).await;
    let [one, other] = sandbox.world.sites() else { panic!("two sites") };
    let mut stream = sandbox.connect(one).await;
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", other.name);
    stream.write_all(request.as_bytes()).await.expect("taken");
    let response = parse(&read_until(&mut stream, usize::MAX).await.bytes).expect("a response");
    assert_eq!(response.status, 421);
}

#[tokio::test]
async fn all_listeners_are_on_loopback() {
    let sandbox = serve(&Plan::default()).await;
    let table = std::fs::read_to_string("/proc/self/net/tcp").expect("the kernel's own list");
    let ports = [sandbox.server.http_port(), sandbox.server.https_port()];
    let mut listening = 0;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (address, port) = fields[1].split_once(':').expect("address:port");
        let port = u16::from_str_radix(port, 16).expect("a port");
        if fields[3] == "0A" && ports.contains(&port) {
            listening += 1;
            // The kernel writes the bytes of an address in the machine's order.
            assert!(address.ends_with("7F"), "{address} is not on loopback");
        }
    }
    assert!(listening > 200, "{listening}");
    let table = std::fs::read_to_string("/proc/self/net/tcp6").expect("the kernel's own list");
    for port in ports {
        assert!(!table.contains(&format!("00000000000000000000000000000000:{port:04X} ")));
    }
}

#[tokio::test]
async fn the_server_stops_at_once_with_clients_hanging_and_frees_its_ports() {
    let plan = Plan::only(&[B::Hang, B::InfiniteBody, B::StaticPlain]);
    let sandbox = serve(&plan).await;
    let mut clients = Vec::new();
    for site in sandbox.world.sites() {
        let mut stream = sandbox.connect(site).await;
        let request = format!("GET /about HTTP/1.1\r\nHost: {}\r\n\r\n", site.name);
        stream.write_all(request.as_bytes()).await.expect("taken");
        clients.push(stream);
    }
    while sandbox.server.requests().len() < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let port = sandbox.server.http_port();
    let start = Instant::now();
    sandbox.server.stop().await;
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    let again = serve_with(&plan, ServeOptions { http_port: port, ..ServeOptions::default() }).await;
    assert_eq!(again.server.http_port(), port);
    drop(clients);
}

#[tokio::test]
async fn a_taken_port_is_named_in_the_error() {
    let plan = Plan::only(&[B::StaticPlain]);
    let sandbox = serve(&plan).await;
    let options = ServeOptions { http_port: sandbox.server.http_port(), ..ServeOptions::default() };
    let error = sandbox::Server::start(std::sync::Arc::clone(&sandbox.world), options).await;
    let message = error.expect_err("the port is taken").to_string();
    assert!(message.contains(&sandbox.server.http_port().to_string()), "{message}");
}
