//! How many requests may be under way at once, given how the network feels?

use std::time::Duration;

use domain::Moment;

/// The numbers of the adaptive window.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowRules {
    /// Never fewer.
    pub min: usize,
    /// Never more.
    pub max: usize,
    /// What the window is multiplied by when it is too slow or throttled.
    pub decrease: f64,
    /// Too slow: p95 over this many times the baseline.
    pub slo_multiplier: f64,
    /// Too throttled: more than this share of answers are 429 or 503.
    pub max_throttle_ratio: f64,
    /// How often it is judged.
    pub eval_interval: Duration,
    /// How long it does not grow after it has shrunk.
    pub cool_off: Duration,
}

impl Default for WindowRules {
    fn default() -> WindowRules {
        WindowRules {
            min: 4,
            max: 64,
            decrease: 0.70,
            slo_multiplier: 2.0,
            max_throttle_ratio: 0.05,
            eval_interval: Duration::from_secs(5),
            cool_off: Duration::from_secs(15),
        }
    }
}

/// Below this many answers an interval says nothing.
const FEWEST_ANSWERS: usize = 20;
/// More samples than this do not move a p95.
const MOST_SAMPLES: usize = 1_024;

/// An additive-increase, multiplicative-decrease window over the whole job.
///
/// It learns what p95 is normal from the first interval, follows it down at once and up slowly, and shrinks when p95 or
/// the share of throttled answers goes over its limit.
#[derive(Debug, Clone)]
pub struct AdaptiveWindow {
    rules: WindowRules,
    size: usize,
    baseline: Option<Duration>,
    samples: Vec<Duration>,
    answers: usize,
    throttles: usize,
    judged_at: Moment,
    grow_from: Moment,
}

impl AdaptiveWindow {
    /// A window that starts at half of its most.
    #[must_use]
    pub fn new(rules: WindowRules, now: Moment) -> AdaptiveWindow {
        let size = (rules.max / 2).max(rules.min).max(1);
        AdaptiveWindow {
            rules,
            size,
            baseline: None,
            samples: Vec::new(),
            answers: 0,
            throttles: 0,
            judged_at: now,
            grow_from: now,
        }
    }

    /// How many requests may be under way.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Takes new numbers, keeping what was learned.
    pub fn set_rules(&mut self, rules: WindowRules) {
        self.size = self.size.clamp(rules.min.max(1), rules.max.max(1));
        self.rules = rules;
    }

    /// Takes note of an answer, and judges when it is time to.
    pub fn record(&mut self, latency: Duration, throttled: bool, now: Moment) {
        if self.samples.len() < MOST_SAMPLES {
            self.samples.push(latency);
        } else {
            self.samples[self.answers % MOST_SAMPLES] = latency;
        }
        self.answers += 1;
        self.throttles += usize::from(throttled);
        if now.since(self.judged_at) >= self.rules.eval_interval && self.answers >= FEWEST_ANSWERS {
            self.judge(now);
        }
    }

    fn judge(&mut self, now: Moment) {
        let at = (self.samples.len() * 95 / 100).min(self.samples.len() - 1);
        let p95 = *self.samples.select_nth_unstable(at).1;
        let throttle_ratio = self.throttles as f64 / self.answers as f64;
        let baseline = *self.baseline.get_or_insert(p95);
        let too_slow = p95 > baseline.mul_f64(self.rules.slo_multiplier);
        let too_throttled = throttle_ratio > self.rules.max_throttle_ratio;
        if too_slow || too_throttled {
            self.size = ((self.size as f64 * self.rules.decrease) as usize).max(self.rules.min.max(1));
            self.grow_from = now.after(self.rules.cool_off);
        } else if now >= self.grow_from {
            self.size = (self.size + (self.rules.max / 32).max(1)).min(self.rules.max.max(1));
        }
        // down at once, up by a hundredth: a network that stays slower becomes the new normal in time
        self.baseline = Some(p95.min(baseline.mul_f64(1.01).max(Duration::from_micros(1))));
        self.samples.clear();
        self.answers = 0;
        self.throttles = 0;
        self.judged_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(window: &mut AdaptiveWindow, from: i64, intervals: i64, latency_ms: u64, throttled: bool) -> i64 {
        let mut now = from;
        for _ in 0..intervals * 50 {
            now += 100;
            window.record(Duration::from_millis(latency_ms), throttled, Moment(now));
        }
        now
    }

    #[test]
    fn it_grows_by_steps_to_its_most_while_all_is_well() {
        let mut window = AdaptiveWindow::new(WindowRules::default(), Moment(0));
        assert_eq!(window.size(), 32);
        run(&mut window, 0, 3, 100, false);
        assert_eq!(window.size(), 38);
        run(&mut window, 15_000, 30, 100, false);
        assert_eq!(window.size(), 64);
    }

    #[test]
    fn it_shrinks_by_seven_tenths_when_slow_and_when_throttled() {
        let mut window = AdaptiveWindow::new(WindowRules::default(), Moment(0));
        let now = run(&mut window, 0, 30, 100, false);
        let now = run(&mut window, now, 1, 500, false);
        assert_eq!(window.size(), 44);
        let now = run(&mut window, now, 1, 100, true);
        assert_eq!(window.size(), 30);
        run(&mut window, now, 40, 100, true);
        assert_eq!(window.size(), 4, "never under its least");
    }

    #[test]
    fn it_does_not_grow_while_it_cools_off() {
        let mut window = AdaptiveWindow::new(WindowRules::default(), Moment(0));
        let now = run(&mut window, 0, 1, 100, false);
        let now = run(&mut window, now, 1, 900, false);
        let small = window.size();
        let now = run(&mut window, now, 2, 100, false);
        assert_eq!(window.size(), small);
        run(&mut window, now, 3, 100, false);
        assert!(window.size() > small);
    }
}
