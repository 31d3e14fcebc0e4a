//! The process: its first start, address file and end.

pub mod address_file;
pub mod draining;
pub mod start;
