//! Helpers to start servers: free ports, waiting for readiness, and logs of failed starts.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::guard::Guard;

/// Maximum number of starts if another program takes the port first.
pub(crate) const STARTS_MAX: usize = 5;
/// Limit on any wait.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// Folders with Debian's servers that may be missing in a user's PATH.
const PLACES: [&str; 3] = ["/usr/sbin", "/usr/bin", "/usr/local/bin"];
const POLL: Duration = Duration::from_millis(5);

/// The reason why a server does not run.
pub(crate) enum StartFailure {
    /// Another program took the port first. Another port may work.
    PortTaken,
    Because(String),
}

impl StartFailure {
    pub(crate) fn without_shell(why: std::io::Error) -> Self {
        Self::Because(format!("no shell could be started: {why}."))
    }
}

/// Starts a new server. Tries another port if the first one is taken before the server listens.
pub(crate) fn start_on_a_free_port(
    mut launch: impl FnMut(u16) -> Result<(), StartFailure>,
) -> Result<(), String> {
    for _ in 0..STARTS_MAX {
        match launch(free_port()?) {
            Ok(()) => return Ok(()),
            Err(StartFailure::PortTaken) => continue,
            Err(StartFailure::Because(why)) => return Err(why),
        }
    }
    Err(format!("{STARTS_MAX} free ports were taken before it could listen."))
}

/// Starts a server again on its port. Panics if it cannot start.
pub(crate) fn start_again(name: &str, port: u16, launch: impl Fn() -> Result<(), StartFailure>) {
    for _ in 0..STARTS_MAX {
        match launch() {
            Ok(()) => return,
            Err(StartFailure::PortTaken) => continue,
            Err(StartFailure::Because(why)) => panic!("{name} did not start again: {why}"),
        }
    }
    panic!("{name} did not start again: its port {port} is taken.");
}

/// Waits until a program accepts connections. Returns the problem if it does not.
pub(crate) fn wait_until_ready(
    guard: &Guard,
    is_ready: impl Fn() -> bool,
) -> Result<(), &'static str> {
    let deadline = Instant::now() + PATIENCE;
    while !is_ready() {
        if guard.has_ended_within(POLL) {
            return Err("the program ended instead of listening");
        }
        if Instant::now() > deadline {
            return Err("the program did not accept connections in time");
        }
    }
    Ok(())
}

/// Like [`wait_until_ready`], but checks the log in the folder for a taken port.
pub(crate) fn wait_until_it_listens(
    guard: &Guard,
    folder: &Path,
    is_ready: impl Fn() -> bool,
) -> Result<(), StartFailure> {
    wait_until_ready(guard, is_ready).map_err(|problem| {
        let log = read_log(folder);
        match log.to_lowercase().contains("address already in use") {
            true => StartFailure::PortTaken,
            false => StartFailure::Because(format!("{problem}:\n{log}")),
        }
    })
}

/// Returns the path of a program.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(PLACES.map(PathBuf::from));
    folders.map(|folder| folder.join(program)).find(|it| it.is_file())
}

/// Returns the output of a guard's program.
pub(crate) fn read_log(folder: &Path) -> String {
    let bytes = fs::read(folder.join("log")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns a port that is free now. Another program may take it before the caller does.
pub(crate) fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind(("127.0.0.1", 0));
    let address = listener.and_then(|listener| listener.local_addr());
    address.map(|it| it.port()).map_err(|why| format!("no port is free: {why}."))
}
