//! How is a PostgreSQL had that may be stopped at any instant?

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
};

use libtest_mimic::{Completion, Failed};
use tempfile::TempDir;

use super::home::text;

/// A server of its own, which goes away with this.
pub struct Server {
    dir: TempDir,
    port: String,
}

/// What the project's services share, and what PostgreSQL needs besides; `$1` is the server's folder.
const PRELUDE: &str = "set -euo pipefail; . scripts/services.d/common; . scripts/services.d/postgres; \
                       bin=$(postgres_binaries); dir=$1; shift; ";

/// Runs a test that needs a server, or says why it cannot.
pub fn with_server(test: impl FnOnce(&Server)) -> Result<Completion, Failed> {
    if !shell("service_is_installed", Path::new("."), &[]).0 {
        let reason = "PostgreSQL is not installed: run ./test";
        if env::var("REQUIRE_SERVICES").as_deref() == Ok("1") {
            return Err(format!("REQUIRE_SERVICES=1 and {reason}").into());
        }
        return Ok(Completion::ignored_with(reason));
    }
    test(&Server::start());
    Ok(Completion::Completed)
}

impl Server {
    fn start() -> Server {
        let dir = tempfile::tempdir().expect("there is a temporary folder");
        // the server runs as another user, who must be able to pass
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("the folder is ours");
        let folder = dir.path().join("server");
        // A commit that was acknowledged must survive a server that is stopped at once, so it is written through to the
        // system; only a crash of the machine would need it on the disk.
        let port = shell(
            "service_folder \"$dir\"; port=$(free_port); \
             as_service \"$bin/initdb\" -D \"$dir/data\" -U canvass --auth=trust -E UTF8 --locale=C.UTF-8 \
                 --no-sync >/dev/null; \
             as_service \"$bin/pg_ctl\" -D \"$dir/data\" -l \"$dir/log\" -w -t 30 -o \"-p $port \
                 -c listen_addresses=127.0.0.1 -c unix_socket_directories=$dir -c fsync=off \
                 -c synchronous_commit=on\" start >/dev/null; \
             echo $port",
            &folder,
            &[],
        );
        assert!(port.0, "PostgreSQL does not start: {}", port.1);
        Server { dir, port: port.1.trim().to_owned() }
    }

    /// The address of one of its databases.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://canvass@127.0.0.1:{}/{database}", self.port)
    }

    /// Ends it without a word to anybody: sessions are cut, nothing is tidied up.
    pub fn stop_at_once(&self) {
        self.run("as_service \"$bin/pg_ctl\" -D \"$dir/data\" -m immediate -w -t 30 stop", &[]);
    }

    /// Starts it again as it was.
    pub fn start_again(&self) {
        // it says that nothing runs, and starts with the options of the last time
        self.run(
            "as_service \"$bin/pg_ctl\" -D \"$dir/data\" -l \"$dir/log\" -m immediate -w -t 30 restart",
            &[],
        );
    }

    /// Makes a database, of nothing or as a copy of another.
    pub fn create(&self, database: &str, copy_of: Option<&str>) {
        let template = copy_of.unwrap_or("template1");
        let statement = format!("CREATE DATABASE {database} TEMPLATE {template}");
        self.run("\"$bin/psql\" -qX -d \"$1\" -c \"$2\"", &[&self.url("postgres"), &statement]);
    }

    fn run(&self, command: &str, arguments: &[&str]) {
        let (done, said) = shell(command, &self.dir.path().join("server"), arguments);
        assert!(done, "{command}: {said}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let stop = "as_service \"$bin/pg_ctl\" -D \"$dir/data\" -m immediate -w -t 30 stop";
        let _ = shell(stop, &self.dir.path().join("server"), &[]);
    }
}

/// Runs a command of the shell after the prelude; says whether it succeeded, and what it said.
fn shell(command: &str, folder: &Path, arguments: &[&str]) -> (bool, String) {
    // A server inherits what its starter has open, so a pipe would stay open as long as it runs.
    let said = tempfile::NamedTempFile::new().expect("there is a temporary folder");
    let file =
        || fs::OpenOptions::new().append(true).open(said.path()).expect("a temporary file can be opened");
    let status = Command::new("bash")
        .args(["-c", &format!("{PRELUDE}{command}"), "server", text(folder)])
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stdin(Stdio::null())
        .stdout(file())
        .stderr(file())
        .status()
        .expect("bash can be started");
    (status.success(), fs::read_to_string(said.path()).unwrap_or_default())
}
