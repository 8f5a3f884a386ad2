//! What does a server's XML say?

use quick_xml::{Reader, escape::resolve_predefined_entity, events::Event};

use crate::store::{ErrorKind, StoreError};

/// S3 nests four deep; what is deeper is not S3.
const MAX_DEPTH: usize = 16;

/// Calls `visit` at the end of each element with the names on the way to it, without the root's, and its own text.
pub(super) fn visit_elements(xml: &[u8], mut visit: impl FnMut(&[&str], &str)) -> Result<(), StoreError> {
    let wrong = || StoreError::new(ErrorKind::Protocol, "the answer is no XML of S3");
    let text = std::str::from_utf8(xml).map_err(|_| wrong())?;
    let mut reader = Reader::from_str(text);
    let mut open: Vec<(String, String)> = Vec::new();
    loop {
        let event = reader.read_event().map_err(|_| wrong())?;
        if open.len() > MAX_DEPTH {
            return Err(wrong());
        }
        let own = open.last_mut().map(|(_, own)| own);
        match (event, own) {
            (Event::Start(start), _) => {
                open.push((start.local_name().as_ref().to_owned(), String::new()));
            }
            (Event::Empty(empty), _) => {
                let name = empty.local_name();
                let mut path: Vec<&str> = open.iter().skip(1).map(|(name, _)| name.as_str()).collect();
                path.push(name.as_ref());
                visit(&path, "");
            }
            (Event::Text(text), Some(own)) => own.push_str(&text.xml10_content()),
            (Event::CData(text), Some(own)) => own.push_str(&text.xml10_content()),
            (Event::GeneralRef(reference), Some(own)) => match reference.resolve_char_ref() {
                Ok(Some(c)) => own.push(c),
                Ok(None) => own.push_str(resolve_predefined_entity(&reference).ok_or_else(wrong)?),
                Err(_) => return Err(wrong()),
            },
            (Event::End(_), _) => {
                let path: Vec<&str> = open.iter().skip(1).map(|(name, _)| name.as_str()).collect();
                if let Some((_, own)) = open.last() {
                    visit(&path, own);
                }
                open.pop();
            }
            (Event::Eof, None) => return Ok(()),
            (Event::Eof, Some(_)) => return Err(wrong()),
            _ => {}
        }
    }
}

/// The text of the first element of this name, wherever it is; an empty one where there is none.
pub(super) fn text_of(xml: &[u8], name: &str) -> Result<Option<String>, StoreError> {
    let mut found = None;
    visit_elements(xml, |path, text| {
        if path.last() == Some(&name) && found.is_none() {
            found = Some(text.to_owned());
        }
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn elements_are_told_with_their_way_and_their_text() {
        let xml = br#"<?xml version="1.0"?>
            <List xmlns="x"><Contents><Key>a &amp; b&#252;</Key><ETag>&quot;12&quot;</ETag></Contents><Empty/></List>"#;
        let mut seen = Vec::new();
        visit_elements(xml, |path, text| seen.push((path.join("/"), text.trim().to_owned()))).unwrap();
        let expected = [
            ("Contents/Key", "a & bü"),
            ("Contents/ETag", "\"12\""),
            ("Contents", ""),
            ("Empty", ""),
            ("", ""),
        ];
        assert_eq!(seen, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
        assert_eq!(text_of(xml, "ETag").unwrap().as_deref(), Some("\"12\""));
    }

    #[test]
    fn what_is_cut_too_deep_or_no_xml_is_an_error() {
        let deep = "<a>".repeat(40);
        for bad in ["<a><b>", "<a>&unknown;</a>", "<a></b>", &deep] {
            assert!(visit_elements(bad.as_bytes(), |_, _| {}).is_err(), "{bad}");
        }
        assert!(visit_elements(b"\xff\xfe", |_, _| {}).is_err());
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), text in "[<>/a&;#!\\[\\]-]{0,80}") {
            let _ = visit_elements(&bytes, |_, _| {});
            let _ = visit_elements(text.as_bytes(), |_, _| {});
        }
    }
}
