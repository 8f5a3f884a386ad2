//! What can be asked of the program? One file per verb; each is a plain function that returns an exit status.

mod accounts;
mod aggregate;
mod archive;
mod changes;
mod cli;
pub mod config;
mod crawl;
mod deliver;
mod demo;
mod export;
mod fingerprints;
mod history;
pub mod init;
mod ledger;
mod migrate;
mod process;
mod report;
mod robots;
mod sandbox;
mod segments;
mod status;
mod table;
mod url;

use std::io::{IsTerminal, Write};

use anyhow::{Context, Result, bail};
use clap::Parser;
use tokio::runtime;

use crate::{
    clock::Clock,
    exit::Exit,
    explain::explain,
    settings::{Settings, SettingsArgs, wrapped},
};
pub use cli::{Cli, Command};

/// Parses the command line, runs the command, and says how it went.
pub fn main() -> Exit {
    let cli = Cli::parse();
    let mut out = std::io::stdout();
    match run(cli, &mut out) {
        Ok(exit) => exit,
        // a reader that has seen enough, such as `head`, is not an error
        Err(error) if is_broken_pipe(&error) => Exit::Done,
        Err(error) => {
            let told = format!("error: {}", explain(&error));
            // a terminal breaks words; a file is searched line by line
            let wraps = std::io::stderr().is_terminal();
            for line in told.lines() {
                eprintln!("{}", if wraps { wrapped(line, 78).join("\n  ") } else { line.to_owned() });
            }
            Exit::CouldNotRun
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        let of_json = || cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind).or_else(of_json)
    };
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}

fn run(cli: Cli, out: &mut dyn Write) -> Result<Exit> {
    let Cli { settings, now, command } = cli;
    if let Some(now) = now {
        Clock::pretend(now.into());
    }
    match command {
        Command::Demo(args) => {
            refuse_file(&settings, "demo")?;
            demo::demo(&args, &settings.overrides, out)
        }
        Command::Init(args) => {
            refuse_settings(&settings, "init")?;
            async_run(init::init(&args, out))
        }
        Command::Crawl(args) => async_run(crawl::crawl(&args, &settings, out)),
        Command::Status(args) => async_run(status::status(&args, load(&settings)?, out)),
        Command::History(args) => async_run(history::history(&args, load(&settings)?, out)),
        Command::Ledger(args) => ledger::ledger(&args, &load(&settings)?, out),
        Command::Process(args) => async_run(process::process(&args, load(&settings)?, out)),
        Command::Aggregate(args) => async_run(aggregate::aggregate(&args, load(&settings)?, out)),
        Command::Changes(args) => async_run(changes::changes(&args, load(&settings)?, out)),
        Command::Archive(args) => async_run(archive::archive(&args, load(&settings)?, out)),
        Command::Export(args) => async_run(export::export(&args, load(&settings)?, out)),
        Command::Fingerprints(command) => {
            async_run(fingerprints::fingerprints(&command, load(&settings)?, out))
        }
        Command::Accounts(command) => async_run(accounts::accounts(&command, load(&settings)?, out)),
        Command::Report(args) => async_run(report::report(&args, load(&settings)?, out)),
        Command::Segments(command) => segments::segments(&command, &load(&settings)?, out),
        Command::Deliver(args) => async_run(deliver::deliver(&args, load(&settings)?, out)),
        Command::Migrate(args) => async_run(migrate::migrate(&args, load(&settings)?, out)),
        Command::Config(command) => config::run(&command, &settings, &env, out),
        Command::Robots(command) => robots::robots(&command, &load(&settings)?, out),
        Command::Url(command) => url::url(&command, &load(&settings)?, out),
        Command::Sandbox(command) => {
            refuse_settings(&settings, "sandbox")?;
            async_run(sandbox::sandbox(&command, out))
        }
    }
}

/// Refuses a settings file for a command that writes its own, instead of passing over it in silence.
fn refuse_file(settings: &SettingsArgs, command: &str) -> Result<()> {
    match &settings.config {
        Some(_) => bail!("`canvass {command}` writes settings of its own: leave out `--config`"),
        None => Ok(()),
    }
}

fn refuse_settings(settings: &SettingsArgs, command: &str) -> Result<()> {
    if !settings.overrides.is_empty() {
        bail!("`canvass {command}` reads no settings: leave out `--set`");
    }
    refuse_file(settings, command)
}

fn load(args: &SettingsArgs) -> Result<Settings> {
    Ok(args.load(&env)?.settings)
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn async_run(work: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    // one core gains nothing from threads that share work, and pays for their sharing
    let mut runtime = match std::thread::available_parallelism() {
        Ok(cores) if cores.get() == 1 => runtime::Builder::new_current_thread(),
        _ => runtime::Builder::new_multi_thread(),
    };
    runtime.enable_all().build().context("cannot start the runtime")?.block_on(work)
}

/// Prints a value as JSON, for `--json`.
fn print_json(out: &mut dyn Write, value: &impl serde::Serialize) -> Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)?;
    Ok(())
}
