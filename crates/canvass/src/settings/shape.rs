//! What may stand where? The settings' JSON Schema as a tree that the reader, the printer and the docs walk.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::Settings;

/// A key of a section.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// Its doc comment, on one line.
    pub(crate) doc: String,
    pub(crate) default: Value,
    pub(crate) shape: Shape,
}

/// What is expected of a value.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Fixed keys.
    Section(Vec<Field>),
    /// Keys that the user names, each with a value of one shape.
    Map(Box<Shape>),
    List {
        item: Box<Shape>,
        fewest: usize,
        most: usize,
    },
    Text {
        secret: bool,
    },
    Whole {
        least: i128,
        most: i128,
    },
    Number {
        least: f64,
        most: f64,
    },
    Flag,
    Choice(Vec<String>),
    /// One of several shapes.
    Either(Vec<Shape>),
    /// The shape, or nothing.
    Optional(Box<Shape>),
}

static ROOT: LazyLock<Shape> = LazyLock::new(|| Shape::from_schema(&schema()));

/// The shape of the whole file.
pub(crate) fn root() -> &'static Shape {
    &ROOT
}

/// The settings' JSON Schema without references, so that a walk needs no look-up.
pub(super) fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    generator.into_generator().into_root_schema_for::<Settings>().to_value()
}

/// The field with this dotted key, where every name on the way is a section's.
pub(crate) fn field_at(key: &str) -> Option<&'static Field> {
    let mut shape = root();
    let mut found = None;
    for name in key.split('.') {
        let Shape::Section(fields) = shape else { return None };
        let field = fields.iter().find(|field| field.name == name)?;
        shape = &field.shape;
        found = Some(field);
    }
    found
}

impl Shape {
    fn from_schema(schema: &Value) -> Shape {
        if let Some(either) = schema.get("anyOf").and_then(Value::as_array) {
            let (nothing, something): (Vec<_>, Vec<_>) =
                either.iter().partition(|one| one.get("type").is_some_and(|kind| kind == "null"));
            let mut shapes: Vec<Shape> = something.into_iter().map(Shape::from_schema).collect();
            let shape = if shapes.len() == 1 { shapes.remove(0) } else { Shape::Either(shapes) };
            return if nothing.is_empty() { shape } else { Shape::Optional(Box::new(shape)) };
        }
        if let Some(choices) = schema.get("oneOf").and_then(Value::as_array) {
            let names = choices.iter().filter_map(|choice| choice.get("const")?.as_str().map(str::to_owned));
            return Shape::Choice(names.collect());
        }
        match schema.get("type") {
            Some(Value::Array(kinds)) => {
                let kind =
                    kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null");
                Shape::Optional(Box::new(Shape::of_type(kind, schema)))
            }
            Some(Value::String(kind)) => Shape::of_type(kind, schema),
            _ => unknown(schema),
        }
    }

    fn of_type(kind: &str, schema: &Value) -> Shape {
        let count = |name, otherwise| {
            schema
                .get(name)
                .and_then(Value::as_u64)
                .and_then(|n| usize::try_from(n).ok())
                .unwrap_or(otherwise)
        };
        match kind {
            "string" => Shape::Text { secret: schema.get("writeOnly").is_some() },
            "boolean" => Shape::Flag,
            "integer" => Shape::whole(schema),
            "number" => Shape::Number {
                least: schema.get("minimum").and_then(Value::as_f64).unwrap_or(f64::MIN),
                most: schema.get("maximum").and_then(Value::as_f64).unwrap_or(f64::MAX),
            },
            "array" => Shape::List {
                item: Box::new(Shape::from_schema(&schema["items"])),
                fewest: count("minItems", 0),
                most: count("maxItems", 10_000),
            },
            "object" => match (schema.get("properties"), schema.get("additionalProperties")) {
                (Some(Value::Object(properties)), _) => Shape::section(properties),
                (None, Some(value)) => Shape::Map(Box::new(Shape::from_schema(value))),
                _ => unknown(schema),
            },
            _ => unknown(schema),
        }
    }

    fn whole(schema: &Value) -> Shape {
        let (least, most) = match schema.get("format").and_then(Value::as_str) {
            Some("uint32") => (0, i128::from(u32::MAX)),
            Some("int32") => (i128::from(i32::MIN), i128::from(i32::MAX)),
            Some("uint64") => (0, i128::from(u64::MAX)),
            _ => unknown(schema),
        };
        let limit = |name: &str| {
            let value = schema.get(name)?;
            value.as_u64().map(i128::from).or(value.as_i64().map(i128::from))
        };
        Shape::Whole { least: limit("minimum").unwrap_or(least), most: limit("maximum").unwrap_or(most) }
    }

    fn section(properties: &Map<String, Value>) -> Shape {
        let field = |(name, schema): (&String, &Value)| Field {
            name: name.clone(),
            doc: schema
                .get("description")
                .and_then(Value::as_str)
                .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
                .unwrap_or_default(),
            default: schema.get("default").cloned().unwrap_or_default(),
            shape: Shape::from_schema(schema),
        };
        Shape::Section(properties.iter().map(field).collect())
    }

    /// What a person should write there: "a whole number from 1 to 100".
    pub(crate) fn wanted(&self) -> String {
        match self {
            Shape::Section(_) | Shape::Map(_) => "a map of keys and values".to_owned(),
            Shape::List { item, fewest, most } if fewest == most => {
                format!("a list of {fewest} values, each {}", item.wanted())
            }
            Shape::List { item, .. } => format!("a list, each item {}", item.wanted()),
            Shape::Text { .. } => "a text".to_owned(),
            Shape::Whole { least, most } if *most >= i128::from(u32::MAX) => {
                format!("a whole number from {least} up")
            }
            Shape::Whole { least, most } => format!("a whole number from {least} to {most}"),
            Shape::Number { least, most } => format!("a number from {least} to {most}"),
            Shape::Flag => "true or false".to_owned(),
            Shape::Choice(names) => match names.split_last() {
                Some((last, rest)) => format!("`{}` or `{last}`", rest.join("`, `")),
                None => "nothing".to_owned(),
            },
            Shape::Either(shapes) => shapes.iter().map(Shape::wanted).collect::<Vec<_>>().join(", or "),
            Shape::Optional(shape) => shape.wanted(),
        }
    }

    /// Calls `visit` with the dotted key of every value that can be named without a user's own key.
    pub(crate) fn visit_values<'a>(&'a self, key: &str, visit: &mut dyn FnMut(&str, &'a Shape)) {
        let Shape::Section(fields) = self else { return visit(key, self) };
        for field in fields {
            field.shape.visit_values(&join(key, &field.name), visit);
        }
    }
}

/// `section.name`, or `name` at the top.
pub(crate) fn join(key: &str, name: &str) -> String {
    if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") }
}

fn unknown(schema: &Value) -> ! {
    // The schema is made from this module's own structs, so this is a new field type that the tests meet first.
    panic!("no shape is known for the schema {schema}")
}
