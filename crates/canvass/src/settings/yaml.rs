//! What does the text of a settings file say, and on which line?
//!
//! The file is taken as hostile: size, depth and what aliases expand to are bounded, and nothing is guessed.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

/// The largest settings file that is read.
pub(super) const MAX_FILE_BYTES: usize = 1024 * 1024;
const MAX_DEPTH: usize = 16;
/// What all aliases together may repeat, in nodes and bytes of text: "billion laughs" stops here.
const MAX_REPEATED: usize = 64 * 1024;

/// A value with the line on which it stands.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) data: Data,
}

#[derive(Debug, Clone)]
pub(super) enum Data {
    /// A text, number, flag or nothing; which of them depends on what is expected there.
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) line: usize,
    pub(super) value: Node,
}

/// Why a text is not a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub(super) line: usize,
    pub(super) message: String,
}

impl Node {
    /// Whether it says nothing: an empty value, `~` or `null`.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(&self.data, Data::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// What it costs to repeat it.
    fn weight(&self) -> usize {
        1 + match &self.data {
            Data::Scalar { text, .. } => text.len(),
            Data::List(items) => items.iter().map(Node::weight).sum(),
            Data::Map(entries) => entries.iter().map(|entry| entry.key.len() + entry.value.weight()).sum(),
        }
    }
}

/// Reads the one document of a text; an empty text is a document that says nothing.
pub(super) fn read(text: &str) -> Result<Node, Unreadable> {
    if text.len() > MAX_FILE_BYTES {
        return Err(Unreadable { line: 0, message: too_large() });
    }
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Unreadable {
            line: error.marker().line(),
            message: format!("not valid YAML: {}", error.info()),
        })?;
        reader.take(event, span.start.line())?;
    }
    Ok(reader.document.unwrap_or(Node { line: 1, data: Data::Scalar { text: String::new(), plain: true } }))
}

/// The message for a text over the limit.
pub(super) fn too_large() -> String {
    format!("larger than the {MAX_FILE_BYTES} bytes that settings may have")
}

/// A list or map that has begun and not ended.
struct Open {
    line: usize,
    anchor: usize,
    items: Items,
}

enum Items {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, lines: HashMap<String, usize>, key: Option<(String, usize)> },
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    repeated: usize,
    documents: usize,
    document: Option<Node>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), Unreadable> {
        let refuse = |message: String| Err(Unreadable { line, message });
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return refuse(
                        "a second document begins here (`---`); settings are one document".to_owned(),
                    );
                }
            }
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => {
                return refuse("a tag (`!…`) is not used in settings; leave it out".to_owned());
            }
            Event::Scalar(text, style, anchor, None) => {
                let plain = style == ScalarStyle::Plain;
                self.place(Node { line, data: Data::Scalar { text: text.into_owned(), plain } }, anchor)?;
            }
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor) else {
                    return refuse("this alias stands within what it repeats".to_owned());
                };
                self.repeated += node.weight();
                if self.repeated > MAX_REPEATED {
                    return refuse("the aliases up to here repeat too much".to_owned());
                }
                let node = node.clone();
                self.place(node, 0)?;
            }
            Event::SequenceStart(anchor, None) => self.begin(line, anchor, Items::List(Vec::new()))?,
            Event::MappingStart(anchor, None) => {
                self.begin(
                    line,
                    anchor,
                    Items::Map { entries: Vec::new(), lines: HashMap::new(), key: None },
                )?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end()?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn begin(&mut self, line: usize, anchor: usize, items: Items) -> Result<(), Unreadable> {
        if self.open.len() == MAX_DEPTH {
            return Err(Unreadable { line, message: format!("more than {MAX_DEPTH} levels deep") });
        }
        self.open.push(Open { line, anchor, items });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Unreadable> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let data = match open.items {
            Items::List(items) => Data::List(items),
            Items::Map { entries, .. } => Data::Map(entries),
        };
        self.place(Node { line: open.line, data }, open.anchor)
    }

    /// Puts a finished node where it belongs: a list's item, a map's key or value, or the document itself.
    fn place(&mut self, node: Node, anchor: usize) -> Result<(), Unreadable> {
        if anchor > 0 {
            self.repeated += node.weight();
            if self.repeated > MAX_REPEATED {
                let message = "the anchors up to here hold too much".to_owned();
                return Err(Unreadable { line: node.line, message });
            }
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.items) {
            None => self.document = Some(node),
            Some(Items::List(items)) => items.push(node),
            Some(Items::Map { entries, lines, key }) => match key.take() {
                Some((name, line)) => entries.push(Entry { key: name, line, value: node }),
                None => {
                    let Data::Scalar { text, .. } = node.data else {
                        let message = "a key must be a plain name".to_owned();
                        return Err(Unreadable { line: node.line, message });
                    };
                    if let Some(first) = lines.insert(text.clone(), node.line) {
                        let message =
                            format!("key `{text}` was already given on line {first}; keep one of them");
                        return Err(Unreadable { line: node.line, message });
                    }
                    *key = Some((text, node.line));
                }
            },
        }
        Ok(())
    }
}
