//! How are pages served whose charset is a question?

use super::{Answer, Reply};
use crate::{
    Behaviour, Site,
    content::{CHINESE, JAPANESE, RUSSIAN, words_page},
    site::{Expect, Promises},
};

struct Text {
    /// The charset that a reader should find, by its WHATWG name.
    charset: &'static str,
    content_type: &'static str,
    head: &'static str,
    words: &'static [&'static str],
    title: &'static str,
    mark: bool,
}

fn text_of(behaviour: Behaviour) -> (Text, &'static encoding_rs::Encoding) {
    let plain = Text {
        charset: "UTF-8",
        content_type: "text/html",
        head: "",
        words: RUSSIAN,
        title: "Новости города",
        mark: false,
    };
    let latin = "text/html; charset=ISO-8859-1";
    match behaviour {
        Behaviour::CharsetHeader => (
            Text { charset: "windows-1251", content_type: "text/html; charset=windows-1251", ..plain },
            encoding_rs::WINDOWS_1251,
        ),
        Behaviour::CharsetMeta => (
            Text {
                charset: "Shift_JIS",
                head: "<meta charset=\"shift_jis\">\n",
                words: JAPANESE,
                title: "商品のご案内",
                ..plain
            },
            encoding_rs::SHIFT_JIS,
        ),
        Behaviour::CharsetHttpEquiv => (
            Text {
                charset: "GBK",
                head: "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=gb2312\">\n",
                words: CHINESE,
                title: "城市新闻",
                ..plain
            },
            encoding_rs::GBK,
        ),
        Behaviour::CharsetBom => (Text { mark: true, ..plain }, encoding_rs::UTF_8),
        Behaviour::CharsetBomBeatsHeader => {
            (Text { mark: true, content_type: latin, ..plain }, encoding_rs::UTF_8)
        }
        Behaviour::CharsetWrong => {
            (Text { charset: "windows-1252", content_type: latin, ..plain }, encoding_rs::UTF_8)
        }
        _ => (Text { charset: "windows-1251", ..plain }, encoding_rs::WINDOWS_1251),
    }
}

pub(super) fn promise(site: &Site) -> Promises {
    let mut promises = Promises::default();
    let (text, _) = text_of(site.behaviour);
    promises.target(site, "/", Expect { charset: Some(text.charset), ..Expect::captured() });
    promises
}

pub(super) fn answer(site: &Site) -> Answer {
    let (text, encoding) = text_of(site.behaviour);
    let html = words_page(text.title, text.head, text.words, site.seed);
    let mut body = if text.mark { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
    body.extend_from_slice(&encoding.encode(&html).0);
    Answer::reply(Reply::typed(200, text.content_type, body))
}
