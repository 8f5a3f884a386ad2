//! Which CRM account is which organisation?
//!
//! Pure functions over what accounts say of themselves. Today: when do two spellings of an address mean the same place?

pub mod address;
