//! A private nats-server: where it listens, and the faults a test can put it through.

use std::env;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::guard::{Guard, Program};
use crate::starting::{
    NotStarted, PATIENCE, find, free_port, read_log, start_again, start_on_a_free_port,
    wait_until_ready,
};

const CHOSEN: &str = "CONFAB_TEST_NATS_SERVER";
/// There is nothing in it to be saved.
const ENDS_BY: &str = "KILL";
/// Whoever listens on a port that was taken says nothing.
const GREETING_WITHIN: Duration = Duration::from_millis(500);

/// How a server is started: what it asks for, and whom it knows.
#[derive(Clone, Default)]
pub struct Setup {
    /// What stands before the `@` of an address.
    credentials: Option<String>,
    scheme: Option<&'static str>,
    arguments: Vec<String>,
}

impl Setup {
    /// Anybody may use it, in clear.
    pub fn new() -> Self {
        Self::default()
    }

    /// It asks the user `confab` for this password.
    pub fn password(mut self, password: &str) -> Self {
        self.credentials = Some(format!("confab:{password}@"));
        self.and(&["--user", "confab", "--pass", password])
    }

    /// It asks for this token.
    pub fn token(mut self, token: &str) -> Self {
        self.credentials = Some(format!("{token}@"));
        self.and(&["--auth", token])
    }

    /// It is encrypted with this certificate and its key, both in files.
    pub fn encrypted(mut self, certificate: &Path, key: &Path) -> Self {
        self.scheme = Some("tls");
        let [certificate, key] = [certificate, key].map(|it| it.display().to_string());
        self.and(&["--tls", "--tlscert", &certificate, "--tlskey", &key])
    }

    fn and(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(|&it| it.to_owned()));
        self
    }

    /// Starts it, and panics when it cannot.
    pub fn start(self) -> Server {
        Server::try_start(self).unwrap_or_else(|why| panic!("The tests have no nats-server: {why}"))
    }

    /// Starts so many that are one: what is said to one of them, all of them tell.
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

/// A nats-server that belongs to this test process. Dropping it ends it and removes its folder.
pub struct Server {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    setup: Setup,
    guard: Mutex<Option<Guard>>,
}

impl Server {
    /// Starts a server that anybody may use, and panics when it cannot.
    pub fn start() -> Self {
        Setup::new().start()
    }

    /// Starts a server that asks the user `confab` for this password.
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

    /// `nats://127.0.0.1:PORT`, or `tls:`, with what it asks for.
    pub fn url(&self) -> String {
        let scheme = self.setup.scheme.unwrap_or("nats");
        let credentials = self.setup.credentials.as_deref().unwrap_or_default();
        format!("{scheme}://{credentials}127.0.0.1:{}", self.port)
    }

    /// The port on 127.0.0.1; it stays the same over restarts.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of the server: `log` is what it logged.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Ends the server without a word to its clients. Returns when it is gone.
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

    /// Starts a stopped server on the same port; it takes connections when this returns.
    pub fn start_again(&self) {
        start_again("nats-server", self.port, || self.launch());
    }

    /// Starts the program and hands the folder from the guard of the last run to a new one, so that
    /// there is always one.
    fn launch(&self) -> Result<(), NotStarted> {
        let mut current = self.guard();
        let is_running = current.as_ref().is_some_and(|it| !it.has_ended_within(Duration::ZERO));
        assert!(!is_running, "nats-server is running already");
        let log_start = self.log_since(0).len();
        let (path, arguments) = (&self.program, &self.arguments());
        let program = Program { path, arguments, ends_by: ENDS_BY };
        let next = Guard::start(&self.folder, &program, |_| {});
        let mut next = next.map_err(NotStarted::without_shell)?;
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
            return Err(NotStarted::PortTaken);
        }
        Err(NotStarted::Because(format!("{problem}; its log says:\n{log}")))
    }

    fn arguments(&self) -> Vec<String> {
        let port = self.port.to_string();
        let fixed = ["--addr", "127.0.0.1", "--port", &port, "--name", &self.name()];
        let mut arguments: Vec<_> = fixed.map(str::to_owned).into();
        arguments.extend(self.setup.arguments.iter().cloned());
        arguments
    }

    /// Waits until it is together with so many others of its cluster: it names them all to whoever
    /// connects.
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

    /// Nobody else has it.
    fn name(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// A server says first who it is.
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

    /// A test that failed in mid-start leaves a guard that is as good as before.
    fn guard(&self) -> MutexGuard<'_, Option<Guard>> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `scripts/install-test-tools` looks in the same places in the same order.
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
