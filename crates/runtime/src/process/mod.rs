//! The process: its files, certificates, memory and logs.

pub mod logging;
pub mod memory;
pub mod open_files;
pub mod panics;
pub mod private_files;
pub mod secrets_file;
pub mod tls;
