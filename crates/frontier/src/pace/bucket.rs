//! How many requests per second may the whole job send?

use std::time::Duration;

use domain::Moment;

/// A token bucket: `rate` tokens a second, at most `burst` saved up. A rate of zero means no limit.
#[derive(Debug, Clone)]
pub struct TokenBucket {
    rate: f64,
    burst: f64,
    tokens: f64,
    filled_at: Moment,
}

impl TokenBucket {
    /// A full bucket.
    #[must_use]
    pub fn new(rate: f64, burst: f64, now: Moment) -> TokenBucket {
        let burst = burst.max(1.0);
        TokenBucket { rate: rate.max(0.0), burst, tokens: burst, filled_at: now }
    }

    /// Takes a token, or says when there will be one.
    pub fn take(&mut self, now: Moment) -> Result<(), Moment> {
        if self.rate == 0.0 {
            return Ok(());
        }
        let gained = now.since(self.filled_at).as_secs_f64() * self.rate;
        self.tokens = (self.tokens + gained).min(self.burst);
        self.filled_at = self.filled_at.max(now);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        let wait = (1.0 - self.tokens) / self.rate;
        Err(now.after(Duration::from_secs_f64(wait.min(86_400.0)) + Duration::from_millis(1)))
    }

    /// Gives a token back that was taken and not used.
    pub fn give_back(&mut self) {
        self.tokens = (self.tokens + 1.0).min(self.burst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_second_ever_gets_more_than_rate_plus_burst() {
        let mut bucket = TokenBucket::new(30.0, 5.0, Moment(0));
        let mut granted = Vec::new();
        let mut now = Moment(0);
        while now < Moment(10_000) {
            match bucket.take(now) {
                Ok(()) => granted.push(now),
                Err(later) => {
                    assert!(later > now);
                    now = later;
                }
            }
        }
        for start in 0..9_000 {
            let within = granted.iter().filter(|at| (start..start + 1_000).contains(&at.0)).count();
            assert!(within <= 35, "{within} from {start}");
        }
        assert!(granted.len() >= 290, "{}", granted.len());
    }

    #[test]
    fn a_rate_of_zero_is_no_limit() {
        let mut bucket = TokenBucket::new(0.0, 1.0, Moment(0));
        assert!((0..1_000).all(|_| bucket.take(Moment(0)).is_ok()));
    }
}
