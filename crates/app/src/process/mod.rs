//! The process: its first start, address file and end.

pub mod address_file;
pub mod draining;
pub mod start;

pub use confab_runtime::process::{
    logging, memory, open_files, panics, private_files, secrets_file, tls,
};
