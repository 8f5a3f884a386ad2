//! Does the whole program keep its promises?
//!
//! The program under test is the real binary as a child process; the web that it crawls is served by this process, so
//! that it survives every `kill -9` and its log can be read. What needs a service that is not there shows as ignored
//! with the reason, or fails if `REQUIRE_SERVICES=1`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod crash;
mod support;
mod truth;

use libtest_mimic::{Arguments, Trial};

/// Names each test once, in the order in which they start; one that is left out is dead code, which the lints refuse.
macro_rules! tests {
    ($($module:ident :: $name:ident),* $(,)?) => {
        vec![$(Trial::test(concat!(stringify!($module), "::", stringify!($name)), || {
            $module::$name();
            Ok(())
        })),*]
    };
}

fn main() {
    let arguments = Arguments::from_args();
    // a sandbox listens on two ports for each of hundreds of sites
    rlimit::increase_nofile_limit(u64::MAX).expect("the limit of open files can be raised to its most");
    if !arguments.list {
        support::program::program();
    }
    let trials = tests![
        truth::every_line_of_the_sandbox_ends_as_its_truth_says,
        crash::a_round_that_is_killed_while_it_enlists_ends_like_one_that_is_not,
        crash::a_round_that_is_killed_as_it_closes_ends_like_one_that_is_not,
        crash::a_round_that_is_killed_while_it_crawls_ends_like_one_that_is_not,
    ];
    libtest_mimic::run(&arguments, trials).exit();
}
