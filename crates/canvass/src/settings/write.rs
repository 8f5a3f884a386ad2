//! How are settings written as YAML, so that the text can be read back?

use std::fmt::Write;

use serde_json::Value;

use super::{
    Settings,
    shape::{Shape, join, root},
};

/// What a terminal shows without breaking lines.
const WIDTH: usize = 80;

/// Every value by its dotted key, in the order in which the settings declare them. Secrets are hidden.
pub(crate) fn flat_values(settings: &Settings) -> Vec<(String, Value)> {
    let mut flat = Vec::new();
    visit(&whole(settings), root(), "", &mut |key, value| flat.push((key.to_owned(), value.clone())));
    flat
}

fn whole(settings: &Settings) -> Value {
    // Serialising plain structs to memory cannot fail; an empty value would show in every test.
    serde_json::to_value(settings).unwrap_or_default()
}

fn visit(value: &Value, shape: &Shape, key: &str, tell: &mut dyn FnMut(&str, &Value)) {
    match (shape, value) {
        (Shape::Section(fields), _) => {
            for field in fields {
                visit(&value[&field.name], &field.shape, &join(key, &field.name), tell);
            }
        }
        (Shape::Map(item), Value::Object(values)) if !values.is_empty() => {
            for (name, value) in values {
                visit(value, item, &join(key, name), tell);
            }
        }
        _ => tell(key, value),
    }
}

/// Settings as YAML: which keys to write, and what to say beside each.
pub(crate) struct Printout<'a> {
    /// Whether a key is written.
    pub(crate) keep: &'a dyn Fn(&str) -> bool,
    /// The comment beside a key.
    pub(crate) note: &'a dyn Fn(&str) -> String,
}

impl Printout<'_> {
    /// The text; empty where no key is kept.
    pub(crate) fn of(&self, settings: &Settings) -> String {
        let mut text = String::new();
        self.write(&whole(settings), root(), "", 0, &mut text);
        text
    }

    fn write(&self, value: &Value, shape: &Shape, key: &str, depth: usize, text: &mut String) {
        let named: Vec<(&str, &Value, &Shape)> = match (shape, value) {
            (Shape::Section(fields), _) => {
                fields.iter().map(|field| (field.name.as_str(), &value[&field.name], &field.shape)).collect()
            }
            (Shape::Map(item), Value::Object(values)) => {
                values.iter().map(|(name, value)| (name.as_str(), value, &**item)).collect()
            }
            _ => return,
        };
        for (name, value, shape) in named {
            let key = join(key, name);
            let is_open = match shape {
                Shape::Section(_) => true,
                Shape::Map(_) => value.as_object().is_some_and(|values| !values.is_empty()),
                _ => false,
            };
            if is_open {
                let mut below = String::new();
                self.write(value, shape, &key, depth + 1, &mut below);
                if !below.is_empty() {
                    push_line(text, depth, &format!("{}:", plain_or_quoted(name)));
                    text.push_str(&below);
                }
            } else if (self.keep)(&key) {
                self.write_value(name, value, &(self.note)(&key), depth, text);
            }
        }
    }

    /// The comment stands behind the value where it fits, else above it.
    fn write_value(&self, name: &str, value: &Value, note: &str, depth: usize, text: &mut String) {
        let mut lines = key_lines(name, value, depth);
        if let [line] = lines.as_mut_slice()
            && depth * 2 + line.chars().count() + note.chars().count() + 4 <= WIDTH
        {
            let room = 44_usize.saturating_sub(depth * 2);
            *line = format!("{line:<room$}  # {note}");
            if depth * 2 + line.chars().count() > WIDTH {
                *line = format!("{}  # {note}", line.split("  # ").next().unwrap_or_default().trim_end());
            }
        } else {
            push_line(text, depth, &format!("# {note}"));
        }
        for line in lines {
            push_line(text, depth, &line);
        }
    }
}

fn push_line(text: &mut String, depth: usize, line: &str) {
    let indent = depth * 2;
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{:indent$}{line}", "");
}

/// The lines of `name: value`: one where it fits at this depth, else a list's items below each other.
pub(crate) fn key_lines(name: &str, value: &Value, depth: usize) -> Vec<String> {
    let name = plain_or_quoted(name);
    let line = format!("{name}: {}", inline(value));
    match value {
        Value::Array(items) if depth * 2 + line.chars().count() > WIDTH => {
            let items = items.iter().map(|item| format!("  - {}", inline(item)));
            std::iter::once(format!("{name}:")).chain(items).collect()
        }
        _ => vec![line],
    }
}

/// A value on one line of YAML.
pub(crate) fn inline(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => plain_or_quoted(&text.replace('$', "$$")),
        Value::Number(number) => match number.as_f64() {
            Some(decimal) if number.is_f64() => format!("{decimal}"),
            _ => number.to_string(),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(values) if values.is_empty() => "{}".to_owned(),
        other => other.to_string(),
    }
}

/// The text as it is where no reader of YAML could take it for something else, and in quotes everywhere else.
fn plain_or_quoted(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '_')
        && !text.ends_with(':')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./+:=@".contains(c))
        && !text.contains(": ")
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    if plain { text.to_owned() } else { Value::String(text.to_owned()).to_string() }
}

/// Words in lines that are no longer than `width`, but for a word that is.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
