//! When is a failing host left alone?

use std::time::Duration;

use domain::Moment;

/// The numbers of the breaker.
#[derive(Debug, Clone, PartialEq)]
pub struct BreakerRules {
    /// Over this share of errors the host is suspended.
    pub error_ratio: f64,
    /// Errors and answers are counted over this time.
    pub window: Duration,
    /// With fewer requests than this there is nothing to judge.
    pub minimum_requests: u32,
    /// The first suspension; each further one is twice as long.
    pub suspend: Duration,
    /// The longest suspension.
    pub max_suspend: Duration,
    /// After this many suspensions the host is given up for the round.
    pub give_up_after: u32,
    /// A host that has been quiet this long starts with a clean slate.
    pub forgive_after: Duration,
}

impl Default for BreakerRules {
    fn default() -> BreakerRules {
        BreakerRules {
            error_ratio: 0.5,
            window: Duration::from_secs(300),
            minimum_requests: 10,
            suspend: Duration::from_secs(60),
            max_suspend: Duration::from_secs(86_400),
            give_up_after: 3,
            forgive_after: Duration::from_secs(1_800),
        }
    }
}

const BUCKETS: usize = 10;

/// Counts one host's answers and errors over a sliding window.
#[derive(Debug, Clone, Default)]
pub struct Breaker {
    buckets: [(u16, u16); BUCKETS],
    bucket_start: Moment,
    strikes: u32,
    last_error_at: Moment,
}

/// What the breaker says after an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    GoOn,
    /// Leave the host alone until then.
    SuspendUntil(Moment),
    /// Do not ask it again in this round.
    GiveUp,
}

impl Breaker {
    /// A breaker as it was remembered from an earlier run.
    #[must_use]
    pub fn remembered(strikes: u32, at: Moment) -> Breaker {
        Breaker { strikes, last_error_at: at, ..Breaker::default() }
    }

    /// How often the host has been suspended.
    #[must_use]
    pub fn strikes(&self) -> u32 {
        self.strikes
    }

    /// Counts an answer.
    pub fn record(&mut self, rules: &BreakerRules, error: bool, now: Moment) -> Verdict {
        self.turn(rules, now);
        let (answers, errors) = &mut self.buckets[0];
        *answers = answers.saturating_add(1);
        if !error {
            return Verdict::GoOn;
        }
        *errors = errors.saturating_add(1);
        self.last_error_at = now;
        let sum = |pick: fn(&(u16, u16)) -> u16| self.buckets.iter().map(|b| u32::from(pick(b))).sum::<u32>();
        let (answers, errors) = (sum(|b| b.0), sum(|b| b.1));
        if answers < rules.minimum_requests || f64::from(errors) <= f64::from(answers) * rules.error_ratio {
            return Verdict::GoOn;
        }
        self.suspend(rules, now)
    }

    fn suspend(&mut self, rules: &BreakerRules, now: Moment) -> Verdict {
        self.buckets = Default::default();
        self.strikes += 1;
        if self.strikes >= rules.give_up_after {
            return Verdict::GiveUp;
        }
        let doubled = rules.suspend.saturating_mul(1 << (self.strikes - 1).min(20));
        Verdict::SuspendUntil(now.after(doubled.min(rules.max_suspend)))
    }

    fn turn(&mut self, rules: &BreakerRules, now: Moment) {
        if self.strikes > 0 && now.since(self.last_error_at) >= rules.forgive_after {
            self.strikes = 0;
        }
        let width = (rules.window / BUCKETS as u32).max(Duration::from_millis(1));
        let steps = now.since(self.bucket_start).as_millis() / width.as_millis();
        if steps == 0 {
            return;
        }
        let shift = usize::try_from(steps).unwrap_or(BUCKETS).min(BUCKETS);
        self.buckets.rotate_right(shift % BUCKETS);
        self.buckets[..shift].fill((0, 0));
        self.bucket_start = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_half_errors_suspend_and_half_do_not() {
        let rules = BreakerRules::default();
        let mut breaker = Breaker::default();
        for second in 0..40 {
            assert_eq!(breaker.record(&rules, second % 2 == 1, Moment(second * 1_000)), Verdict::GoOn);
        }
        let verdict = breaker.record(&rules, true, Moment(41_000));
        assert_eq!(verdict, Verdict::SuspendUntil(Moment(101_000)));
    }

    #[test]
    fn a_few_requests_say_nothing() {
        let mut breaker = Breaker::default();
        let rules = BreakerRules::default();
        assert!((0..9).all(|i| breaker.record(&rules, true, Moment(i)) == Verdict::GoOn));
        assert_ne!(breaker.record(&rules, true, Moment(9)), Verdict::GoOn);
    }

    #[test]
    fn suspensions_double_and_then_the_host_is_given_up() {
        let rules = BreakerRules { minimum_requests: 1, give_up_after: 3, ..BreakerRules::default() };
        let mut breaker = Breaker::default();
        assert_eq!(breaker.record(&rules, true, Moment(0)), Verdict::SuspendUntil(Moment(60_000)));
        assert_eq!(breaker.record(&rules, true, Moment(60_000)), Verdict::SuspendUntil(Moment(180_000)));
        assert_eq!(breaker.record(&rules, true, Moment(180_000)), Verdict::GiveUp);
    }

    #[test]
    fn old_errors_leave_the_window_and_half_an_hour_of_quiet_forgives() {
        let rules = BreakerRules { minimum_requests: 4, ..BreakerRules::default() };
        let mut breaker = Breaker::default();
        for at in 0..3 {
            breaker.record(&rules, true, Moment(at));
        }
        let later = Moment(400_000);
        assert!((0..4).all(|_| breaker.record(&rules, false, later) == Verdict::GoOn));
        assert_eq!(breaker.record(&rules, true, later), Verdict::GoOn, "the early errors are gone");
        let mut breaker = Breaker::remembered(2, Moment(0));
        breaker.record(&rules, false, Moment(1_800_000));
        assert_eq!(breaker.strikes(), 0);
    }
}
