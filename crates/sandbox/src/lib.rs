//! How can a crawler be shown right without the internet?
//!
//! A [`Plan`] makes a [`World`]: sites with names, addresses and behaviours, a list of targets, and the truth about every
//! line of it. A [`Server`] serves that world on loopback addresses and records each request, so that a test can
//! compare what a crawler says with what is true, and what it promises with what the server saw.
//!
//! In a world of accounts ([`Plan::technographics`]) organisations take up, give up and change products from month to month,
//! and some pages fail in one month only; [`World::findings`], [`World::changes`] and [`World::dual_vendors`] say what is true
//! of a month, by the words of the shipped fingerprint packs.
//!
//! The truth holds for a client that is set as [`ASSUMPTIONS`] say. Names that cannot be found are under `.invalid`, all
//! others are in [`Server::hosts_file`]. A behaviour that changes after the first visit counts its visits by site and
//! path; [`Server::forget_visits`] starts over. Nothing here listens on, or leads to, an address outside 127.0.0.0/8,
//! but for the redirects whose point it is that nobody follows them.

mod accounts;
mod answers;
mod behaviour;
mod chance;
mod content;
mod list;
mod months;
mod plan;
mod server;
mod site;
mod truth;
mod world;

pub use accounts::Account;
pub use behaviour::Behaviour;
pub use content::{Category, ListingTruth, PageTruth};
pub use months::{ChangeTruth, DualVendorTruth, Finding};
pub use plan::{BENCH_PAGE_BYTES, Mix, Plan};
pub use server::{Pace, Request, SandboxError, ServeOptions, Server};
pub use site::Site;
pub use truth::{ASSUMPTIONS, ProductTruth, TruthHeader, TruthLine};
pub use world::{WORLD_VERSION, World};
