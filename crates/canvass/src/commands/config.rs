//! What are the settings, and are they right?

use std::{io::Write, path::PathBuf};

use anyhow::Context;
use serde_json::{Map, Value, json};

use crate::{
    exit::Exit,
    settings::{
        Loaded, Origin, Printout, Settings, SettingsArgs, SettingsProblems, flat_values, published_schema,
        wrapped,
    },
};

/// Looks up an environment variable.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Look at the settings
#[derive(Debug, clap::Subcommand)]
pub enum ConfigCommand {
    /// Print every value and where it came from
    Show(ShowArgs),
    /// Print a JSON Schema of canvass.yaml, for editors
    ///
    /// Save it and name it in the first line of canvass.yaml to get completion and checks while you type:
    /// `# yaml-language-server: $schema=canvass.schema.json`
    Schema,
    /// Say everything that is wrong with the settings
    ///
    /// Exits with 0 if a round could start with them, with 2 if not.
    Check(CheckArgs),
}

/// What `canvass config show` is asked for.
#[derive(Debug, Default, clap::Args)]
pub struct ShowArgs {
    /// Only what is set somewhere, without the defaults
    #[arg(long)]
    pub changed: bool,
    /// As JSON: { KEY: { value, origin } }
    #[arg(long)]
    pub json: bool,
}

/// What `canvass config check` is asked for.
#[derive(Debug, Default, clap::Args)]
pub struct CheckArgs {
    /// The file to check [default: that of --config, or canvass.yaml]
    pub file: Option<PathBuf>,
    /// As JSON: { file, ok, problems, notes }
    #[arg(long)]
    pub json: bool,
}

/// Runs one of the `config` commands.
///
/// # Errors
/// Where the settings are wrong (but for `check`, which prints that), or `out` cannot be written to.
pub fn run(
    command: &ConfigCommand,
    settings: &SettingsArgs,
    env: Env,
    out: &mut dyn Write,
) -> anyhow::Result<Exit> {
    match command {
        ConfigCommand::Show(args) => show(args, settings, env, out),
        ConfigCommand::Schema => schema(out),
        ConfigCommand::Check(args) => check(args, settings, env, out),
    }
}

/// Prints every value and where it came from, as YAML that can be read back (secrets are hidden).
///
/// # Errors
/// Where the settings are wrong, or `out` cannot be written to.
pub fn show(args: &ShowArgs, settings: &SettingsArgs, env: Env, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let loaded = settings.load(env)?;
    let keep = |key: &str| !args.changed || *loaded.origins.of(key) != Origin::Default;
    if args.json {
        let values = flat_values(&loaded.settings).into_iter().filter(|(key, _)| keep(key));
        let told = |(key, value): (String, Value)| {
            let origin = loaded.origins.of(&key).to_string();
            (key, json!({ "value": value, "origin": origin }))
        };
        write_json(&Value::Object(values.map(told).collect::<Map<_, _>>()), out)?;
        return Ok(Exit::Done);
    }
    let note = |key: &str| loaded.origins.of(key).to_string();
    let text = Printout { keep: &keep, note: &note }.of(&loaded.settings);
    let text = if text.is_empty() { "# everything has its default\n" } else { &text };
    out.write_all(text.as_bytes()).context("writing the settings")?;
    Ok(Exit::Done)
}

/// Prints the JSON Schema of the settings file.
///
/// # Errors
/// Where `out` cannot be written to.
pub fn schema(out: &mut dyn Write) -> anyhow::Result<Exit> {
    write_json(&published_schema(), out)?;
    Ok(Exit::Done)
}

/// Says everything that is wrong with the settings.
///
/// # Errors
/// Where `out` cannot be written to.
pub fn check(
    args: &CheckArgs,
    settings: &SettingsArgs,
    env: Env,
    out: &mut dyn Write,
) -> anyhow::Result<Exit> {
    let file = args.file.clone().or_else(|| settings.file());
    let name = file.as_ref().map_or("the defaults".to_owned(), |file| file.display().to_string());
    let result = Settings::load(file.as_deref(), &settings.overrides, env);
    if args.json {
        write_json(&verdict_as_json(&name, &result), out)?;
    } else {
        out.write_all(verdict(&name, &result).as_bytes()).context("writing the verdict")?;
    }
    Ok(if result.is_ok() { Exit::Done } else { Exit::CouldNotRun })
}

fn verdict(name: &str, result: &Result<Loaded, SettingsProblems>) -> String {
    let loaded = match result {
        Ok(loaded) => loaded,
        Err(problems) => {
            let count = problems.0.len();
            let lines: String = problems.0.iter().map(|problem| in_columns(&problem.to_string())).collect();
            return format!("{lines}{name}: {count} problem{}\n", if count == 1 { "" } else { "s" });
        }
    };
    let mut text = String::new();
    for (key, origin, stage) in loaded.not_read_yet() {
        text += &in_columns(&format!(
            "note: {origin}: `{key}` is set, but nothing reads it yet (it waits for {stage})"
        ));
    }
    let set = loaded.origins.set().count();
    text + &format!("{name}: no problems, {set} value{} set\n", if set == 1 { "" } else { "s" })
}

/// A message in lines of at most 80 columns, those after the first one indented.
fn in_columns(message: &str) -> String {
    wrapped(message, 78).join("\n  ") + "\n"
}

fn verdict_as_json(name: &str, result: &Result<Loaded, SettingsProblems>) -> Value {
    let (problems, notes) = match result {
        Err(problems) => (&problems.0[..], Vec::new()),
        Ok(loaded) => {
            let note = |(key, origin, stage): (&str, &Origin, &str)| json!({ "origin": origin.to_string(), "key": key, "waits_for": stage });
            (&[][..], loaded.not_read_yet().map(note).collect())
        }
    };
    let told: Vec<Value> = problems
        .iter()
        .map(|one| json!({ "origin": one.origin.to_string(), "key": one.key, "message": one.message }))
        .collect();
    json!({ "file": name, "ok": result.is_ok(), "problems": told, "notes": notes })
}

fn write_json(value: &Value, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{value:#}").context("writing JSON")
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
