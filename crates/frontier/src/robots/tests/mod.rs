//! Is a robots.txt read as RFC 9309 says, whatever it holds?

mod conformance;
mod laws;
mod limits;
mod rfc9309;

use super::Rules;

fn allowed(body: &str, agent: &str, path: &str) -> bool {
    Rules::parse(body.as_bytes(), agent).decide(path).allowed
}

/// Checks `(agent, path, allowed)` rows against one body.
fn check(body: &str, rows: &[(&str, &str, bool)]) {
    for &(agent, path, expected) in rows {
        assert_eq!(allowed(body, agent, path), expected, "{agent} {path} under\n{body}");
    }
}
