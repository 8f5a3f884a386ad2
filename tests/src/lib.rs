//! Does the whole program keep its promises? The tests are in `tests/e2e`, one binary for all of them.
