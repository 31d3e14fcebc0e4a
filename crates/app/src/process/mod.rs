//! The process: its files, signals, memory, logs and first start.

pub mod address_file;
pub mod draining;
pub mod logging;
pub mod memory;
pub mod open_files;
pub mod panics;
pub mod private_files;
pub mod secrets_file;
pub mod start;
pub mod tls;
