//! `confab export` and `confab import`: an app goes from one server to another (D-0173).
//!
//! [`export`] reads an app of the data, beside servers that run, into a file of lines. [`import`]
//! takes such a file into an app, or what [`service`] fetches from a running server by its message
//! API; both go through [`importer`], which writes some lines at a time and may be begun again.

pub(super) mod export;
pub(super) mod import;

mod importer;
mod progress;
mod service;
mod spool;
mod walk;
