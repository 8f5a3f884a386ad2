//! How fast may a host be asked?

mod breaker;
mod bucket;
mod policy;
mod window;

pub use breaker::{Breaker, BreakerRules, Verdict};
pub use bucket::TokenBucket;
pub use policy::{DomainRule, HostRule, PacePolicy};
pub use window::{AdaptiveWindow, WindowRules};

use std::time::Duration;

use domain::Moment;

/// The most that throttling slows a host down by itself; Retry-After may ask for more.
const MAX_PENALTY: Duration = Duration::from_secs(300);
/// Moments are whole milliseconds: without rounding up, a gap may come out one short.
const ROUNDING: Duration = Duration::from_millis(1);

/// One host's pace: when it was last asked, and when it may be asked again.
#[derive(Debug, Clone, Default)]
pub struct HostPace {
    last_request_at: Moment,
    last_answer_at: Moment,
    next_allowed_at: Moment,
    crawl_delay: Duration,
    last_fetch_time: Duration,
    penalty: Duration,
}

impl HostPace {
    /// A pace as it was remembered from an earlier run.
    #[must_use]
    pub fn remembered(last_request_at: Moment, next_allowed_at: Moment) -> HostPace {
        HostPace { last_request_at, next_allowed_at, ..HostPace::default() }
    }

    /// When the host may next be asked.
    #[must_use]
    pub fn next_allowed_at(&self) -> Moment {
        self.next_allowed_at
    }

    /// When the host was last asked.
    #[must_use]
    pub fn last_request_at(&self) -> Moment {
        self.last_request_at
    }

    /// The gap between two requests: the largest of the rule, the site's own crawl-delay, the host's last fetch time
    /// and what throttling has added.
    #[must_use]
    pub fn delay(&self, rule: &HostRule) -> Duration {
        let proportional = self.last_fetch_time.mul_f64(rule.latency_factor);
        rule.delay.max(self.crawl_delay).max(proportional).max(self.penalty)
    }

    /// Takes robots.txt's crawl-delay as a floor, from the last answer on.
    pub fn set_crawl_delay(&mut self, delay: Duration) {
        self.crawl_delay = delay;
        if delay > Duration::ZERO {
            self.not_before(self.last_answer_at.after(delay + ROUNDING));
        }
    }

    /// Charges a request that is about to be sent. `stretch` (1.0 or more) is the jitter: it only ever lengthens.
    pub fn charge(&mut self, rule: &HostRule, now: Moment, stretch: f64) {
        self.last_request_at = now;
        self.next_allowed_at = now.after(self.delay(rule).mul_f64(stretch.max(1.0)));
    }

    /// Learns from an answer. The gap runs from the moment of the answer, for the server saw the request no later.
    pub fn answered(
        &mut self,
        rule: &HostRule,
        answered_at: Moment,
        took: Duration,
        worked: bool,
        stretch: f64,
    ) {
        // a quick error must not make us quicker
        self.last_fetch_time = if worked { took } else { self.last_fetch_time.max(took) };
        if worked {
            self.penalty = self.penalty.mul_f64(0.8);
            if self.penalty < Duration::from_millis(100) {
                self.penalty = Duration::ZERO;
            }
        }
        self.last_answer_at = answered_at;
        let gap = self.delay(rule).mul_f64(stretch.max(1.0));
        // a host that takes several requests at once is paced from request to request
        if gap > Duration::ZERO && rule.concurrency <= 1 {
            self.not_before(answered_at.after(gap + ROUNDING));
        }
    }

    /// Slows down after a 429 or 503: waits as told, and doubles the gap until answers work again.
    pub fn throttled(&mut self, rule: &HostRule, now: Moment, wait: Duration) {
        self.penalty = (self.delay(rule) * 2).clamp(Duration::from_secs(1), MAX_PENALTY);
        self.not_before(now.after(wait));
    }

    /// Takes a new rule at once: a shorter delay is not waited out, unless the host is suspended or asked for patience.
    pub fn reconsider(&mut self, rule: &HostRule, suspended_until: Option<Moment>) {
        if self.penalty == Duration::ZERO && self.last_answer_at > Moment(0) {
            let due = self.last_answer_at.after(self.delay(rule) + ROUNDING);
            self.next_allowed_at = due.max(suspended_until.unwrap_or_default());
        }
    }

    /// Pushes the next request back to `moment`; never forward.
    pub fn not_before(&mut self, moment: Moment) {
        self.next_allowed_at = self.next_allowed_at.max(moment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(seconds: u64) -> HostRule {
        HostRule { delay: Duration::from_secs(seconds), ..HostRule::default() }
    }

    #[test]
    fn the_longest_of_rule_crawl_delay_and_fetch_time_is_the_gap() {
        let mut pace = HostPace::default();
        assert_eq!(pace.delay(&rule(2)), Duration::from_secs(2));
        pace.set_crawl_delay(Duration::from_secs(7));
        assert_eq!(pace.delay(&rule(2)), Duration::from_secs(7));
        pace.answered(&rule(2), Moment(0), Duration::from_secs(9), true, 1.0);
        assert_eq!(pace.delay(&rule(2)), Duration::from_secs(9));
    }

    #[test]
    fn an_error_answer_never_lowers_a_delay() {
        let mut pace = HostPace::default();
        pace.answered(&rule(1), Moment(0), Duration::from_secs(5), true, 1.0);
        pace.answered(&rule(1), Moment(0), Duration::from_millis(3), false, 1.0);
        assert_eq!(pace.delay(&rule(1)), Duration::from_secs(5));
        pace.answered(&rule(1), Moment(0), Duration::from_millis(3), true, 1.0);
        assert_eq!(pace.delay(&rule(1)), Duration::from_secs(1));
    }

    #[test]
    fn the_gap_runs_from_the_answer_and_jitter_only_lengthens_it() {
        let mut pace = HostPace::default();
        pace.charge(&rule(2), Moment(1_000), 0.5);
        assert_eq!(pace.next_allowed_at(), Moment(3_000));
        pace.answered(&rule(2), Moment(1_700), Duration::from_millis(700), true, 1.1);
        assert_eq!(pace.next_allowed_at(), Moment(3_901));
    }

    #[test]
    fn throttling_slows_a_host_until_answers_work_again() {
        let mut pace = HostPace::default();
        pace.throttled(&rule(2), Moment(0), Duration::from_secs(30));
        assert_eq!(pace.next_allowed_at(), Moment(30_000));
        assert_eq!(pace.delay(&rule(2)), Duration::from_secs(4));
        pace.throttled(&rule(2), Moment(30_000), Duration::from_secs(60));
        assert_eq!(pace.delay(&rule(2)), Duration::from_secs(8));
        for _ in 0..40 {
            pace.answered(&rule(2), Moment(0), Duration::ZERO, true, 1.0);
        }
        assert_eq!(pace.delay(&rule(2)), Duration::from_secs(2));
    }
}
