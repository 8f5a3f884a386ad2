//! canvass sandbox: how can something be tried without the internet?

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result};
use sandbox::{Mix, Plan, ServeOptions, Server, World};
use serde_json::json;

use super::print_json;
use crate::exit::Exit;

/// The `sandbox` commands.
#[derive(Debug, clap::Subcommand)]
pub enum SandboxCommand {
    /// Serve a small web on loopback until stopped, with a list, its truth and settings to crawl it
    Serve(ServeArgs),
}

/// What `canvass sandbox serve` is asked for.
#[derive(Debug, clap::Args)]
pub struct ServeArgs {
    /// The folder to write list.csv, truth.jsonl, hosts, ca.pem, canvass.yaml and requests.jsonl to
    pub dir: PathBuf,
    /// How many sites
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub sites: usize,
    /// Where all chance comes from: the same seed makes the same web
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Only well-behaved sites
    #[arg(long)]
    pub static_only: bool,
    /// Organisations that take up, give up and change products, as they are in this month, from 0
    ///
    /// The list is the same in every month. accounts.csv has the organisations, dual_vendors.json those that show two
    /// vendors of one category in this month.
    #[arg(long, value_name = "N")]
    pub month: Option<u32>,
    /// Print the paths as JSON
    #[arg(long)]
    pub json: bool,
}

/// The files of a sandbox that is being served.
pub struct SandboxFiles {
    /// The list.
    pub list: PathBuf,
    /// What should become of each line.
    pub truth: PathBuf,
    /// Settings under which that truth holds.
    pub settings: PathBuf,
    /// Every request that the sandbox saw.
    pub requests: PathBuf,
    /// The organisations, in a world of accounts.
    pub accounts: Option<PathBuf>,
    /// Those of them that show two vendors of one category.
    pub dual_vendors: Option<PathBuf>,
}

/// Settings under which the sandbox's truth holds: its addresses are allowed, its waits are short.
const SETTINGS: &str = "\
# Written by the sandbox: settings under which its truth file holds.
crawl:
  default_crawl_delay_seconds: 1
  concurrency: 256
  resolve_timeout_seconds: 3
  connect_timeout_seconds: 2
  tls_timeout_seconds: 2
  fetch_timeout_seconds: 2
  body_idle_timeout_seconds: 2
  total_timeout_seconds: 6
  retry:
    throttle_retries: 1
    throttle_first_wait_seconds: 1
    server_error_wait_seconds: 1
    connect_timeout_wait_seconds: 1
    transient_wait_seconds: 1
    transient_retries: 1
network:
  allow_private: [127.0.0.0/8]
  hosts_file: hosts
  extra_ca_file: ca.pem
";

/// Serves a world and writes what is needed to crawl it.
pub async fn lay_out(dir: &Path, plan: &Plan) -> Result<(Server, SandboxFiles, Arc<World>)> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let of_accounts = |name: &str| plan.technographics.then(|| dir.join(name));
    let files = SandboxFiles {
        list: dir.join("list.csv"),
        truth: dir.join("truth.jsonl"),
        settings: dir.join("canvass.yaml"),
        requests: dir.join("requests.jsonl"),
        accounts: of_accounts("accounts.csv"),
        dual_vendors: of_accounts("dual_vendors.json"),
    };
    let world = Arc::new(World::build(plan));
    let options = ServeOptions { log_file: Some(files.requests.clone()), ..ServeOptions::default() };
    let server = Server::start(Arc::clone(&world), options).await?;
    let write = |path: &Path, content: &dyn Fn(&mut BufWriter<File>) -> std::io::Result<()>| {
        let file = File::create(path)?;
        let mut file = BufWriter::new(file);
        content(&mut file)?;
        file.flush()
    };
    for (path, content) in [
        (&files.list, &(|to: &mut _| world.write_list(to)) as &dyn Fn(&mut BufWriter<File>) -> _),
        (&files.truth, &|to| world.write_truth(to)),
        (&files.settings, &|to| to.write_all(SETTINGS.as_bytes())),
        (&dir.join("hosts"), &|to| to.write_all(server.hosts_file().as_bytes())),
        (&dir.join("ca.pem"), &|to| to.write_all(server.ca_pem().as_bytes())),
    ] {
        write(path, content).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &files.accounts {
        write(path, &|to| world.write_accounts(to))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &files.dual_vendors {
        write(path, &|to| world.write_dual_vendors(to))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok((server, files, world))
}

/// Serves until SIGINT or SIGTERM.
pub async fn sandbox(command: &SandboxCommand, out: &mut dyn Write) -> Result<Exit> {
    let SandboxCommand::Serve(args) = command;
    let mix = if args.static_only { Mix::StaticOnly } else { Mix::EveryBehaviour };
    let (technographics, month) = (args.month.is_some(), args.month.unwrap_or(0));
    let plan = Plan { seed: args.seed, sites: args.sites, mix, technographics, month, ..Plan::default() };
    let (server, files, world) = lay_out(&args.dir, &plan).await?;
    let SandboxFiles { list, truth, settings, requests, accounts, dual_vendors } = &files;
    if args.json {
        let paths = json!({
            "list": list, "truth": truth, "settings": settings, "requests": requests, "accounts": accounts,
            "dual_vendors": dual_vendors,
        });
        print_json(
            out,
            &json!({ "sites": world.sites().len(), "targets": world.target_count(), "files": paths }),
        )?;
    } else {
        writeln!(out, "serving {} sites; crawl them from another terminal:", world.sites().len())?;
        writeln!(out, "  canvass --config {} migrate", settings.display())?;
        writeln!(out, "  canvass --config {} crawl {}", settings.display(), list.display())?;
        writeln!(out, "what should come of it: {}", truth.display())?;
        writeln!(out, "what was asked:         {}", requests.display())?;
        if let (Some(accounts), Some(dual_vendors)) = (accounts, dual_vendors) {
            writeln!(out, "whose sites they are:   {}", accounts.display())?;
            writeln!(out, "who has two vendors:    {}", dual_vendors.display())?;
        }
    }
    out.flush()?;
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
    server.stop().await;
    Ok(Exit::Done)
}
