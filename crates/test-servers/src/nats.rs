//! A nats-server for tests, and the faults that a test can cause.

use std::env;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::guard::{Guard, Program};
use crate::starting::{
    PATIENCE, StartFailure, find, free_port, read_log, start_again, start_on_a_free_port,
    wait_until_ready,
};

const CHOSEN: &str = "CONFAB_TEST_NATS_SERVER";
/// The server has nothing to save, so that it can be killed.
const ENDS_BY: &str = "KILL";
/// Limit on the wait for a greeting, because another program on a taken port may send none.
const GREETING_WITHIN: Duration = Duration::from_millis(500);

/// The settings of a server, chosen before it starts.
#[derive(Clone, Default)]
pub struct Setup {
    /// Credentials before the `@` in the server's URL.
    credentials: Option<String>,
    scheme: Option<&'static str>,
    arguments: Vec<String>,
}

impl Setup {
    /// Creates settings without encryption and credentials.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requires this password of the user `confab`.
    pub fn password(mut self, password: &str) -> Self {
        self.credentials = Some(format!("confab:{password}@"));
        self.and(&["--user", "confab", "--pass", password])
    }

    /// Requires this token.
    pub fn token(mut self, token: &str) -> Self {
        self.credentials = Some(format!("{token}@"));
        self.and(&["--auth", token])
    }

    /// Encrypts connections with this certificate and its key, both in files.
    pub fn encrypted(mut self, certificate: &Path, key: &Path) -> Self {
        self.scheme = Some("tls");
        let [certificate, key] = [certificate, key].map(|it| it.display().to_string());
        self.and(&["--tls", "--tlscert", &certificate, "--tlskey", &key])
    }

    fn and(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(|&it| it.to_owned()));
        self
    }

    /// Starts the server. Panics if it cannot start.
    pub fn start(self) -> Server {
        Server::try_start(self)
            .unwrap_or_else(|why| panic!("failed to start nats-server for the tests: {why}"))
    }

    /// Starts a cluster of servers, in which messages to one server reach the clients of all.
    pub fn start_cluster(self, count: usize) -> Vec<Server> {
        let route = |_| format!("nats://127.0.0.1:{}", free_port().expect("a port"));
        let routes: Vec<String> = (0..count).map(route).collect();
        let start = |own: &String| {
            let cluster = ["--cluster_name", "confab", "--cluster", own];
            self.clone().and(&cluster).and(&["--routes", &routes.join(",")]).start()
        };
        let servers: Vec<Server> = routes.iter().map(start).collect();
        servers.iter().for_each(|server| server.wait_for_others(count - 1));
        servers
    }
}

/// A nats-server for this test process. Dropping it ends the server and removes its folder.
pub struct Server {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    setup: Setup,
    guard: Mutex<Option<Guard>>,
}

impl Server {
    /// Starts a server without credentials. Panics if it cannot start.
    pub fn start() -> Self {
        Setup::new().start()
    }

    /// Starts a server that requires this password of the user `confab`.
    pub fn start_with_password(password: &str) -> Self {
        Setup::new().password(password).start()
    }

    fn try_start(setup: Setup) -> Result<Self, String> {
        let program = find_program()?;
        let folder = tempfile::Builder::new().prefix("confab-nats-").tempdir();
        let folder = folder.map_err(|why| format!("no folder for it: {why}."))?.keep();
        let mut server = Self { program, folder, port: 0, setup, guard: Mutex::new(None) };
        start_on_a_free_port(|port| {
            server.port = port;
            server.launch()
        })?;
        Ok(server)
    }

    /// Returns `nats://127.0.0.1:PORT`, or `tls:`, with the credentials.
    pub fn url(&self) -> String {
        let scheme = self.setup.scheme.unwrap_or("nats");
        let credentials = self.setup.credentials.as_deref().unwrap_or_default();
        format!("{scheme}://{credentials}127.0.0.1:{}", self.port)
    }

    /// Returns the port on 127.0.0.1, which stays the same over restarts.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the folder of the server; `log` is its log file.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Kills the server. Its processes have ended when this returns.
    pub fn stop(&self) {
        let mut guard = self.guard();
        let guard = guard.as_mut().expect("it was started");
        guard.signal("KILL");
        assert!(
            guard.has_ended_within(PATIENCE),
            "nats-server did not stop: {}",
            self.log_since(0)
        );
    }

    /// Starts a stopped server on the same port. It accepts connections when this returns.
    pub fn start_again(&self) {
        start_again("nats-server", self.port, || self.launch());
    }

    /// Starts the program and hands the folder from the last run's guard to a new one. The folder
    /// always has a guard.
    fn launch(&self) -> Result<(), StartFailure> {
        let mut current = self.guard();
        let is_running = current.as_ref().is_some_and(|it| !it.has_ended_within(Duration::ZERO));
        assert!(!is_running, "nats-server is running already");
        let log_start = self.log_since(0).len();
        let (path, arguments) = (&self.program, &self.arguments());
        let program = Program { path, arguments, ends_by: ENDS_BY };
        let next = Guard::start(&self.folder, &program, |_| {});
        let mut next = next.map_err(StartFailure::without_shell)?;
        let problem = match wait_until_ready(&next, || self.is_ready()) {
            Ok(()) => {
                if let Some(last) = current.replace(next) {
                    last.leave();
                }
                return Ok(());
            }
            Err(problem) => problem,
        };
        let log = self.log_since(log_start);
        if current.is_some() || log.contains("address already in use") {
            next.signal("KILL");
            next.leave();
        }
        if log.contains("address already in use") {
            return Err(StartFailure::PortTaken);
        }
        Err(StartFailure::Because(format!("{problem}; its log says:\n{log}")))
    }

    fn arguments(&self) -> Vec<String> {
        let port = self.port.to_string();
        let fixed = ["--addr", "127.0.0.1", "--port", &port, "--name", &self.name()];
        let mut arguments: Vec<_> = fixed.map(str::to_owned).into();
        arguments.extend(self.setup.arguments.iter().cloned());
        arguments
    }

    /// Waits until the server is connected to this many others of its cluster: the greeting lists
    /// them all.
    pub fn wait_for_others(&self, count: usize) {
        let deadline = Instant::now() + PATIENCE;
        let named = || {
            let greeting = self.greeting().unwrap_or_default();
            let (_, names) = greeting.split_once(r#""connect_urls":["#)?;
            Some(names.split_once(']')?.0.split(',').count())
        };
        while named() != Some(count + 1) {
            assert!(Instant::now() < deadline, "the cluster is not whole: {}", self.log_since(0));
        }
    }

    /// Returns a server name that no other server has.
    fn name(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Whether the server greets with its own name.
    fn is_ready(&self) -> bool {
        let name = self.name();
        self.greeting().is_some_and(|line| line.starts_with("INFO ") && line.contains(&name))
    }

    fn greeting(&self) -> Option<String> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(GREETING_WITHIN)).ok()?;
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).ok()?;
        Some(line)
    }

    fn log_since(&self, start: usize) -> String {
        read_log(&self.folder).split_off(start)
    }

    /// Returns the guard. A test that panicked during a start leaves the guard usable.
    fn guard(&self) -> MutexGuard<'_, Option<Guard>> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Finds the program. `scripts/install-test-tools` searches the same places in the same order.
fn find_program() -> Result<PathBuf, String> {
    if let Some(chosen) = env::var_os(CHOSEN).map(PathBuf::from) {
        let refusal = format!("{CHOSEN} is {}, which is not there.", chosen.display());
        return chosen.is_file().then_some(chosen).ok_or(refusal);
    }
    find("nats-server").ok_or_else(|| {
        format!(
            "it is not found; run `apt-get install nats-server` (`make test` does where it may), \
             or set {CHOSEN} to the program."
        )
    })
}
