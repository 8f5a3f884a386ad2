//! What does a person see while a stage counts towards a known end?

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Without a terminal, a line is printed this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// A bar on a terminal, a line now and then elsewhere, nothing where it is to be quiet.
pub struct Bar {
    stage: &'static str,
    bar: Option<ProgressBar>,
    quiet: bool,
    started: Instant,
    last_line: Instant,
}

impl Bar {
    /// Shows a stage.
    #[must_use]
    pub fn new(stage: &'static str, quiet: bool) -> Bar {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let template = format!("{stage} {{bar:20}} {{pos}}/{{len}} {{msg}}");
            let style = ProgressStyle::with_template(&template).expect("the template is a constant");
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
            bar
        });
        Bar { stage, bar, quiet, started: Instant::now(), last_line: Instant::now() }
    }

    /// Shows that `done` of `all` are done, with a few words more.
    pub fn show(&mut self, done: u64, all: u64, words: impl FnOnce() -> String) {
        let left = || {
            let share = done as f64 / all.max(1) as f64;
            let left = self.started.elapsed().mul_f64((1.0 - share).max(0.0) / share.max(1e-9));
            if done == 0 { "…".to_owned() } else { HumanDuration(left).to_string() }
        };
        if let Some(bar) = &self.bar {
            bar.set_length(all);
            bar.set_position(done);
            bar.set_message(format!("{} · {} left", words(), left()));
        } else if !self.quiet && self.last_line.elapsed() >= LINE_EVERY {
            eprintln!("{}: {done} of {all}, {}, {} left", self.stage, words(), left());
            self.last_line = Instant::now();
        }
    }

    /// Says something that should stay.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None if !self.quiet => eprintln!("{line}"),
            None => {}
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
