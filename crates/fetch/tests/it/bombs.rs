//! Does a small body that unpacks to gigabytes stop at the cap?

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    thread,
};

use crate::support::{get, loopback_fetcher};

/// What each bomb would unpack to.
const UNPACKED_BYTES: usize = 1 << 30;
/// The default of the settings.
const CAP: usize = 5 * 1024 * 1024;

fn zeros_into(mut encoder: impl Write) -> io::Result<()> {
    let block = vec![0; 1 << 20];
    for _ in 0..UNPACKED_BYTES / block.len() {
        encoder.write_all(&block)?;
    }
    encoder.flush()
}

fn send_bomb(coding: &str, stream: &mut TcpStream) -> io::Result<()> {
    let level = flate2::Compression::fast();
    match coding {
        "gzip" => zeros_into(flate2::write::GzEncoder::new(stream, level)),
        "deflate" => zeros_into(flate2::write::ZlibEncoder::new(stream, level)),
        "br" => zeros_into(brotli::CompressorWriter::new(stream, 65_536, 1, 22)),
        "zstd" => zeros_into(zstd::stream::write::Encoder::new(stream, 1)?.auto_finish()),
        "gzip, gzip" => {
            let inner = flate2::write::GzEncoder::new(stream, level);
            zeros_into(flate2::write::GzEncoder::new(inner, level))
        }
        other => panic!("no bomb for {other}"),
    }
}

/// Packs the bomb while it is downloaded, so that the test holds no more of it than the fetch does.
fn start_bomber(coding: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n");
        // The fetch hangs up at its cap, so a failing write is the expected end.
        let _ = send_bomb(coding, &mut stream);
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read(&mut [0; 64]);
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bomb_in_any_coding_is_cut_at_the_cap() {
    let fetcher = loopback_fetcher();
    for coding in ["gzip", "deflate", "br", "zstd", "gzip, gzip"] {
        let address = start_bomber(coding);
        let answer = get(&fetcher, &format!("http://{address}/")).await.unwrap();
        assert!(answer.truncated && answer.wire_body.is_empty(), "{coding}");
        assert_eq!(answer.body.len(), CAP, "{coding}");
        assert!(answer.body.iter().all(|byte| *byte == 0), "{coding}");
    }
}

#[tokio::test]
async fn an_endless_plain_body_is_cut_at_the_cap() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", u64::MAX / 2);
        while stream.write_all(&[b'x'; 65_536]).is_ok() {}
    });
    let answer = get(&loopback_fetcher(), &format!("http://{address}/")).await.unwrap();
    assert_eq!((answer.truncated, answer.body.len()), (true, CAP));
}
