//! Settings of a test server, chosen before it starts.

use super::server::Server;

const CONNECTIONS_MAX: u32 = 200;

/// The settings of a server. The defaults suit tests that need speed.
pub struct Setup {
    is_fsync_kept: bool,
    connections_max: u32,
    extra: Vec<(String, String)>,
}

impl Default for Setup {
    fn default() -> Self {
        Self::new()
    }
}

impl Setup {
    /// Creates settings without fsync and vacuuming, with 200 connections and 64 MB of shared
    /// buffers.
    pub fn new() -> Self {
        Self { is_fsync_kept: false, connections_max: CONNECTIONS_MAX, extra: Vec::new() }
    }

    /// Enables fsync, so that commits reach the disk as in production, for measurements.
    pub fn keep_fsync(mut self) -> Self {
        self.is_fsync_kept = true;
        self
    }

    /// Sets the maximum number of connections.
    pub fn connections_max(mut self, connections_max: u32) -> Self {
        self.connections_max = connections_max;
        self
    }

    /// Adds settings as in `postgresql.conf`. They override all others.
    pub fn settings(mut self, settings: &[(&str, &str)]) -> Self {
        self.extra
            .extend(settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
        self
    }

    /// Starts the server. Panics if it cannot start.
    pub fn start(self) -> Server {
        Server::with_settings(self.into_settings())
            .unwrap_or_else(|why| panic!("failed to start PostgreSQL for the tests: {why}"))
    }

    /// Returns all settings. PostgreSQL uses the last one of each name.
    fn into_settings(self) -> Vec<(String, String)> {
        let fsync = if self.is_fsync_kept { "on" } else { "off" };
        let mut settings = vec![
            ("fsync".to_owned(), fsync.to_owned()),
            ("max_connections".to_owned(), self.connections_max.to_string()),
            ("shared_buffers".to_owned(), "64MB".to_owned()),
            // Vacuuming thousands of tables that live for seconds gains nothing.
            ("autovacuum".to_owned(), "off".to_owned()),
            ("jit".to_owned(), "off".to_owned()),
        ];
        settings.extend(self.extra);
        settings
    }
}

impl Server {
    /// Creates and starts a server with the default settings. Panics if it cannot start.
    pub fn start() -> Self {
        Setup::new().start()
    }
}
