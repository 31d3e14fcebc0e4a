//! The base of a running server: settings, clock and ids, limits on connections and requests,
//! uploaded files, supervision of background tasks, traces and metrics.
//!
//! Nothing here decides, sends messages or knows routes.

pub mod admission;
pub mod apns;
pub mod clock;
pub mod config;
pub mod counted;
pub mod failures;
pub mod files;
pub mod ids;
pub mod metric_descriptions;
pub mod origin;
pub mod process;
pub mod recorder;
pub mod supervisor;
pub mod traces;

pub use clock::SystemStamps;
