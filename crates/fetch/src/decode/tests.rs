use std::io::Write;

use proptest::prelude::*;

use super::*;
use ContentEncoding::{Br, Deflate, Gzip, Identity, Zstd};

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn br(data: &[u8]) -> Vec<u8> {
    let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4096, 4, 22);
    encoder.write_all(data).unwrap();
    encoder.into_inner()
}

fn zst(data: &[u8]) -> Vec<u8> {
    zstd::encode_all(data, 3).unwrap()
}

type Encoder = fn(&[u8]) -> Vec<u8>;

/// Every encoder beside the coding under which its output travels.
const ENCODERS: [(Encoder, ContentEncoding); 5] =
    [(gzip, Gzip), (zlib, Deflate), (raw_deflate, Deflate), (br, Br), (zst, Zstd)];

/// Text that compresses about as well as a page does, and is the same on every run.
fn text(bytes: usize) -> Vec<u8> {
    const WORDS: [&str; 8] = ["<p>", "lorem ", "ipsum ", "dolor ", "sit ", "</p>", "<a href=x>", "amet "];
    let mut state = 7_u32;
    let mut text = Vec::with_capacity(bytes + 16);
    while text.len() < bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.extend_from_slice(WORDS[(state >> 29) as usize].as_bytes());
    }
    text.truncate(bytes);
    text
}

fn pushed_in_pieces(wire: &[u8], codings: &[ContentEncoding], limit: usize, piece: usize) -> Decoded {
    let mut decoder = StreamDecoder::new(codings, limit).unwrap();
    for chunk in wire.chunks(piece) {
        decoder.push(chunk).unwrap();
    }
    decoder.finish().unwrap()
}

#[test]
fn what_each_encoder_wrote_is_read_back_whole() {
    for size in [0, 1, 100, 40_000, 3_000_000] {
        let data = text(size);
        for (encode, coding) in ENCODERS {
            let decoded = decode(&encode(&data), coding, 5_000_000).unwrap();
            assert!(decoded.complete && decoded.bytes == data, "{coding} of {size}");
        }
    }
}

#[test]
fn a_limit_is_exact_and_a_body_of_just_that_size_is_whole() {
    let data = text(200_000);
    for (encode, coding) in ENCODERS {
        let wire = encode(&data);
        assert!(decode(&wire, coding, 200_000).unwrap().complete, "{coding}");
        for limit in [0, 1, 65_536, 199_999] {
            let decoded = decode(&wire, coding, limit).unwrap();
            assert!(!decoded.complete, "{coding} at {limit}");
            assert_eq!(decoded.bytes, &data[..limit], "{coding} at {limit}");
        }
    }
}

#[test]
fn pieces_of_any_size_decode_to_the_same_body() {
    let data = text(100_000);
    for (encode, coding) in ENCODERS {
        let wire = encode(&data);
        for piece in [1, 2, 7, 4096] {
            assert_eq!(pushed_in_pieces(&wire, &[coding], 200_000, piece).bytes, data, "{coding} by {piece}");
        }
    }
}

#[test]
fn several_gzip_members_are_one_body_even_when_they_are_equal() {
    let member = gzip(&text(5_000));
    let wire = [member.clone(), member.clone(), member].concat();
    let expected = [text(5_000), text(5_000), text(5_000)].concat();
    assert_eq!(decode(&wire, Gzip, 100_000).unwrap().bytes, expected);
    assert_eq!(pushed_in_pieces(&wire, &[Gzip], 100_000, 3).bytes, expected);
}

#[test]
fn several_zstd_frames_are_one_body() {
    let wire = [zst(b"one "), zst(b"two")].concat();
    assert_eq!(decode(&wire, Zstd, 100).unwrap().bytes, b"one two");
}

#[test]
fn a_hundred_thousand_empty_gzip_members_are_refused_early() {
    let wire = gzip(b"").repeat(100_000);
    assert_eq!(decode(&wire, Gzip, 100), Err(BadEncoding::Corrupt(Gzip)));
}

#[test]
fn a_gzip_body_that_lies_about_its_size_is_still_read_whole() {
    let data = text(50_000);
    for lie in [0_u32, 10, 49_999, 50_001, 4_000_000_000] {
        let mut wire = gzip(&data);
        // The lie stands behind the real trailer, so only the hint is wrong and not the checksum.
        wire.extend_from_slice(&lie.to_le_bytes());
        assert_eq!(decode(&wire, Gzip, 1_000_000).unwrap().bytes, data, "{lie}");
    }
}

#[test]
fn bytes_after_the_end_are_passed_over() {
    let data = text(1_000);
    for (encode, coding) in ENCODERS {
        for tail in [&b"\0\0\0\0"[..], b"garbage behind the end", b"<!-- cached -->"] {
            let wire = [encode(&data), tail.to_vec()].concat();
            assert_eq!(decode(&wire, coding, 10_000).unwrap().bytes, data, "{coding}");
        }
    }
}

#[test]
fn a_stream_that_ends_early_is_an_error_wherever_it_is_cut() {
    let data = text(3_000);
    for (encode, coding) in ENCODERS {
        let wire = encode(&data);
        for kept in 1..wire.len() {
            assert!(decode(&wire[..kept], coding, 100_000).is_err(), "{coding} cut at {kept}");
        }
    }
}

#[test]
fn a_wrong_checksum_is_corrupt() {
    let mut wire = gzip(&text(2_000));
    let at = wire.len() - 6;
    wire[at] ^= 1;
    assert_eq!(decode(&wire, Gzip, 100_000), Err(BadEncoding::Corrupt(Gzip)));
}

#[test]
fn a_zstd_window_above_eight_mebibytes_is_refused_before_it_is_allocated() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    encoder.write_all(&text(1_000)).unwrap();
    assert_eq!(decode(&encoder.finish().unwrap(), Zstd, 10_000), Err(BadEncoding::Corrupt(Zstd)));
}

#[test]
fn a_brotli_large_window_is_refused() {
    // RFC 7932 reserves this first byte; the "large window" extension gives it a window of up to a gigabyte.
    assert_eq!(decode(&[0x11, 0x1e, 0, 0, 0, 0], Br, 10_000), Err(BadEncoding::Corrupt(Br)));
}

#[test]
fn a_body_is_small_only_if_it_is_whole_and_its_window_is() {
    let coding = |name: &str| Codings::from_headers([name.as_bytes()].into_iter()).unwrap();
    for (encode, name) in [(gzip as Encoder, "gzip"), (zlib, "deflate"), (br, "br"), (zst, "zstd")] {
        let data = text(400_000);
        assert_eq!(coding(name).decode_if_small(&encode(&data), 500_000), Some(data.clone()), "{name}");
        assert_eq!(coding(name).decode_if_small(&encode(&data), 399_999), None, "{name}");
        assert_eq!(coding(name).decode_if_small(&encode(&data)[..500], 500_000), None, "{name}");
    }
    let bomb = br(&vec![0; 20_000_000]);
    assert_eq!(coding("br").decode_if_small(&bomb, 500_000), None);
    assert_eq!(decode(&bomb, Br, 500_000).unwrap().bytes.len(), 500_000);
}

#[test]
fn listed_codings_are_undone_in_reverse() {
    let codings = Codings::from_headers([&b"gzip, br"[..], b"zstd"].into_iter()).unwrap();
    let data = text(30_000);
    let wire = zst(&br(&gzip(&data)));
    let decoded = codings.decode(&wire, 100_000).unwrap();
    assert_eq!((decoded.bytes.as_slice(), decoded.complete), (data.as_slice(), true));
    assert_eq!(codings.single(), None);
}

#[test]
fn a_bomb_within_a_bomb_stops_at_a_multiple_of_the_limit() {
    // The inner gzip never yields a byte: it is one endless header comment inside an outer bomb.
    let mut inner = vec![0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0];
    inner.resize(50_000_000, b'x');
    let decoded =
        Codings::from_headers([&b"gzip, gzip"[..]].into_iter()).unwrap().decode(&gzip(&inner), 1_000);
    assert!(!decoded.unwrap().complete);
}

#[test]
fn codings_are_read_from_headers_as_servers_write_them() {
    let read = |values: &[&str]| Codings::from_headers(values.iter().map(|value| value.as_bytes()));
    assert_eq!(read(&["gzip"]).unwrap().single(), Some(Gzip));
    assert_eq!(read(&["X-GZIP"]).unwrap().single(), Some(Gzip));
    assert_eq!(read(&[" br ,"]).unwrap().single(), Some(Br));
    assert!(read(&["identity"]).unwrap().is_identity() && read(&[""]).unwrap().is_identity());
    assert!(read(&[]).unwrap().is_identity());
    for unknown in ["sdch", "compress", "gzip;q=1", "utf-8", "aws-chunked", "\u{e9}"] {
        assert_eq!(read(&[unknown]), Err(BadEncoding::Unknown), "{unknown}");
    }
    assert_eq!(read(&["gzip, gzip, gzip, gzip"]), Err(BadEncoding::TooMany));
}

#[test]
fn plain_text_that_is_labelled_as_gzip_is_taken_as_it_is() {
    let gzip_coding = || Codings::from_headers([&b"gzip"[..]].into_iter()).unwrap();
    assert!(gzip_coding().believed_for(b"<!doctype html>").is_identity());
    assert!(gzip_coding().believed_for(b"").is_identity());
    assert!(!gzip_coding().believed_for(&gzip(b"x")).is_identity());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_survive_any_coding(data in proptest::collection::vec(any::<u8>(), 0..20_000), limit in 0_usize..25_000) {
        for (encode, coding) in ENCODERS {
            let decoded = decode(&encode(&data), coding, limit).unwrap();
            prop_assert_eq!(&decoded.bytes, &data[..data.len().min(limit)]);
            prop_assert_eq!(decoded.complete, data.len() <= limit);
        }
    }

    #[test]
    fn corrupt_bytes_never_panic_and_never_pass_the_limit(
        data in proptest::collection::vec(any::<u8>(), 0..2_000),
        flips in proptest::collection::vec((any::<prop::sample::Index>(), 1_u8..), 1..6),
        noise in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        for (encode, coding) in ENCODERS {
            let mut wire = encode(&data);
            for (index, bits) in &flips {
                let at = index.index(wire.len());
                wire[at] ^= bits;
            }
            for bytes in [&wire, &noise] {
                if let Ok(decoded) = decode(bytes, coding, 1_500) {
                    prop_assert!(decoded.bytes.len() <= 1_500);
                }
                if let Ok(mut decoder) = StreamDecoder::new(&[coding, Gzip], 1_500) {
                    let _ = decoder.push(bytes);
                }
            }
        }
        prop_assert_eq!(decode(&noise, Identity, 100).unwrap().bytes, &noise[..noise.len().min(100)]);
    }
}
