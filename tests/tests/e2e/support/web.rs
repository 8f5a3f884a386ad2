//! Which web is crawled?

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use sandbox::{Pace, Plan, Request, ServeOptions, Server, World};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::home::Home;

/// Runs every sandbox of this process, so that it outlives each crawler that is killed.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().expect("a runtime can be started"))
}

/// A sandbox web that is served in this process, with its list and its truth.
pub struct Web {
    pub world: Arc<World>,
    pub list: PathBuf,
    server: Server,
    dir: TempDir,
}

impl Web {
    pub fn serve(plan: &Plan) -> Web {
        Web::serve_at(plan, Pace::default())
    }

    pub fn serve_at(plan: &Plan, pace: Pace) -> Web {
        let world = Arc::new(World::build(plan));
        let options = ServeOptions { pace, ..ServeOptions::default() };
        let server =
            runtime().block_on(Server::start(Arc::clone(&world), options)).expect("it can be served");
        let dir = tempfile::tempdir().expect("there is a temporary folder");
        let list = dir.path().join("list.csv");
        let mut to = BufWriter::new(File::create(&list).expect("a temporary folder can be written"));
        world.write_list(&mut to).and_then(|()| to.flush()).expect("a temporary folder can be written");
        for (name, content) in [("hosts", server.hosts_file().as_str()), ("ca.pem", server.ca_pem())] {
            std::fs::write(dir.path().join(name), content).expect("a temporary folder can be written");
        }
        Web { world, list, server, dir }
    }

    /// Settings under which the world's truth holds, with this pause between two requests to a host.
    pub fn settings(&self, delay_seconds: f64) -> String {
        let folder = self.dir.path().display();
        format!(
            "# the sandbox's truth holds under these\n\
             crawl:\n  \
               default_crawl_delay_seconds: {delay_seconds}\n  \
               concurrency: 256\n  \
               resolve_timeout_seconds: 3\n  \
               connect_timeout_seconds: 2\n  \
               tls_timeout_seconds: 2\n  \
               fetch_timeout_seconds: 2\n  \
               body_idle_timeout_seconds: 2\n  \
               total_timeout_seconds: 6\n  \
               retry:\n    \
                 throttle_first_wait_seconds: 1\n    \
                 server_error_wait_seconds: 1\n    \
                 connect_timeout_wait_seconds: 1\n    \
                 transient_wait_seconds: 1\n    \
                 transient_retries: 1\n  \
               thresholds:\n    \
                 high_failure_percent: 100\n    \
                 abort_failure_percent: 100\n\
             network:\n  \
               allow_private: [127.0.0.0/8]\n  \
               hosts_file: {folder}/hosts\n  \
               extra_ca_file: {folder}/ca.pem\n"
        )
    }

    /// A home with a catalog, whose settings suit this web.
    pub fn home(&self, delay_seconds: f64, sets: &[&str]) -> Home {
        Home::migrated(&self.settings(delay_seconds), sets)
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<Request> {
        self.server.requests()
    }

    /// Every request so far that was not for a robots.txt.
    pub fn page_requests(&self) -> Vec<Request> {
        let mut requests = self.requests();
        requests.retain(|request| !is_robots(&request.path));
        requests
    }

    /// Waits until no request has come for a while: this process may be busy, and then it notes one late.
    pub fn wait_until_quiet(&self) {
        let mut before = usize::MAX;
        while before != self.server.requests().len() {
            before = self.server.requests().len();
            thread::sleep(Duration::from_millis(40));
        }
    }

    /// Starts over: no request so far, and every "once, then fine" begins again.
    pub fn forget(&self) {
        self.server.clear_log();
        self.server.forget_visits();
    }
}

/// Whether a path of the sandbox is a robots.txt, or one that has moved.
pub fn is_robots(path: &str) -> bool {
    path.starts_with("/robots")
}
