//! Does a value fit its key, and what does it become?

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use super::{
    expand::{Expanded, Expander},
    problem::{Origin, Problem},
    shape::{Field, Shape, join, root},
    suggest::nearest,
    yaml::{Data, Entry, Node},
};

/// Nobody reads more problems than this at once.
const MAX_PROBLEMS: usize = 100;

/// Walks a document beside the shape that it should have. What fits becomes a value; what does not becomes a
/// problem, and the walk goes on, so that one run shows them all.
pub(super) struct Walk<'a> {
    /// Says where a line is.
    pub(super) origin: &'a dyn Fn(usize) -> Origin,
    /// Fills in variables; absent where the value itself came from one.
    pub(super) expander: Option<Expander<'a>>,
    pub(super) problems: &'a mut Vec<Problem>,
    pub(super) origins: &'a mut BTreeMap<String, Origin>,
}

impl Walk<'_> {
    /// The value of `node` as `shape` wants it, or nothing after a problem.
    pub(super) fn value(&mut self, node: &Node, shape: &Shape, key: &str, line: usize) -> Option<Value> {
        match (shape, &node.data) {
            (Shape::Section(_) | Shape::Map(_), _) if node.is_nothing() => Some(Value::Object(Map::new())),
            (Shape::Section(fields), Data::Map(entries)) => Some(self.section(entries, fields, key)),
            (Shape::Map(item), Data::Map(entries)) => Some(self.map(entries, item, key)),
            _ => {
                let value = self.leaf(node, shape, key, line)?;
                self.origins.insert(key.to_owned(), (self.origin)(line));
                Some(value)
            }
        }
    }

    fn section(&mut self, entries: &[Entry], fields: &[Field], key: &str) -> Value {
        let mut values = Map::new();
        for entry in entries {
            // Looking for what was meant takes time, and a hostile file has a hundred thousand wrong keys.
            if self.problems.len() > MAX_PROBLEMS {
                break;
            }
            let Some(field) = fields.iter().find(|field| field.name == entry.key) else {
                let message = unknown_key(&entry.key, fields, key);
                self.report(&join(key, &entry.key), entry.line, message);
                continue;
            };
            if let Some(value) = self.value(&entry.value, &field.shape, &join(key, &field.name), entry.line) {
                values.insert(field.name.clone(), value);
            }
        }
        Value::Object(values)
    }

    fn map(&mut self, entries: &[Entry], item: &Shape, key: &str) -> Value {
        let mut values = Map::new();
        for entry in entries {
            if let Some(value) = self.value(&entry.value, item, &join(key, &entry.key), entry.line) {
                values.insert(entry.key.clone(), value);
            }
        }
        Value::Object(values)
    }

    fn leaf(&mut self, node: &Node, shape: &Shape, key: &str, line: usize) -> Option<Value> {
        match (shape, &node.data) {
            (Shape::Optional(_), _) if node.is_nothing() => Some(Value::Null),
            (Shape::Optional(shape), _) => {
                let value = self.leaf(node, shape, key, line)?;
                // `${UNSET:-}` is how a file says "only where the environment has one".
                let nothing = value.as_str().is_some_and(|text| text.is_empty() && refers(node));
                Some(if nothing { Value::Null } else { value })
            }
            (Shape::Either(shapes), data) => {
                let is_list = matches!(data, Data::List(_));
                let fitting = shapes.iter().find(|one| matches!(one, Shape::List { .. }) == is_list);
                match fitting {
                    Some(one) if is_list || self.fits(node, one) => self.leaf(node, one, key, line),
                    _ => self.misfit(node, shape, key, line),
                }
            }
            (Shape::List { item, fewest, most }, Data::List(items)) => {
                if !(*fewest..=*most).contains(&items.len()) {
                    let message = format!("`{key}` must be {}; it has {}", shape.wanted(), items.len());
                    self.report(key, line, message);
                    return None;
                }
                let before = self.problems.len();
                let values = items.iter().enumerate().filter_map(|(at, node)| {
                    let key = format!("{key}[{}]", at + 1);
                    self.leaf(node, item, &key, node.line)
                });
                let values = values.collect();
                (self.problems.len() == before).then_some(Value::Array(values))
            }
            (_, Data::Scalar { text, plain }) => {
                let expanded = match &mut self.expander {
                    Some(expander) => match expander.expand(text) {
                        Ok(expanded) => expanded,
                        Err(message) => {
                            self.report(key, line, format!("`{key}`: {message}"));
                            return None;
                        }
                    },
                    None => Expanded { text: text.clone(), referred: false },
                };
                if node.is_nothing() {
                    return self.misfit(node, shape, key, line);
                }
                match scalar(&expanded.text, *plain || expanded.referred, shape) {
                    Some(value) => Some(value),
                    None => self.misfit(node, shape, key, line),
                }
            }
            _ => self.misfit(node, shape, key, line),
        }
    }

    fn fits(&self, node: &Node, shape: &Shape) -> bool {
        match &node.data {
            Data::Scalar { text, plain } => refers(node) || scalar(text, *plain, shape).is_some(),
            _ => false,
        }
    }

    fn misfit(&mut self, node: &Node, shape: &Shape, key: &str, line: usize) -> Option<Value> {
        let message = format!("`{key}` must be {}, not {}", shape.wanted(), found(node, shape));
        self.report(key, line, message);
        None
    }

    fn report(&mut self, key: &str, line: usize, message: String) {
        let message = match self.problems.len() {
            ..MAX_PROBLEMS => message,
            MAX_PROBLEMS => "there are more problems from here on; mend the ones above first".to_owned(),
            _ => return,
        };
        self.problems.push(Problem { origin: (self.origin)(line), key: key.to_owned(), message });
    }
}

fn refers(node: &Node) -> bool {
    matches!(&node.data, Data::Scalar { text, .. } if text.contains("${"))
}

/// A scalar as `shape` wants it. Quoted text is text and nothing else; a number as text is its digits, so that a
/// password of digits or a version such as `1.10` arrives as it was written.
fn scalar(text: &str, bare: bool, shape: &Shape) -> Option<Value> {
    match shape {
        Shape::Text { .. } => Some(Value::String(text.to_owned())),
        Shape::Choice(names) => names.iter().any(|name| name == text).then(|| Value::String(text.to_owned())),
        Shape::Flag if bare => match text {
            "true" | "True" | "TRUE" => Some(Value::Bool(true)),
            "false" | "False" | "FALSE" => Some(Value::Bool(false)),
            _ => None,
        },
        Shape::Whole { least, most } if bare => {
            let number: i128 = text.parse().ok()?;
            if !(*least..=*most).contains(&number) {
                return None;
            }
            Number::from_i128(number).map(Value::Number)
        }
        Shape::Number { least, most } if bare => {
            let number = decimal(text).filter(|number| (*least..=*most).contains(number))?;
            Number::from_f64(number).map(Value::Number)
        }
        _ => None,
    }
}

/// A number in decimal notation; the language's own parser would also take `inf` and `nan`.
fn decimal(text: &str) -> Option<f64> {
    let plain =
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-' | b'e' | b'E'));
    text.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

/// What stands there, for a person: as it is written, so that a variable's value is never shown.
fn found(node: &Node, shape: &Shape) -> String {
    let secret = matches!(shape, Shape::Text { secret: true });
    match &node.data {
        _ if node.is_nothing() => "nothing; give a value or remove the key".to_owned(),
        Data::List(_) => "a list".to_owned(),
        Data::Map(_) => "a map".to_owned(),
        Data::Scalar { .. } if secret => "this".to_owned(),
        Data::Scalar { text, .. } if refers(node) => format!("what `{}` gives", shortened(text)),
        Data::Scalar { text, plain: false } => {
            let hint = if scalar(text, true, shape).is_some() { "; remove the quotes" } else { "" };
            format!("the text `{}`{hint}", shortened(text))
        }
        Data::Scalar { text, plain: true } => {
            let hint = match shape {
                Shape::List { .. } => format!("; write it as `[{}]`", shortened(text)),
                _ => String::new(),
            };
            format!("`{}`{hint}", shortened(text))
        }
    }
}

fn shortened(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(41).collect();
    if line.chars().count() > 40 { format!("{}…", line.chars().take(39).collect::<String>()) } else { line }
}

/// The message for a key that is not one, with the key that was probably meant.
pub(super) fn unknown_key(name: &str, siblings: &[Field], section: &str) -> String {
    let key = shortened(&join(section, name));
    if let Some(meant) = nearest(name, siblings.iter().map(|field| field.name.as_str())) {
        return format!("unknown key `{key}`; did you mean `{meant}`?");
    }
    let mut elsewhere = None;
    root().visit_values("", &mut |known, _| {
        if known.rsplit('.').next() == Some(name) {
            elsewhere.get_or_insert_with(|| known.to_owned());
        }
    });
    match elsewhere {
        Some(meant) => format!("unknown key `{key}`; did you mean `{meant}`?"),
        None => format!("unknown key `{key}`; `canvass config show` lists every key"),
    }
}
