//! What time is it?

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::{Instant, SystemTime},
};

use domain::Moment;

/// By how many milliseconds this process pretends that it is another time.
static PRETENCE: AtomicI64 = AtomicI64::new(0);

/// The only place that asks the clock. It is anchored once, so that a correction of the system's time during a round
/// neither hurries nor stalls anybody's pace.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    anchor: Moment,
    started: Instant,
}

impl Clock {
    /// A clock that agrees with the system's now, or with what [`Clock::pretend`] was told.
    #[must_use]
    pub fn start() -> Clock {
        let Moment(now) = jiff::Timestamp::now().into();
        Clock::at(Moment(now.saturating_add(PRETENCE.load(Ordering::Relaxed))))
    }

    /// A clock that goes on from `anchor`, so that another month can be lived through today.
    #[must_use]
    pub fn at(anchor: Moment) -> Clock {
        Clock { anchor, started: Instant::now() }
    }

    /// Lets every clock that this process starts from here on go on from `now`.
    pub fn pretend(now: Moment) {
        let Moment(real) = jiff::Timestamp::now().into();
        PRETENCE.store(now.0.saturating_sub(real), Ordering::Relaxed);
    }

    /// What the system's clock says, whatever this process pretends: a server compares a signature's time with its own.
    #[must_use]
    pub fn unpretended() -> SystemTime {
        SystemTime::now()
    }

    /// The present moment.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.anchor.after(self.started.elapsed())
    }
}
