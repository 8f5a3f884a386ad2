//! canvass url: what becomes of a URL?

use std::io::{self, BufRead, Read, Write};

use anyhow::{Context, Result};
use frontier::{
    normal::{NormalRules, NormalUrl, NotAUrl},
    site::UrlKey,
};
use serde_json::json;

use crate::{exit::Exit, jobs::crawl::normal_rules, settings::Settings};

/// What is kept of a line: more than any URL that the rules may allow, so the rest changes no answer.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// The `url` commands.
#[derive(Debug, clap::Subcommand)]
pub enum UrlCommand {
    /// Print the normal form of each URL on standard input, or `error: reason`, in the same order
    Normalize(UrlArgs),
    /// Print host, registrable domain and hash of each URL on standard input, tab-separated
    Key(UrlArgs),
}

/// What the `url` commands are asked for.
#[derive(Debug, clap::Args)]
pub struct UrlArgs {
    /// A JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// Runs one of the `url` commands on standard input.
pub fn url(command: &UrlCommand, settings: &Settings, out: &mut dyn Write) -> Result<Exit> {
    let rules = normal_rules(&settings.normalise);
    // thousands of lines through an unbuffered standard output are slow
    let mut out = std::io::BufWriter::new(out);
    let exit = answer_lines(command, &rules, std::io::stdin().lock(), &mut out)?;
    out.flush()?;
    Ok(exit)
}

fn answer_lines(
    command: &UrlCommand,
    rules: &NormalRules,
    mut input: impl BufRead,
    out: &mut dyn Write,
) -> Result<Exit> {
    let mut line = Vec::new();
    while read_line(&mut input, &mut line).context("cannot read standard input")? {
        let text = String::from_utf8_lossy(&line);
        let answer = match std::str::from_utf8(&line) {
            Ok(text) => rules.normalise(text),
            Err(_) => Err(NotAUrl::NotUtf8),
        };
        let answer = answer.map_err(|problem| problem.to_string());
        match command {
            UrlCommand::Normalize(args) => print_normal(args.json, &text, answer, out)?,
            UrlCommand::Key(args) => print_key(args.json, &text, answer, out)?,
        }
    }
    Ok(Exit::Done)
}

/// Reads the next line without its end; false at the end of the input. Of an endless line only the start is kept.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 == MAX_LINE_BYTES {
        input.skip_until(b'\n')?;
    }
    Ok(true)
}

fn print_normal(
    as_json: bool,
    raw: &str,
    answer: Result<NormalUrl, String>,
    out: &mut dyn Write,
) -> Result<()> {
    match answer {
        Ok(normal) if as_json => {
            writeln!(out, "{}", json!({ "url": raw.trim(), "normal": normal.as_str() }))?
        }
        Ok(normal) => writeln!(out, "{}", normal.as_str())?,
        Err(reason) if as_json => writeln!(out, "{}", json!({ "url": raw.trim(), "error": reason }))?,
        Err(reason) => writeln!(out, "error: {reason}")?,
    }
    Ok(())
}

fn print_key(as_json: bool, raw: &str, answer: Result<NormalUrl, String>, out: &mut dyn Write) -> Result<()> {
    match answer {
        Ok(normal) => {
            let key = UrlKey::from(&normal);
            if as_json {
                writeln!(out, "{}", serde_json::to_string(&key)?)?;
            } else {
                let domain = key.registrable_domain.as_deref().unwrap_or("-");
                writeln!(out, "{}\t{domain}\t{}", key.host, key.hash)?;
            }
        }
        Err(reason) if as_json => writeln!(out, "{}", json!({ "url": raw.trim(), "error": reason }))?,
        Err(reason) => writeln!(out, "error: {reason}")?,
    }
    Ok(())
}
