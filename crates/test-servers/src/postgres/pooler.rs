//! A PgBouncer in front of a test server.

use std::fs;
use std::net::TcpStream;
use std::path::PathBuf;

use super::owner::Owner;
use super::server::{Server, guarded};
use crate::guard::Guard;
use crate::starting::{StartFailure, find, start_on_a_free_port, wait_until_it_listens};

/// Assignment of server connections to clients, named as in `pool_mode` of PgBouncer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PoolMode {
    /// One per client, while the client is connected.
    Session,
    /// One per transaction.
    Transaction,
    /// One per statement.
    Statement,
}

/// A PgBouncer for this test process. Dropping it ends it and removes its folder.
pub struct Pooler {
    port: u16,
    server: u16,
    _guard: Guard,
}

impl Pooler {
    /// Starts a PgBouncer in front of a server, with this many connections to it. Panics if it
    /// cannot start.
    pub fn start(server: &Server, mode: PoolMode, connections: usize) -> Self {
        Self::try_start(server.port(), mode, connections)
            .unwrap_or_else(|why| panic!("failed to start PgBouncer for the tests: {why}"))
    }

    /// Returns the URL through PgBouncer for a direct URL of the server.
    pub fn url(&self, direct: &str) -> String {
        direct.replace(&format!(":{}/", self.server), &format!(":{}/", self.port))
    }

    fn try_start(server: u16, mode: PoolMode, connections: usize) -> Result<Self, String> {
        let program = find_program()?;
        let mut started = None;
        start_on_a_free_port(|port| {
            let because = |why: std::io::Error| StartFailure::Because(why.to_string());
            let folder = tempfile::Builder::new().prefix("confab-pgbouncer-").tempdir();
            let folder = folder.map_err(because)?.keep();
            let owner = Owner::of_folder(&folder).map_err(StartFailure::Because)?;
            let users = folder.join("users");
            fs::write(&users, "\"postgres\" \"\"\n").map_err(because)?;
            let mode = format!("{mode:?}").to_lowercase();
            let config = format!(
                "[databases]\n* = host=127.0.0.1 port={server}\n[pgbouncer]\n\
                 listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
                 auth_type = trust\nauth_file = {}\npool_mode = {mode}\n\
                 default_pool_size = {connections}\nmax_client_conn = 200\n",
                users.display()
            );
            let file = folder.join("pgbouncer.ini");
            fs::write(&file, config).map_err(because)?;
            let arguments = [file.to_string_lossy().into_owned()];
            let guard = guarded(&folder, owner, &program, &arguments);
            let guard = guard.map_err(StartFailure::without_shell)?;
            let takes_connections = || TcpStream::connect(("127.0.0.1", port)).is_ok();
            wait_until_it_listens(&guard, &folder, takes_connections)?;
            started = Some(Self { port, server, _guard: guard });
            Ok(())
        })?;
        started.ok_or_else(|| "it did not start.".to_owned())
    }
}

fn find_program() -> Result<PathBuf, String> {
    find("pgbouncer").ok_or_else(|| {
        "it is not found; run `apt-get install pgbouncer` (`make test` does where it may).".into()
    })
}
