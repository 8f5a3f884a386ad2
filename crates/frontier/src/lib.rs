//! Which URL may be fetched next, and when?

pub mod normal;
pub mod robots;
pub mod site;
pub mod source;
