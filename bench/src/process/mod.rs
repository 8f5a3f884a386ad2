//! How fast do segments become facts, beside reading them only and beside looking at them only?
//!
//! Segments are made once from pages of the sandbox. Then `canvass process` reads them into one catalog after the other,
//! and this program reads them without writing anything, which is what no processing can be faster than.

pub mod home;
pub mod limits;
pub mod pages;
pub mod prepare;
pub mod start;
pub mod whole;
