//! canvass robots: may this URL be fetched, and which line says so?

use std::{
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use frontier::{
    normal::{NormalRules, TrailingSlash},
    robots::{MAX_BODY_BYTES, Rules},
    schedule::path_of,
};
use serde_json::json;

use super::print_json;
use crate::{exit::Exit, jobs::crawl::normal_rules, settings::Settings};

/// The `robots` commands.
#[derive(Debug, clap::Subcommand)]
pub enum RobotsCommand {
    /// Say for each URL whether a robots.txt allows it, and the line that decided
    ///
    /// Exits with 0 if all are allowed, with 1 if one is denied.
    Check(CheckArgs),
}

/// What `canvass robots check` is asked for.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// The robots.txt
    #[arg(long, value_name = "ROBOTS")]
    pub file: PathBuf,
    /// The user agent's product token [default: politeness.robots_agent]
    #[arg(long, value_name = "UA")]
    pub agent: Option<String>,
    /// The URLs, or paths that begin with `/`
    #[arg(required = true)]
    pub urls: Vec<String>,
    /// Print the verdicts as JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs one of the `robots` commands.
pub fn robots(command: &RobotsCommand, settings: &Settings, out: &mut dyn Write) -> Result<Exit> {
    let RobotsCommand::Check(args) = command;
    let body = read_start(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let rules = Rules::parse(&body, args.agent.as_deref().unwrap_or(&settings.politeness.robots_agent));
    // the URL as it stands: a round may strip a slash or a parameter that a rule is about
    let spelling = NormalRules {
        tracking_parameters: Vec::new(),
        trailing_slash: TrailingSlash::Keep,
        upgrade_to_https: false,
        ..normal_rules(&settings.normalise)
    };
    let mut verdicts = Vec::new();
    for url in &args.urls {
        let path = if url.starts_with('/') {
            url.clone()
        } else {
            let normal = spelling.normalise(url).map_err(|problem| anyhow::anyhow!("`{url}`: {problem}"))?;
            path_of(normal.as_str()).to_owned()
        };
        let verdict = rules.decide(&path);
        verdicts.push((url, verdict.allowed, verdict.line, verdict.rule.map(str::to_owned)));
    }
    let denied = verdicts.iter().any(|(_, allowed, ..)| !allowed);
    if args.json {
        let delay = rules.crawl_delay().map(|delay| delay.as_secs_f64());
        let rows: Vec<_> = verdicts
            .iter()
            .map(|(url, allowed, line, rule)| json!({ "url": url, "allowed": allowed, "line": line, "rule": rule }))
            .collect();
        print_json(out, &json!({ "crawl_delay_seconds": delay, "verdicts": rows }))?;
    } else {
        for (url, allowed, line, rule) in verdicts {
            let word = if allowed { "allow" } else { "deny" };
            match (line, rule) {
                (Some(line), Some(rule)) => {
                    let directive = if allowed { "Allow" } else { "Disallow" };
                    writeln!(out, "{word} {url}  (line {line}: {directive}: {rule})")?;
                }
                _ => writeln!(out, "{word} {url}  (no rule matches)")?,
            }
        }
    }
    Ok(if denied { Exit::Findings } else { Exit::Done })
}

/// As much of a robots.txt as the rules look at, and one byte that tells them that there was more.
fn read_start(file: &Path) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    File::open(file)?.take(MAX_BODY_BYTES as u64 + 1).read_to_end(&mut body)?;
    Ok(body)
}
