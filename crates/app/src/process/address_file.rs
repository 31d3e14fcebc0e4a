//! The file with the URL of the server that uses this data folder: written at start, removed at
//! stop, and read by commands that call the server (design/operations).
//!
//! After a crash, the outdated file remains until the next start.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use confab_runtime::config::Config;

use crate::process::start::base;

/// Writes the URL of this server. A failure is logged and does not stop the server.
pub fn write(config: &Config, address: SocketAddr) {
    let file = &config.address_file;
    let made = file.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| fs::write(file, base(config, address)));
    if let Err(error) = written {
        tracing::warn!(
            path = %file.display(),
            %error,
            "failed to write the address file; commands need --server"
        );
    }
}

/// Removes the file, unless another server has replaced the URL with its own.
pub fn remove(config: &Config, address: SocketAddr) {
    if read(&config.address_file).as_deref() == Some(&base(config, address)) {
        let _ = fs::remove_file(&config.address_file);
    }
}

/// Reads the URL of the running server, if there is one.
pub fn read(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
