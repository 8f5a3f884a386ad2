//! What time is it?

use std::time::Instant;

use domain::Moment;

/// The only place that asks the clock. It is anchored once, so that a correction of the system's time during a round
/// neither hurries nor stalls anybody's pace.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    anchor: Moment,
    started: Instant,
}

impl Clock {
    /// A clock that agrees with the system's now.
    #[must_use]
    pub fn start() -> Clock {
        Clock { anchor: jiff::Timestamp::now().into(), started: Instant::now() }
    }

    /// The present moment.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.anchor.after(self.started.elapsed())
    }
}
