//! `confab export` and `confab import`: move an app from one server to another (D-0173).
//!
//! [`export`] writes an app into a file of lines, while servers run. [`import`] reads such a file,
//! or what [`service`] fetches from a running server by its message API; both use [`importer`],
//! which commits in batches and can be restarted.

pub(super) mod export;
pub(super) mod import;

mod importer;
mod progress;
mod service;
mod spool;
mod walk;
