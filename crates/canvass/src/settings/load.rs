//! Which value counts, and who gave it?
//!
//! Default, then file, then environment, then command line: each layer is laid over the one before, key by key.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    SecretUrl, Settings, Violation,
    convert::{Walk, unknown_key},
    expand::Expander,
    later::not_read_yet,
    problem::{Origin, Problem, SettingsProblems},
    shape::{Shape, join, root},
    yaml::{self, Data, MAX_FILE_BYTES, Node},
};

/// Settings that are whole and valid, and where each value came from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// Who gave each value.
    pub origins: Origins,
    /// The file that was read, where one was.
    pub file: Option<PathBuf>,
}

/// Who gave each value, by dotted key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(BTreeMap<String, Origin>);

impl Origins {
    /// Who gave this key's value.
    #[must_use]
    pub fn of(&self, key: &str) -> &Origin {
        self.0.get(key).unwrap_or(&Origin::Default)
    }

    /// Of keys that do not go together, the first that somebody set, itself or below it.
    fn to_blame(&self, keys: &[String]) -> (String, Origin) {
        let set = keys.iter().find_map(|key| {
            let below =
                |name: &str| name.strip_prefix(key.as_str()).is_some_and(|rest| rest.starts_with('.'));
            let origin = self
                .0
                .get(key)
                .or_else(|| self.set().find(|(name, _)| below(name)).map(|(_, origin)| origin))?;
            Some((key.clone(), origin.clone()))
        });
        set.unwrap_or_else(|| (keys.first().cloned().unwrap_or_default(), Origin::Default))
    }

    /// The keys that somebody set, with who did.
    pub fn set(&self) -> impl Iterator<Item = (&str, &Origin)> {
        self.0.iter().map(|(key, origin)| (key.as_str(), origin))
    }
}

impl Loaded {
    /// What was set though nothing reads it yet: key, who set it, and the stage that will read it.
    pub fn not_read_yet(&self) -> impl Iterator<Item = (&str, &Origin, &'static str)> {
        self.origins.set().filter_map(|(key, origin)| Some((key, origin, not_read_yet(key)?)))
    }
}

impl Settings {
    /// Reads the settings: defaults, under the file at `path` if one is named, under the environment's
    /// `CANVASS_<SECTION>__<KEY>`, under the command line's `key=value` pairs.
    ///
    /// A relative path in the file, and a default one, is taken from the file's folder; one that the environment or the
    /// command line gave is taken from the current folder.
    ///
    /// # Errors
    /// Everything that is wrong, in all layers, at once.
    pub fn load(
        path: Option<&Path>,
        overrides: &[(String, String)],
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Loaded, SettingsProblems> {
        let mut layers = Layers::default();
        if let Some(path) = path {
            layers.lay_file(path, env);
        }
        layers.lay_environment(env);
        for (key, text) in overrides {
            layers.lay_override(key, text);
        }
        let (mut settings, origins) = layers.settle()?;
        if let Some(folder) = path.and_then(Path::parent) {
            settings.take_paths_from(folder, &origins);
        }
        Ok(Loaded { settings, origins, file: path.map(Path::to_owned) })
    }

    /// Reads the settings from the text of a file alone.
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    pub fn from_yaml(
        text: &str,
        file: &str,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Loaded, SettingsProblems> {
        let mut layers = Layers::default();
        layers.lay_text(text, file, env);
        let (settings, origins) = layers.settle()?;
        Ok(Loaded { settings, origins, file: None })
    }

    fn take_paths_from(&mut self, folder: &Path, origins: &Origins) {
        let ours = |key: &str| matches!(origins.of(key), Origin::Default | Origin::File { .. });
        let here = |path: &PathBuf| folder.join(path);
        if ours("storage.data_dir") {
            self.storage.data_dir = here(&self.storage.data_dir);
        }
        for (key, path) in [
            ("network.hosts_file", &mut self.network.hosts_file),
            ("network.extra_ca_file", &mut self.network.extra_ca_file),
            ("schedule.list", &mut self.schedule.list),
            ("backup.folder", &mut self.backup.folder),
        ] {
            if ours(key) {
                *path = path.as_ref().map(here);
            }
        }
        for (name, destination) in &mut self.delivery.destinations {
            let is_folder = !destination.url.contains("://");
            if is_folder && ours(&format!("delivery.destinations.{name}.url")) {
                destination.url = here(&PathBuf::from(&destination.url)).display().to_string();
            }
        }
        let file = self.storage.metadata_db_url.as_ref().and_then(|url| url.expose().strip_prefix("sqlite:"));
        if let Some(file) = file.filter(|_| ours("storage.metadata_db_url")) {
            let url = format!("sqlite:{}", folder.join(file).display());
            self.storage.metadata_db_url = Some(SecretUrl::new(url));
        }
    }
}

/// The environment variable that sets a key.
pub(super) fn variable_for(key: &str) -> String {
    format!("CANVASS_{}", key.replace('.', "__").to_ascii_uppercase())
}

#[derive(Default)]
struct Layers {
    values: Map<String, Value>,
    origins: BTreeMap<String, Origin>,
    problems: Vec<Problem>,
}

impl Layers {
    fn lay_file(&mut self, path: &Path, env: &dyn Fn(&str) -> Option<String>) {
        let file = path.display().to_string();
        match read_text(path) {
            Ok(text) => self.lay_text(&text, &file, env),
            Err((line, message)) => {
                let origin = Origin::File { file, line };
                self.problems.push(Problem { origin, key: String::new(), message });
            }
        }
    }

    fn lay_text(&mut self, text: &str, file: &str, env: &dyn Fn(&str) -> Option<String>) {
        let origin = |line| Origin::File { file: file.to_owned(), line };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document = match yaml::read(text) {
            Ok(document) => document,
            Err(unreadable) => {
                let (line, message) = (unreadable.line, unreadable.message);
                self.problems.push(Problem { origin: origin(line), key: String::new(), message });
                return;
            }
        };
        if !document.is_nothing() && !matches!(document.data, Data::Map(_)) {
            let message = "settings are `section:` lines with `key: value` lines below them".to_owned();
            self.problems.push(Problem { origin: origin(document.line), key: String::new(), message });
            return;
        }
        let mut walk = Walk {
            origin: &origin,
            expander: Some(Expander::new(env)),
            problems: &mut self.problems,
            origins: &mut self.origins,
        };
        if let Some(Value::Object(values)) = walk.value(&document, root(), "", document.line) {
            lay_over(&mut self.values, values);
        }
    }

    fn lay_environment(&mut self, env: &dyn Fn(&str) -> Option<String>) {
        root().visit_values("", &mut |key, shape| {
            let name = variable_for(key);
            // Compose files pass unset variables on as empty ones.
            if let Some(text) = env(&name).filter(|text| !text.is_empty()) {
                let names: Vec<&str> = key.split('.').collect();
                self.lay_single(&names, shape, &text, &Origin::Variable(name));
            }
        });
    }

    fn lay_override(&mut self, key: &str, text: &str) {
        match locate(key) {
            Ok((names, shape)) => self.lay_single(&names, shape, text, &Origin::Set(key.to_owned())),
            Err(message) => {
                let origin = Origin::Set(key.to_owned());
                self.problems.push(Problem { origin, key: key.to_owned(), message });
            }
        }
    }

    /// Lays one value over the others. Text is taken as it is; anything else is read as YAML.
    fn lay_single(&mut self, names: &[&str], shape: &Shape, text: &str, origin: &Origin) {
        let key = names.join(".");
        let is_text = match shape {
            Shape::Optional(shape) => matches!(**shape, Shape::Text { .. }) && !text.is_empty(),
            shape => matches!(shape, Shape::Text { .. }),
        };
        let node = if is_text {
            Node { line: 1, data: Data::Scalar { text: text.to_owned(), plain: false } }
        } else {
            match yaml::read(text) {
                Ok(node) => node,
                Err(unreadable) => {
                    let message = format!("`{key}`: {}", unreadable.message);
                    self.problems.push(Problem { origin: origin.clone(), key, message });
                    return;
                }
            }
        };
        let at = |_| origin.clone();
        let mut walk =
            Walk { origin: &at, expander: None, problems: &mut self.problems, origins: &mut self.origins };
        let Some(mut value) = walk.value(&node, shape, &key, 1) else { return };
        for name in names.iter().rev() {
            value = Value::Object(Map::from_iter([((*name).to_owned(), value)]));
        }
        if let Value::Object(values) = value {
            lay_over(&mut self.values, values);
        }
    }

    fn settle(mut self) -> Result<(Settings, Origins), SettingsProblems> {
        let origins = Origins(self.origins);
        let mut whole = match serde_json::to_value(Settings::default()) {
            Ok(Value::Object(defaults)) => defaults,
            _ => Map::new(),
        };
        lay_over(&mut whole, self.values);
        match serde_json::from_value::<Settings>(Value::Object(whole)) {
            Ok(settings) => {
                for Violation { keys, message } in settings.validate() {
                    let (key, origin) = origins.to_blame(&keys);
                    self.problems.push(Problem { origin, key, message });
                }
                if self.problems.is_empty() {
                    return Ok((settings, origins));
                }
            }
            Err(error) => {
                let problem =
                    Problem { origin: Origin::Default, key: String::new(), message: error.to_string() };
                self.problems.push(problem);
            }
        }
        self.problems.sort_by(|a, b| a.origin.cmp(&b.origin));
        Err(SettingsProblems(self.problems))
    }
}

/// Lays `upper` over `lower`: maps key by key, everything else whole.
fn lay_over(lower: &mut Map<String, Value>, upper: Map<String, Value>) {
    for (name, value) in upper {
        match (lower.get_mut(&name), value) {
            (Some(Value::Object(below)), Value::Object(above)) => lay_over(below, above),
            (_, value) => {
                lower.insert(name, value);
            }
        }
    }
}

/// The names on the way to a dotted key, and what is expected there.
fn locate(key: &str) -> Result<(Vec<&str>, &'static Shape), String> {
    let mut names = Vec::new();
    let (mut shape, mut rest, mut before) = (root(), key, String::new());
    loop {
        let (name, after) = match shape {
            Shape::Section(_) => rest.split_once('.').unwrap_or((rest, "")),
            Shape::Map(item) => own_name(rest, item),
            _ => return Err(format!("`{before}` has no keys below it")),
        };
        shape = match shape {
            Shape::Section(fields) => match fields.iter().find(|field| field.name == name) {
                Some(field) => &field.shape,
                None => return Err(unknown_key(name, fields, &before)),
            },
            Shape::Map(item) => item,
            _ => return Err(format!("`{before}` has no keys below it")),
        };
        names.push(name);
        before = join(&before, name);
        if after.is_empty() {
            return Ok((names, shape));
        }
        rest = after;
    }
}

/// Where a user's own name ends: it may have dots (`amazon.com`), so it ends before the last name that the shape below knows.
fn own_name<'a>(rest: &'a str, item: &Shape) -> (&'a str, &'a str) {
    match (rest.rsplit_once('.'), item) {
        (Some((name, after)), Shape::Section(fields)) if fields.iter().any(|field| field.name == after) => {
            (name, after)
        }
        _ => (rest, ""),
    }
}

fn read_text(path: &Path) -> Result<String, (usize, String)> {
    let told = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => (0, "there is no such file; `canvass init` writes one".to_owned()),
        ErrorKind::IsADirectory => (0, "is a folder; name the file in it".to_owned()),
        _ => (0, format!("cannot be read: {error}")),
    };
    let file = File::open(path).map_err(told)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(told)?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err((0, yaml::too_large()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
        (line, "is not UTF-8 text; save the file as UTF-8".to_owned())
    })
}
