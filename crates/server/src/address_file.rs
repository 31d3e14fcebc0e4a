//! Where the server that runs with this data folder is called: written at its start, taken away at
//! its end, and read by commands that look for it (D-0106).
//!
//! After a crash it stays behind, and says what is no more true, until the next start.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use crate::config::Config;
use crate::start::base;

/// Says where this server is. That it cannot be said is no reason not to serve.
pub(crate) fn write(config: &Config, address: SocketAddr) {
    let file = &config.address_file;
    let made = file.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| fs::write(file, base(config, address)));
    if let Err(error) = written {
        let file = file.display();
        tracing::warn!("{file} cannot be written, commands need --server: {error}");
    }
}

/// Takes it away, unless another server said since where it is.
pub(crate) fn remove(config: &Config, address: SocketAddr) {
    if read(&config.address_file).as_deref() == Some(&base(config, address)) {
        let _ = fs::remove_file(&config.address_file);
    }
}

/// Where the server is, if one said so.
pub(crate) fn read(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
