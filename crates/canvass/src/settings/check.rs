//! Do the values stay within their limits, and do they go together?

use serde_json::Value;

use super::{
    Settings, rules,
    shape::{Shape, root},
    write::flat_values,
};

/// A value that is out of its limits, has a wrong form, or does not go with another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The keys that it is about, the first one named in the message; any of them may be the one to change.
    pub keys: Vec<String>,
    /// What is wrong, for a person.
    pub message: String,
}

impl Settings {
    /// Every violation of a limit or a rule.
    #[must_use]
    pub fn validate(&self) -> Vec<Violation> {
        let mut wrong = Vec::new();
        let values = flat_values(self);
        for (key, value) in &values {
            if let Some(shape) = shape_of(key)
                && !within(value, shape)
            {
                let message = format!("`{key}` must be {}, not {value}", shape.wanted());
                wrong.push(Violation { keys: vec![key.clone()], message });
            }
        }
        rules::apply(self, &mut |keys, message| {
            let message = format!("`{}` {message}", keys[0]);
            wrong.push(Violation { keys: keys.iter().map(|&key| key.to_owned()).collect(), message });
        });
        wrong
    }
}

/// What is expected at a key, a user's own names on the way included.
fn shape_of(key: &str) -> Option<&'static Shape> {
    let (mut shape, mut rest) = (root(), key);
    loop {
        shape = match shape {
            Shape::Section(fields) => {
                let (name, after) = rest.split_once('.').unwrap_or((rest, ""));
                rest = after;
                &fields.iter().find(|field| field.name == name)?.shape
            }
            Shape::Map(item) => {
                rest = rest.rsplit_once('.').map_or("", |(_, after)| after);
                item
            }
            leaf => return Some(leaf),
        };
    }
}

fn within(value: &Value, shape: &Shape) -> bool {
    match (shape, value) {
        (Shape::Number { least, most }, Value::Number(number)) => {
            number.as_f64().is_some_and(|number| (*least..=*most).contains(&number))
        }
        // A number that is not one (NaN) has no form in JSON and arrives here as nothing.
        (Shape::Number { .. }, _) => false,
        (Shape::Whole { least, most }, Value::Number(number)) => {
            number.as_i128().is_some_and(|number| (*least..=*most).contains(&number))
        }
        (Shape::List { item, .. }, Value::Array(values)) => values.iter().all(|value| within(value, item)),
        (Shape::Optional(_), Value::Null) => true,
        (Shape::Optional(shape), value) => within(value, shape),
        _ => true,
    }
}
