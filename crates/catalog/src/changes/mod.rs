//! What changed from month to month?
//!
//! [`seen`] and [`page_outcomes`] are what two months are compared by, site by site; the answers are kept here too.

mod answers;
mod looks;

pub use answers::{
    ChangeRow, DualRow, ListedChange, ListedDual, list_changes, list_dual_vendors, replace,
    replace_dual_vendors,
};
pub(crate) use looks::last_of_next_sites;
pub use looks::{PageOutcome, SeenRow, page_outcomes, page_outcomes_between, seen, seen_between};
