//! How are the settings documented?

use std::fmt::Write;

use serde_json::{Value, json};

use super::{
    later::not_read_yet,
    load::variable_for,
    shape::{self, Field, Shape, join, root},
    write::inline,
};

/// The JSON Schema of `canvass.yaml`, for editors: as the reader's own, and each value may also be a `${VARIABLE}`.
#[must_use]
pub fn published_schema() -> Value {
    let mut schema = shape::schema();
    for_editors(&mut schema);
    schema["title"] = json!("canvass settings");
    schema
}

fn for_editors(schema: &mut Value) {
    let is_map = schema.get("properties").is_some() || schema.get("additionalProperties").is_some();
    if is_map {
        // `crawl:` with nothing below it is how a file begins.
        schema["type"] = json!(["object", "null"]);
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for property in properties.values_mut() {
            for_editors(property);
        }
        // A section's default repeats the defaults of its keys.
        if let Some(section) = schema.as_object_mut() {
            section.shift_remove("default");
        }
        return;
    }
    if let Some(item) = schema.get_mut("additionalProperties").filter(|item| item.is_object()) {
        return for_editors(item);
    }
    let is_text = schema["type"] == "string" || schema["type"] == json!(["string", "null"]);
    if is_text || schema["type"] == "array" {
        return;
    }
    let Some(object) = schema.as_object_mut() else { return };
    let about: Vec<(String, Value)> =
        ["description", "default"].iter().filter_map(|name| object.shift_remove_entry(*name)).collect();
    let inner = Value::Object(std::mem::take(object));
    object.extend(about);
    object.insert("anyOf".to_owned(), json!([inner, { "type": "string", "pattern": r"^\$\{.+\}$" }]));
}

/// The text of docs/SETTINGS.md.
#[must_use]
pub fn settings_markdown() -> String {
    let mut text = String::from(INTRODUCTION);
    let Shape::Section(sections) = root() else { return text };
    for section in sections {
        write_section(&mut text, section, &section.name);
    }
    text
}

const INTRODUCTION: &str = "\
# Settings

<!-- Made from the doc comments in crates/canvass/src/settings. Make it again:
     UPDATE_DOCS=1 cargo test -p canvass the_settings_document_is_up_to_date -->

All settings are in one YAML file, `canvass.yaml` in the current folder or what `--config FILE` names. Every key is
optional. `canvass init` writes a short one to begin with, `canvass config check` says what is wrong with it,
`canvass config show` says what each key is set to and who set it, and `canvass config schema` prints a JSON Schema
for editors.

- The last of these counts: the default, the file, the environment (`CANVASS_` and the key in capitals, `__` between
  its parts: `CANVASS_CRAWL__CONCURRENCY=8`; empty is as good as not set), the command line
  (`--set crawl.concurrency=8`).
- `${NAME}` in a value is the environment variable of that name, which must be set; `${NAME:-text}` has a default;
  `$$` is a dollar sign. `key: ${NAME:-}` leaves an optional key unset where the variable is.
- A map such as `politeness.classes` is laid over its default key by key; a list replaces its default.
- A relative path in the file, and a default one, is taken from the file's folder; one from the environment or the
  command line is taken from the current folder.
- Tokens, and passwords in URLs, are shown as `***` wherever settings are printed or logged.
- A key marked *not read yet* can be set, and waits for the part of canvass that it names.
";

fn write_section(text: &mut String, section: &Field, key: &str) {
    let (fields, title) = match &section.shape {
        Shape::Section(fields) => (fields, key.to_owned()),
        Shape::Map(item) => match &**item {
            Shape::Section(fields) => (fields, format!("{key}.NAME")),
            _ => return,
        },
        _ => return,
    };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\n## `{title}`\n\n{}", section.doc);
    if let Some(stage) = not_read_yet(key) {
        let _ = writeln!(text, "*Not read yet: waits for {stage}.*");
    }
    let values: Vec<&Field> = fields.iter().filter(|field| !has_own_table(&field.shape)).collect();
    if !values.is_empty() {
        let _ = writeln!(text, "\n| key | default | what it does |\n|---|---|---|");
    }
    for field in values {
        let field_key = join(&title, &field.name);
        let mut about = format!("{} {}.", field.doc, capitalised(&field.shape.wanted()));
        let unread = not_read_yet(&field_key).filter(|_| not_read_yet(key).is_none());
        if let Some(stage) = unread {
            let _ = write!(about, " *Not read yet: waits for {stage}.*");
        }
        let default = match &field.default {
            Value::Null => "not set".to_owned(),
            value => format!("`{}`", inline(value)),
        };
        let _ = writeln!(text, "| `{}` | {default} | {} |", field.name, about.replace('|', "\\|"));
    }
    for field in fields.iter().filter(|field| has_own_table(&field.shape)) {
        write_section(text, field, &join(key, &field.name));
        if let (Shape::Map(_), Value::Object(defaults)) = (&field.shape, &field.default) {
            let names = defaults.iter().map(|(name, value)| format!("`{name}: {value}`")).collect::<Vec<_>>();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let variable = variable_for(&join(key, &field.name));
            let _ = writeln!(
                text,
                "\nBy default: {names}. The whole map as a variable: `{variable}='{{NAME: {{…}}}}'`."
            );
        }
    }
}

fn has_own_table(shape: &Shape) -> bool {
    match shape {
        Shape::Section(_) => true,
        Shape::Map(item) => matches!(**item, Shape::Section(_)),
        _ => false,
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
