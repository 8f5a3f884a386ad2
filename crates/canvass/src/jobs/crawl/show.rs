//! What does a person see while a crawl runs?

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use domain::{Moment, RoundId};
use frontier::schedule::{Event, Frontier};
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{STATUS_FILE, dispatch::Watcher, enlist::EnlistProgress, progress::Progress};
use crate::round::RoundFolder;

/// Without a terminal, a line is printed this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Draws a bar on a terminal, prints a line now and then elsewhere, and keeps `status.json`.
pub struct Show {
    round: RoundId,
    status_file: PathBuf,
    /// Whether there is a terminal to draw on.
    draws: bool,
    /// The crawl's bar, from its first reading on.
    bar: Option<ProgressBar>,
    quiet: bool,
    last_line: Instant,
}

impl Show {
    /// Shows the crawl of a round.
    #[must_use]
    pub fn new(folder: &RoundFolder, with_bar: bool, quiet: bool) -> Show {
        let status_file = folder.file(STATUS_FILE);
        let round = folder.round.clone();
        Show { round, status_file, draws: with_bar, bar: None, quiet, last_line: Instant::now() }
    }

    /// The part that enlisting needs, on its own thread.
    #[must_use]
    pub fn enlisting(&self) -> StageBar {
        StageBar::new(self.draws, "{spinner} enlist  {msg}")
    }

    /// The part that the ledger needs.
    #[must_use]
    pub fn proving(&self) -> StageBar {
        StageBar::new(self.draws, "{spinner} ledger  {msg}")
    }

    /// Clears the bar.
    pub fn done(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None if !self.quiet => eprintln!("{line}"),
            None => {}
        }
    }
}

impl Watcher for Show {
    fn watch(&mut self, progress: &mut Progress, frontier: &Frontier, now: Moment) {
        let mut status = progress.reading(now);
        status.round = Some(self.round.clone());
        status.stage = "crawl".to_owned();
        status.in_flight = frontier.in_flight();
        status.window = frontier.window();
        status.active_hosts = frontier.active_hosts();
        let failed = status.tally.all_failed();
        let eta = status
            .eta_seconds
            .map_or("…".to_owned(), |s| HumanDuration(Duration::from_secs(s)).to_string());
        let rate =
            format!("{:.0}/s {}/s", status.targets_per_second, HumanBytes(status.bytes_per_second as u64));
        if self.draws {
            let bar = self.bar.get_or_insert_with(|| new_bar("crawl {bar:20} {pos}/{len} {msg}"));
            bar.set_length(status.targets);
            bar.set_position(status.tally.ended());
            bar.set_message(format!("{rate} · {failed} failed · {eta} left"));
        } else if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let (ended, targets) = (status.tally.ended(), status.targets);
            self.say(&format!("crawl: {ended} of {targets} targets, {rate}, {failed} failed, {eta} left"));
        }
        write_status(&self.status_file, &status);
    }

    fn warn(&mut self, words: &str) {
        self.say(words);
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::HostSuspended { host, until } => {
                self.say(&format!("suspended {host} until {until}: too many of its answers were errors"));
            }
            Event::HostGivenUp { host } => {
                self.say(&format!("gave up {host}: its remaining targets fail as host_suspended"));
            }
        }
    }
}

/// Replaces `status.json` without syncing: it says how things go, and the log says how they are.
fn write_status(path: &std::path::Path, status: &super::Status) {
    let temporary = path.with_extension("json.tmp");
    let written = serde_json::to_vec(status)
        .map_err(std::io::Error::other)
        .and_then(|text| std::fs::write(&temporary, text))
        .and_then(|()| std::fs::rename(&temporary, path));
    if let Err(error) = written {
        tracing::warn!(%error, "status.json could not be written");
    }
}

/// A spinner with a message, for the stages without a rate.
pub struct StageBar(Option<ProgressBar>);

impl StageBar {
    fn new(draws: bool, template: &str) -> StageBar {
        StageBar(draws.then(|| new_bar(template)))
    }

    /// Shows how far enlisting is.
    pub fn show(&self, now: &EnlistProgress) {
        let Some(bar) = &self.0 else { return };
        let EnlistProgress { lines, bytes: (read, all), settled } = now;
        let share =
            all.filter(|all| *all > 0).map_or(String::new(), |all| format!(" ({} %)", read * 100 / all));
        bar.set_message(match settled {
            0 => format!("{lines} lines read{share}"),
            settled => format!("{lines} lines read, {settled} sorted by host"),
        });
        bar.tick();
    }

    /// Shows how far the proof is.
    pub fn segments(&self, read: usize, all: usize) {
        if let Some(bar) = &self.0 {
            bar.set_message(format!("segment {} of {all}", read + 1));
            bar.tick();
        }
    }

    /// Clears it.
    pub fn done(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Drop for StageBar {
    fn drop(&mut self) {
        self.done();
    }
}

fn new_bar(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the templates are constants");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
    bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
    bar
}
