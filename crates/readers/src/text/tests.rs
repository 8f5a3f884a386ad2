use proptest::prelude::*;

use super::*;

fn html(body: &str) -> &'static str {
    detect_charset(Some("text/html"), body.as_bytes())
}

#[test]
fn the_header_names_the_charset_as_servers_write_it() {
    for (header, expected) in [
        ("text/html; charset=utf-8", "UTF-8"),
        ("text/html;charset=\"Shift_JIS\"", "Shift_JIS"),
        ("text/html; Charset='koi8-r'", "KOI8-R"),
        ("text/html; boundary=x; CHARSET = gb2312 ", "GBK"),
        ("text/html; charset=iso-8859-1", "windows-1252"),
        ("text/html; charset=utf-16", "UTF-16LE"),
    ] {
        assert_eq!(detect_charset(Some(header), b"<meta charset=big5>"), expected, "{header}");
    }
}

#[test]
fn a_header_that_names_nothing_known_is_passed_over() {
    for header in ["text/html", "text/html; charset=", "text/html; charset=klingon", "text/html; charset", ""]
    {
        assert_eq!(detect_charset(Some(header), b"<meta charset=big5>"), "Big5", "{header}");
    }
    // A label that the Encoding standard maps to "replacement" would turn a page into one error.
    assert_eq!(detect_charset(Some("text/html; charset=hz-gb-2312"), b"<meta charset=big5>"), "Big5");
}

#[test]
fn a_byte_order_mark_wins_over_everything() {
    for (bytes, expected) in [
        (&b"\xef\xbb\xbf<meta charset=big5>"[..], "UTF-8"),
        (b"\xff\xfe<\0", "UTF-16LE"),
        (b"\xfe\xff\0<", "UTF-16BE"),
    ] {
        assert_eq!(detect_charset(Some("text/html; charset=koi8-r"), bytes), expected);
    }
}

#[test]
fn a_meta_element_declares_the_charset_in_all_its_spellings() {
    for page in [
        "<meta charset=big5>",
        "<META CHARSET = 'BIG5' />",
        "<meta/charset=\"big5\">",
        "<!doctype html><html lang=zh><head><meta name=a content='b'><meta charset=big5>",
        "<meta http-equiv=Content-Type content='text/html; charset=big5'>",
        "<meta content=\"text/html;charset = 'big5' \" http-equiv=content-type>",
        "<meta http-equiv=content-type content='charset charset=big5;x'>",
        "<meta content='text/html; charset=koi8-r' charset=big5>",
        "<meta charset=big5 charset=koi8-r>",
        "<!-- <meta charset=koi8-r> --><meta charset=big5>",
        "<!--><meta charset=big5>-->",
        "<a title='<meta charset=koi8-r>'></a><meta charset=big5>",
        "</p title=\"<meta charset=koi8-r>\"><meta charset=big5>",
        "<?php <meta charset=koi8-r ?><meta charset=big5>",
        "<! <meta charset=koi8-r ><meta charset=big5>",
        "<metadata charset=koi8-r><meta charset=big5>",
        "<meta charset=klingon><meta charset=big5>",
        "<?xml version='1.0' encoding='koi8-r'?><meta charset=big5>",
    ] {
        assert_eq!(html(page), "Big5", "{page}");
    }
}

#[test]
fn what_only_looks_like_a_declaration_declares_nothing() {
    for page in [
        "<meta name=x content='text/html; charset=big5'>",
        "<meta http-equiv=refresh content='text/html; charset=big5'>",
        "<meta http-equiv=content-type content='text/html; charset=\"big5'>",
        "<meta charset=big5",
        "<meta charset='big5>",
        "<!-- <meta charset=big5>",
        "<metacharset=big5>",
        "< meta charset=big5>",
        "charset=big5",
    ] {
        assert_eq!(html(page), "UTF-8", "{page}");
    }
    let late = format!("{}<meta charset=big5>", " ".repeat(1024));
    assert_eq!(html(&late), "UTF-8");
    assert_eq!(detect_charset(Some("text/plain"), b"<meta charset=big5>"), "UTF-8");
    assert_eq!(detect_charset(Some("application/json"), b"\"<meta charset=big5>\""), "UTF-8");
}

#[test]
fn a_readable_declaration_of_utf_16_means_utf_8() {
    assert_eq!(html("<meta charset=utf-16>"), "UTF-8");
    assert_eq!(html("<meta http-equiv=content-type content='text/html; charset=utf-16be'>"), "UTF-8");
    assert_eq!(html("<?xml version='1.0' encoding='utf-16le'?>"), "UTF-8");
    assert_eq!(html("<meta charset=x-user-defined>"), "windows-1252");
}

#[test]
fn an_xml_declaration_counts_where_there_is_no_meta() {
    for declaration in ["<?xml version='1.0' encoding='big5'?>", "<?xml encoding = \"BIG5\" ?>"] {
        for kind in [None, Some("application/xhtml+xml"), Some("application/rss+xml"), Some("text/xml")] {
            assert_eq!(detect_charset(kind, declaration.as_bytes()), "Big5", "{declaration}");
        }
    }
    for nothing in [
        "<?xml encoding='big 5'?>",
        "<?xml encoding=big5?>",
        " <?xml encoding='big5'?>",
        "<?xml encoding='big5",
    ] {
        assert_eq!(html(nothing), "UTF-8", "{nothing}");
    }
    assert_eq!(detect_charset(None, b"<\0?\0x\0m\0l\0"), "UTF-16LE");
    assert_eq!(detect_charset(None, b"\0<\0?\0x\0m\0l"), "UTF-16BE");
}

/// Sentences of the languages that each encoding was made for, long enough to be recognised.
const SAMPLES: &[(&str, &str)] = &[
    (
        "windows-1252",
        "Le café où l'élève déjeunait à Noël était fermé; où irons-nous après la fête, se demanda-t-il.",
    ),
    (
        "Shift_JIS",
        "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。",
    ),
    ("GBK", "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？这是一个很长的句子。"),
    ("Big5", "學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？人不知而不慍，不亦君子乎？這是一個很長的句子。"),
    (
        "EUC-KR",
        "나라의 말이 중국과 달라 문자와 서로 통하지 아니하므로 어리석은 백성이 이르고자 하는 바가 있어도 그렇다.",
    ),
    ("KOI8-R", "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему."),
    (
        "ISO-8859-2",
        "Zażółć gęślą jaźń, a potem idź spać. Żółty ślimak ciągnął się powoli przez długą łąkę pod lasem.",
    ),
];

#[test]
fn the_bytes_alone_give_an_encoding_away() {
    for (name, text) in SAMPLES {
        let encoding = Encoding::for_label(name.as_bytes()).unwrap();
        let (bytes, _, unmappable) = encoding.encode(text);
        assert!(!unmappable, "{name}");
        let guessed = detect_charset(Some("text/html"), &bytes);
        assert_eq!(decode_text(&bytes, guessed), *text, "{name} was read as {guessed}");
        assert_eq!(detect_charset(None, text.as_bytes()), "UTF-8");
    }
}

#[test]
fn text_survives_the_way_through_every_encoding() {
    for (name, text) in SAMPLES {
        let (bytes, _, _) = Encoding::for_label(name.as_bytes()).unwrap().encode(text);
        assert_eq!(decode_text(&bytes, name), *text, "{name}");
        let page = format!("<meta charset={name}>{text}");
        let (bytes, _, _) = Encoding::for_label(name.as_bytes()).unwrap().encode(&page);
        assert_eq!(detect_charset(Some("text/html"), &bytes), *name);
        for (mark, order) in
            [("UTF-16LE", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("UTF-16BE", u16::to_be_bytes)]
        {
            let bytes: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect();
            assert_eq!(detect_charset(None, &bytes), mark);
            assert_eq!(decode_text(&bytes, mark), *text);
        }
    }
}

#[test]
fn text_that_needs_no_change_is_not_copied() {
    assert!(matches!(decode_text("grün".as_bytes(), "UTF-8"), Cow::Borrowed("grün")));
    assert!(matches!(decode_text(b"plain", "windows-1252"), Cow::Borrowed("plain")));
}

#[test]
fn what_makes_no_sense_is_replaced_and_an_unknown_name_is_utf_8() {
    assert_eq!(decode_text(b"a\xffb", "UTF-8"), "a\u{fffd}b");
    assert_eq!(decode_text("grün".as_bytes(), "klingon"), "grün");
    assert_eq!(decode_text(b"\xef\xbb\xbfmarked", "UTF-8"), "marked");
}

#[test]
fn a_character_cut_at_the_end_of_the_guessed_part_does_not_mislead() {
    let page = format!("x{}", "ü".repeat(GUESSED_BYTES));
    assert_eq!(detect_charset(None, page.as_bytes()), "UTF-8");
}

proptest! {
    #[test]
    fn any_bytes_have_a_charset_and_a_text(
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"<!-/?>= '\"metacharset".to_vec())], 0..400),
        header in proptest::option::of("[ -~]{0,40}"),
    ) {
        let charset = detect_charset(header.as_deref(), &bytes);
        prop_assert!(Encoding::for_label(charset.as_bytes()).is_some());
        let _ = decode_text(&bytes, charset);
    }
}
