//! A PostgreSQL server for tests, and the faults that a test can cause.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::owner::Owner;
use super::programs::{Programs, clear_settings};
use crate::guard::{Guard, Program};
use crate::starting::{
    PATIENCE, StartFailure, read_log, start_again, start_on_a_free_port, wait_until_ready,
};

/// Fast shutdown, immediate shutdown, and a signal that cannot be refused.
const ENDS_BY: &str = "INT QUIT KILL";

/// Schemas per database. In a database with very many tables, creating more takes seconds.
const SCHEMAS_A_DATABASE: u64 = 16;

/// A PostgreSQL server for this test process. Dropping it ends the server and removes its folder.
pub struct Server {
    programs: Programs,
    folder: PathBuf,
    owner: Owner,
    settings: Vec<(String, String)>,
    port: u16,
    guard: Mutex<Guard>,
    schemas: Mutex<Schemas>,
}

/// Numbers of created schemas and databases, and the URLs of unused schemas.
#[derive(Default)]
struct Schemas {
    made: u64,
    databases: u64,
    unused: Vec<String>,
}

impl Server {
    pub(crate) fn with_settings(settings: Vec<(String, String)>) -> Result<Self, String> {
        Self::with_cluster(settings, make_cluster)
    }

    /// Starts a server with a cluster that `make` creates.
    fn with_cluster(
        settings: Vec<(String, String)>,
        make: impl FnOnce(&Programs, &Path, Owner) -> Result<Guard, String>,
    ) -> Result<Self, String> {
        let programs = Programs::find()?;
        let folder = tempfile::Builder::new().prefix("confab-postgres-").tempdir();
        let folder = folder.map_err(|why| format!("no folder for it: {why}."))?;
        let owner = Owner::of_folder(folder.path())?;
        let guard = Mutex::new(make(&programs, folder.path(), owner)?);
        let folder = folder.keep();
        let schemas = Mutex::default();
        let mut server = Self { programs, folder, owner, settings, port: 0, guard, schemas };
        start_on_a_free_port(|port| {
            server.port = port;
            server.launch()
        })?;
        Ok(server)
    }

    /// Starts a standby that replicates this server. Panics if it cannot start.
    pub fn standby(&self) -> Self {
        let copy = |programs: &Programs, folder: &Path, owner| {
            let from = ["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "postgres"];
            let fixed = ["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "-D"];
            let mut arguments: Vec<_> =
                from.iter().chain(&fixed).map(|&it| it.to_owned()).collect();
            arguments.push(data_of(folder));
            run_to_end(&programs.path("pg_basebackup"), &arguments, folder, owner)
        };
        Self::with_cluster(self.settings.clone(), copy)
            .unwrap_or_else(|why| panic!("failed to start a standby for the tests: {why}"))
    }

    /// Makes every commit wait for a standby.
    pub fn wait_for_standby(&self) {
        self.psql("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.psql("SELECT pg_reload_conf()");
        let deadline = Instant::now() + PATIENCE;
        while self.psql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1"
        {
            assert!(Instant::now() < deadline, "no standby follows: {}", self.log_since(0));
        }
    }

    /// Promotes a standby. It accepts writes when this returns.
    pub fn promote(&self) {
        assert_eq!(self.psql("SELECT pg_promote()"), "t", "{}", self.log_since(0));
    }

    /// Kills the server, as a power failure would. Its processes have ended when this returns.
    pub fn kill(&self) {
        self.end_with("KILL");
    }

    /// Returns `postgres://postgres@127.0.0.1:PORT/postgres`; no password is needed.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Returns a command for one of PostgreSQL's own programs, such as `pgbench`, without settings
    /// from the environment.
    pub fn program(&self, name: &str) -> std::process::Command {
        self.programs.client(name)
    }

    /// Returns the URL of an empty schema of its own. Schemas may be in different databases: see
    /// [`Self::schema_of`].
    pub fn new_schema(&self) -> String {
        let mut schemas = self.schemas();
        if schemas.unused.is_empty() {
            schemas.databases += 1;
            let database = format!("tests_{}", schemas.databases);
            self.psql(&format!("CREATE DATABASE {database}"));
            schemas.unused = self.make_schemas(&database, SCHEMAS_A_DATABASE, &mut schemas);
        }
        schemas.unused.pop().expect("new schemas were just created")
    }

    /// Returns the URL of an empty schema in the database of another schema.
    pub fn schema_of(&self, url: &str) -> String {
        let (address, _) = url.split_once('?').expect("the URL of a schema");
        let (_, database) = address.rsplit_once('/').expect("a URL with a database");
        self.make_schemas(database, 1, &mut self.schemas()).remove(0)
    }

    /// Creates several schemas with one `psql`, because each run takes time.
    fn make_schemas(&self, database: &str, count: u64, schemas: &mut Schemas) -> Vec<String> {
        let first = schemas.made + 1;
        schemas.made += count;
        let names: Vec<_> = (first..=schemas.made).map(|it| format!("test_{it}")).collect();
        let database = format!("postgres://postgres@127.0.0.1:{}/{database}", self.port);
        let making = names.iter().map(|name| format!("CREATE SCHEMA {name};"));
        self.psql_at(&database, &making.collect::<String>());
        let url = |name: &String| format!("{database}?options=-c%20search_path%3D{name}");
        names.iter().map(url).collect()
    }

    fn schemas(&self) -> MutexGuard<'_, Schemas> {
        self.schemas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the port on 127.0.0.1, which stays the same over restarts.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the folder of the server: `data` is the cluster, `log` the log file.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs SQL and returns its output: columns separated by `|`, one row per line. Panics if the
    /// SQL fails.
    pub fn psql(&self, sql: &str) -> String {
        self.psql_at(&self.url(), sql)
    }

    /// Runs SQL like [`Self::psql`] at this URL, such as one of [`Self::new_schema`].
    pub fn psql_at(&self, url: &str, sql: &str) -> String {
        let mut psql = self.programs.client("psql");
        psql.args(["-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql, url]).stdin(Stdio::null());
        let output = psql.output().expect("psql was found");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "psql failed at `{sql}`: {error}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Crashes the server: connections break and nothing is flushed. Its processes have ended when
    /// this returns.
    pub fn stop_immediately(&self) {
        self.end_with("QUIT");
    }

    /// Starts a stopped server with the same folder and port. Recovery has finished when this
    /// returns.
    pub fn start_again(&self) {
        start_again("PostgreSQL", self.port, || self.launch());
    }

    /// Stops the server orderly, which breaks its connections, and starts it again.
    pub fn restart(&self) {
        self.end_with("INT");
        self.start_again();
    }

    fn end_with(&self, signal: &str) {
        let mut guard = self.guard();
        guard.signal(signal);
        assert!(guard.has_ended_within(PATIENCE), "PostgreSQL did not stop: {}", self.log_since(0));
    }

    /// Starts the program and hands the folder from the last run's guard to a new one. The folder
    /// always has a guard.
    fn launch(&self) -> Result<(), StartFailure> {
        let mut current = self.guard();
        assert!(current.has_ended_within(Duration::ZERO), "PostgreSQL is running already");
        let log_start = self.log_since(0).len();
        let program = self.programs.path("postgres");
        let mut next = guarded(&self.folder, self.owner, &program, &self.arguments())
            .map_err(StartFailure::without_shell)?;
        let problem = match wait_until_ready(&next, || self.is_ready()) {
            Ok(()) => {
                std::mem::replace(&mut *current, next).leave();
                return Ok(());
            }
            Err(problem) => problem,
        };
        next.signal("KILL");
        next.leave();
        let log = self.log_since(log_start);
        if log.contains("Address already in use") {
            return Err(StartFailure::PortTaken);
        }
        Err(StartFailure::Because(format!("{problem}; its log says:\n{log}")))
    }

    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["-D".to_owned(), data_of(&self.folder)];
        let mut set = |name: &str, value: &str| {
            arguments.extend(["-c".to_owned(), format!("{name}={value}")]);
        };
        set("listen_addresses", "127.0.0.1");
        set("port", &self.port.to_string());
        set("unix_socket_directories", &self.folder.to_string_lossy());
        self.settings.iter().for_each(|(name, value)| set(name, value));
        arguments
    }

    /// Whether the server is ready, checked at its socket in the folder, where no other server can
    /// answer. The socket opens after the port.
    fn is_ready(&self) -> bool {
        let mut asking = self.programs.client("pg_isready");
        asking.arg("-q").arg("-h").arg(&self.folder).args(["-p", &self.port.to_string()]);
        asking.status().is_ok_and(|status| status.success())
    }

    fn log_since(&self, start: usize) -> String {
        read_log(&self.folder).split_off(start)
    }

    /// Returns the guard. A test that panicked during a start leaves the guard usable.
    fn guard(&self) -> MutexGuard<'_, Guard> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs `initdb`. Its guard owns the folder until the server's first guard takes over.
fn make_cluster(programs: &Programs, folder: &Path, owner: Owner) -> Result<Guard, String> {
    let data = data_of(folder);
    let fixed = ["-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C", "-D"];
    let mut arguments: Vec<_> = fixed.map(str::to_owned).into();
    arguments.push(data);
    run_to_end(&programs.path("initdb"), &arguments, folder, owner)
}

/// Runs a program that creates a cluster.
fn run_to_end(
    program: &Path,
    arguments: &[String],
    folder: &Path,
    owner: Owner,
) -> Result<Guard, String> {
    let guard = guarded(folder, owner, program, arguments)
        .map_err(|why| format!("no shell could be started: {why}."))?;
    let has_ended = guard.has_ended_within(PATIENCE);
    // A failing program removes the files that it created.
    if !has_ended || !Path::new(&data_of(folder)).join("PG_VERSION").exists() {
        return Err(format!("{} failed:\n{}", program.display(), read_log(folder)));
    }
    Ok(guard)
}

/// Starts one of the programs under a guard.
pub(super) fn guarded(
    folder: &Path,
    owner: Owner,
    path: &Path,
    arguments: &[String],
) -> std::io::Result<Guard> {
    let program = Program { path, arguments, ends_by: ENDS_BY };
    Guard::start(folder, &program, |command| {
        clear_settings(command);
        owner.run(command);
    })
}

fn data_of(folder: &Path) -> String {
    folder.join("data").to_string_lossy().into_owned()
}
