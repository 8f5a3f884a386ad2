//! What do fingerprints in the open Wappalyzer format say?
//!
//! Every field that a page as it was fetched can answer is taken. What cannot be taken is named, with the reason: a
//! pattern that is dropped without a word looks like a technology that nobody uses.

mod javascript;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

pub use javascript::translate;

use super::{
    pack::Category,
    pattern::check_regex,
    rule::{Extract, ExtractKind, Fingerprint, Implied, Part, Pattern, Signal},
    selector::Selector,
};

/// What a folder of such files holds.
#[derive(Debug, Default)]
pub struct Import {
    /// Its categories.
    pub categories: Vec<Category>,
    /// Its technologies.
    pub signals: Vec<Signal>,
    /// Their patterns.
    pub fingerprints: Vec<Fingerprint>,
    /// What could not be taken.
    pub refused: Vec<Refused>,
}

/// A pattern that could not be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The technology.
    pub technology: String,
    /// The field, with the name or selector in it.
    pub field: String,
    /// The pattern.
    pub pattern: String,
    /// Why.
    pub why: String,
}

/// What goes wrong with a whole file.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is not JSON, or not what the format asks for.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

#[derive(Deserialize)]
struct CategoryEntry {
    name: String,
}

impl Import {
    /// Reads `categories.json`.
    ///
    /// # Errors
    /// If it is not what the format asks for.
    pub fn read_categories(&mut self, json: &str) -> Result<CategoryKeys, ImportError> {
        let entries: BTreeMap<String, CategoryEntry> = serde_json::from_str(json)?;
        let mut keys = BTreeMap::new();
        for (id, CategoryEntry { name }) in entries {
            let key = slug(&name);
            self.categories.push(Category {
                key: key.clone(),
                title: name,
                about: String::new(),
                exclusive: false,
            });
            keys.insert(id, key);
        }
        Ok(CategoryKeys(keys))
    }

    /// Reads one file of technologies.
    ///
    /// # Errors
    /// If it is not what the format asks for.
    pub fn read_technologies(&mut self, json: &str, categories: &CategoryKeys) -> Result<(), ImportError> {
        let technologies: Map<String, Value> = serde_json::from_str(json)?;
        for (name, fields) in &technologies {
            if let Value::Object(fields) = fields {
                Reader { import: self, technology: name, count: 0 }.read(fields, categories);
            }
        }
        Ok(())
    }
}

/// The keys of categories by the numbers that technologies use.
#[derive(Debug, Default)]
pub struct CategoryKeys(BTreeMap<String, String>);

impl CategoryKeys {
    fn key(&self, number: &Value) -> Option<String> {
        let number = number.as_str().map_or_else(|| number.to_string(), str::to_owned);
        self.0.get(&number).cloned()
    }
}

/// Reads one technology.
struct Reader<'a> {
    import: &'a mut Import,
    technology: &'a str,
    count: usize,
}

impl Reader<'_> {
    fn read(&mut self, fields: &Map<String, Value>, categories: &CategoryKeys) {
        let all = |key: &str| fields.get(key).map(strings).unwrap_or_default();
        let category_keys = |key: &str| -> Vec<String> {
            let numbers = fields.get(key).map(|value| listed(value).to_vec()).unwrap_or_default();
            numbers.iter().filter_map(|number| categories.key(number)).collect()
        };
        let implied = |text: &String| {
            let tagged = Tagged::parse(text);
            Implied { signal: tagged.pattern.to_owned(), confidence: tagged.confidence }
        };
        let name = self.technology.to_owned();
        self.import.signals.push(Signal {
            vendor: name.clone(),
            family: name.clone(),
            name,
            category: category_keys("cats").into_iter().next().unwrap_or_else(|| "miscellaneous".to_owned()),
            website: all("website").into_iter().next().unwrap_or_default(),
            implies: all("implies").iter().map(implied).collect(),
            requires: all("requires"),
            requires_category: category_keys("requiresCategory"),
            excludes: all("excludes").iter().map(|text| Tagged::parse(text).pattern.to_owned()).collect(),
        });
        for (field, value) in fields {
            self.read_field(field, value);
        }
    }

    fn read_field(&mut self, field: &str, value: &Value) {
        match field {
            "html" => self.take_all(field, value, || Part::Body),
            "text" => self.take_all(field, value, || Part::Text),
            "scriptSrc" => self.take_all(field, value, || Part::Script),
            "scripts" => self.take_all(field, value, || Part::Inline),
            "css" => self.take_all(field, value, || Part::Style),
            "url" => self.take_all(field, value, || Part::Url),
            "robots" => self.take_all(field, value, || Part::Robots),
            "headers" => self.take_named(field, value, Part::Header),
            "cookies" => self.take_named(field, value, Part::Cookie),
            "meta" => self.take_named(field, value, Part::Meta),
            "dom" => self.take_dom(value),
            "js" => self.take_js(value),
            "dns" => self.refuse_all(field, value, "a page says nothing of its host's DNS records"),
            "certIssuer" => self.refuse_all(field, value, "the certificate is not part of a capture"),
            "xhr" => self.refuse_all(field, value, "only a browser makes such requests"),
            "probe" => self.refuse_all(field, value, "it would need a request of its own"),
            _ => {}
        }
    }

    fn take_all(&mut self, field: &str, value: &Value, part: impl Fn() -> Part) {
        for pattern in strings(value) {
            self.take(field, part(), &pattern);
        }
    }

    fn take_named(&mut self, field: &str, value: &Value, part: fn(String) -> Part) {
        let Value::Object(names) = value else { return };
        for (name, patterns) in names {
            for pattern in strings(patterns) {
                self.take(&format!("{field} {name}"), part(name.to_ascii_lowercase()), &pattern);
            }
        }
    }

    fn take_dom(&mut self, value: &Value) {
        match value {
            Value::Object(selectors) => {
                for (selector, tests) in selectors {
                    self.take_selector(selector, tests);
                }
            }
            _ => {
                for selector in strings(value) {
                    self.take_selector(&selector, &Value::Null);
                }
            }
        }
    }

    fn take_selector(&mut self, selector: &str, tests: &Value) {
        let field = format!("dom {selector}");
        let part = |attribute: Option<&str>| Part::Dom {
            selector: selector.to_owned(),
            attribute: attribute.map(str::to_owned),
        };
        if let Err(error) = Selector::parse_list(selector) {
            self.refuse(&field, "", error.to_string());
            return;
        }
        let Value::Object(tests) = tests else {
            self.take(&field, part(None), "");
            return;
        };
        for (test, value) in tests {
            match test.as_str() {
                "exists" => self.take(&field, part(None), ""),
                "text" => {
                    for pattern in strings(value) {
                        self.take(&format!("{field} text"), part(None), &pattern);
                    }
                }
                "attributes" => {
                    let Value::Object(attributes) = value else { continue };
                    for (attribute, patterns) in attributes {
                        for pattern in strings(patterns) {
                            self.take(&format!("{field} {attribute}"), part(Some(attribute)), &pattern);
                        }
                    }
                }
                _ => self.refuse_all(
                    &format!("{field} {test}"),
                    value,
                    "only a browser knows an element's properties",
                ),
            }
        }
    }

    /// A global of the page. Without running it, one can see only where a script in the document sets it.
    fn take_js(&mut self, value: &Value) {
        let Value::Object(chains) = value else { return };
        for (chain, patterns) in chains {
            for text in strings(patterns) {
                let tagged = Tagged::parse(&text);
                let name = escape(chain);
                let field = format!("js {chain}");
                if tagged.pattern.is_empty() {
                    self.take(
                        &field,
                        Part::Inline,
                        &format!(r"(?:^|[^\w$.])(?:window\.)?{name}\s{{0,8}}=[^=]"),
                    );
                    continue;
                }
                let inner = tagged.pattern.trim_start_matches('^').trim_end_matches('$');
                let tags = &text[tagged.pattern.len()..];
                let assigned =
                    format!(r#"(?:^|[^\w$.])(?:window\.)?{name}\s{{0,8}}=\s{{0,8}}["']?(?:{inner}){tags}"#);
                self.take(&field, Part::Inline, &assigned);
            }
        }
    }

    fn take(&mut self, field: &str, part: Part, text: &str) {
        let tagged = Tagged::parse(text);
        let source = translate(tagged.pattern);
        let pattern = match () {
            () if tagged.pattern.is_empty() => Pattern::Exists,
            () => match plain_text(&source) {
                Some(text) => Pattern::Text(text),
                None => Pattern::Regex(source),
            },
        };
        let cannot_only_exist =
            !matches!(part, Part::Header(_) | Part::Cookie(_) | Part::Meta(_) | Part::Dom { .. });
        if pattern == Pattern::Exists && cannot_only_exist {
            self.refuse(field, text, "an empty pattern says nothing here".to_owned());
            return;
        }
        if let Pattern::Regex(regex) = &pattern
            && let Err(error) = check_regex(regex)
        {
            self.refuse(field, text, error.to_string());
            return;
        }
        let own_groups = matches!(pattern, Pattern::Regex(_));
        let extracts = tagged
            .version
            .filter(|_| own_groups)
            .map(|template| Extract {
                kind: ExtractKind::Version,
                regex: None,
                template: template.to_owned(),
            })
            .into_iter()
            .collect();
        self.count += 1;
        let fingerprint = Fingerprint {
            id: format!("{}-{}-{}", slug(self.technology), part.word(), self.count),
            signal: self.technology.to_owned(),
            part,
            pattern,
            extracts,
            confidence: tagged.confidence,
        };
        self.import.fingerprints.push(fingerprint);
    }

    fn refuse_all(&mut self, field: &str, value: &Value, why: &str) {
        match value {
            Value::Object(entries) => {
                for (name, value) in entries {
                    self.refuse_all(&format!("{field} {name}"), value, why);
                }
            }
            _ => {
                for pattern in strings(value) {
                    self.refuse(field, &pattern, why.to_owned());
                }
            }
        }
    }

    fn refuse(&mut self, field: &str, pattern: &str, why: String) {
        let (technology, field, pattern) = (self.technology.to_owned(), field.to_owned(), pattern.to_owned());
        self.import.refused.push(Refused { technology, field, pattern, why });
    }
}

/// A pattern with what stands behind `\;`.
struct Tagged<'a> {
    pattern: &'a str,
    version: Option<&'a str>,
    confidence: u8,
}

impl Tagged<'_> {
    fn parse(text: &str) -> Tagged<'_> {
        let mut parts = text.split(r"\;");
        let mut tagged = Tagged { pattern: parts.next().unwrap_or_default(), version: None, confidence: 100 };
        for tag in parts {
            match tag.split_once(':') {
                Some(("version", template)) => tagged.version = Some(template),
                Some(("confidence", number)) => {
                    tagged.confidence = number.trim().parse().map_or(100, |number: u8| number.clamp(1, 100));
                }
                _ => {}
            }
        }
        tagged
    }
}

/// The text that an expression stands for, if it is only text.
fn plain_text(regex: &str) -> Option<String> {
    let mut text = String::new();
    let mut letters = regex.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.push(letters.next().filter(char::is_ascii_punctuation)?),
            '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => return None,
            _ if !letter.is_ascii() => return None,
            _ => text.push(letter),
        }
    }
    (text.len() >= super::grams::SHORTEST).then_some(text)
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if letter.is_ascii_punctuation() && letter != '_' {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

fn listed(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        one => std::slice::from_ref(one),
    }
}

fn strings(value: &Value) -> Vec<String> {
    listed(value)
        .iter()
        .filter_map(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
        .collect()
}

/// A name as a key: lower case, words joined by dashes.
fn slug(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}
