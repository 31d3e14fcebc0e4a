//! What a test may choose about its server, before the start.

use super::server::Server;

const CONNECTIONS_MAX: u32 = 200;

/// How a server is to be started; what is not chosen suits tests that want speed.
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
    /// No fsync, no vacuuming, 200 connections, 64 MB of shared buffers.
    pub fn new() -> Self {
        Self { is_fsync_kept: false, connections_max: CONNECTIONS_MAX, extra: Vec::new() }
    }

    /// Commits reach the disk, as in production: for measurements.
    pub fn keep_fsync(mut self) -> Self {
        self.is_fsync_kept = true;
        self
    }

    /// How many connections the server takes.
    pub fn connections_max(mut self, connections_max: u32) -> Self {
        self.connections_max = connections_max;
        self
    }

    /// Settings as in `postgresql.conf`; they win over all others.
    pub fn settings(mut self, settings: &[(&str, &str)]) -> Self {
        self.extra
            .extend(settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
        self
    }

    /// Starts the server, and panics when it cannot.
    pub fn start(self) -> Server {
        Server::with_settings(self.into_settings())
            .unwrap_or_else(|why| panic!("The tests have no PostgreSQL: {why}"))
    }

    /// Of two settings with one name PostgreSQL takes the later one.
    fn into_settings(self) -> Vec<(String, String)> {
        let fsync = if self.is_fsync_kept { "on" } else { "off" };
        let mut settings = vec![
            ("fsync".to_owned(), fsync.to_owned()),
            ("max_connections".to_owned(), self.connections_max.to_string()),
            ("shared_buffers".to_owned(), "64MB".to_owned()),
            // Tables of tests live for seconds: nothing is gained by vacuuming thousands of them.
            ("autovacuum".to_owned(), "off".to_owned()),
            ("jit".to_owned(), "off".to_owned()),
        ];
        settings.extend(self.extra);
        settings
    }
}

impl Server {
    /// Makes and starts a server with the settings that suit most tests, and panics when it cannot.
    pub fn start() -> Self {
        Setup::new().start()
    }
}
