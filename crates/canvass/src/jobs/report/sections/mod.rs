//! What does each part of the page say?

mod accounts;
mod changes;
mod coverage;
mod notes;
mod products;

pub use accounts::put_dual_vendors;
pub use changes::put_movers;
pub use coverage::put_coverage;
pub use notes::{put_notes, put_rules};
pub use products::{put_adoption, put_categories};

/// A number with the sign that typesetters use.
fn with_sign(number: &str) -> String {
    number.replace('-', "−")
}
