//! The program as an operator runs it: a child process in a folder of its own.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use confab_store::Location;
use tempfile::TempDir;

use super::caller::Caller;
use super::engine;
use super::test_server::create_app;

const SHOP: &str = "shop";

/// Longest wait for output or the end of a process.
const DEADLINE: Duration = Duration::from_secs(60);

/// A folder in which the program runs. Its data are in `data`, or in a database.
pub struct Folder {
    folder: TempDir,
    database: Option<String>,
}

impl Folder {
    /// Creates a folder with the storage engine of this run.
    pub fn new() -> Self {
        Self::with_database(engine::new_database())
    }

    /// Creates a folder with the embedded store, for tests of its specific behavior.
    pub fn embedded() -> Self {
        Self::with_database(None)
    }

    /// Creates a folder with the data in this database, if any, else in the folder.
    pub fn with_database(database: Option<String>) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), database }
    }

    /// Creates a folder with an app called shop, so that serving is no first start, which takes a
    /// second because it hashes a password.
    pub async fn with_app() -> Self {
        Self::new().and_app().await
    }

    /// Adds an app called shop.
    pub async fn and_app(self) -> Self {
        create_app(&mut engine::registry(&self.location()).await, SHOP).await;
        self
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn location(&self) -> Location {
        engine::location(self.database.as_deref(), &self.data())
    }

    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    pub fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("written");
    }

    /// Builds a command with these arguments and, besides the test defaults, only these variables.
    fn command(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_confab"));
        command.args(arguments).env_clear();
        // Many tests run at once, but there is only one default port.
        command.env("CONFAB_MQTT_LISTEN", "127.0.0.1:0");
        command.envs(self.database.as_ref().map(|url| ("CONFAB_DATABASE_URL", url)));
        command.env("CONFAB_SECRETS_KEY_FILE", engine::secrets_key_file());
        // The disk on which tests run may be nearly full.
        command.env("CONFAB_FREE_SPACE_MIN_BYTES", "0");
        command.envs(environment.iter().copied());
        command.current_dir(self.path()).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(arguments, &[])
    }

    pub fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Ended {
        self.command(arguments, environment).output().expect("it runs").into()
    }

    /// Runs a command with this standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Ended {
        self.write("input", input);
        let input = std::fs::File::open(self.path().join("input")).expect("the input");
        self.command(arguments, &[]).stdin(input).output().expect("it runs").into()
    }

    /// Runs a command whose standard output has no reader.
    pub fn run_unread(&self, arguments: &[&str]) -> Ended {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        self.command(arguments, &[]).stdout(writer).output().expect("it runs").into()
    }

    /// Serves on a free port.
    pub fn serve(&self) -> Confab {
        self.serve_with(&[], &[])
    }

    pub fn serve_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Confab {
        self.launch(arguments, environment).listening()
    }

    /// Serves at the address of a process that has ended.
    pub fn serve_at(&self, base: &str, environment: &[(&str, &str)]) -> Confab {
        let address = base.trim_start_matches("http://");
        Launched(self.start(&["serve", "--listen", address], environment)).listening()
    }

    /// Starts to serve on a free port, without waiting until the server listens.
    pub fn launch(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Launched {
        let all = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        Launched(self.start(&all, environment))
    }

    /// Starts to serve on a free port, without these default environment variables.
    pub fn launch_without(&self, variables: &[&str]) -> Launched {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"], &[]);
        for name in variables {
            command.env_remove(name);
        }
        Launched(started(command))
    }

    /// Serves on a free port with this limit on open files.
    pub fn serve_with_files(&self, files: usize) -> Confab {
        self.serve_after(&format!("ulimit -n {files}"))
    }

    /// Serves on a free port, after a shell ran these commands in the same process.
    pub fn serve_after(&self, shell: &str) -> Confab {
        let confab = self.command(&["serve", "--listen", "127.0.0.1:0"], &[]);
        Launched(started(self.after(shell, confab))).listening()
    }

    /// Runs a command to its end, after a shell ran these commands in the same process.
    pub fn run_after(&self, shell: &str, arguments: &[&str]) -> Ended {
        let confab = self.command(arguments, &[]);
        self.after(shell, confab).output().expect("it runs").into()
    }

    /// Runs a command that is subject to file modes even if the tests run as root.
    pub fn run_without_privileges(
        &self,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Ended {
        let shell = "[ $(id -u) != 0 ] || exec setpriv \
            --bounding-set -dac_override,-dac_read_search \"$0\" \"$@\"";
        self.after(shell, self.command(arguments, environment)).output().expect("it runs").into()
    }

    fn after(&self, shell: &str, confab: Command) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("{shell}; exec \"$0\" \"$@\""));
        command.arg(confab.get_program()).args(confab.get_args()).env_clear();
        command.envs(confab.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(self.path()).stdin(Stdio::null());
        command
    }

    /// Starts any command that runs until it is stopped.
    pub fn start(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Confab {
        started(self.command(arguments, environment))
    }
}

fn started(mut command: Command) -> Confab {
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let said = Captured::of(child.stdout.take().expect("piped"));
    let log = Captured::of(child.stderr.take().expect("piped"));
    Confab { child, base: String::new(), said, log }
}

/// Log message of a server that accepts requests.
const LISTENING: &str = "listening for HTTP";

/// A process that has started to serve but may not listen yet.
pub struct Launched(Confab);

impl Launched {
    /// Waits until the server listens.
    pub fn listening(self) -> Confab {
        let Self(mut server) = self;
        let line = server.log.wait_for(LISTENING);
        // The log may be text or JSON.
        let url = line.find("http").and_then(|at| line[at..].split([' ', '"']).next());
        server.base = url.expect("the URL of the server").to_owned();
        server
    }

    /// Waits until the server listens, or fails with its log.
    pub fn settled(self) -> Result<Confab, String> {
        let log = self.0.log.wait_until(|(text, is_ended)| *is_ended || text.contains(LISTENING));
        if log.contains(LISTENING) { Ok(self.listening()) } else { Err(self.failed()) }
    }

    /// Waits for the end of a process that fails to serve; returns its log.
    pub fn failed(self) -> String {
        let Self(server) = self;
        let log = server.log.clone();
        assert!(!server.ended().success());
        log.text()
    }
}

/// A command that has ended, with its exit code and output.
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Ended {
    /// Asserts that the command succeeded, and returns its standard output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self.out
    }

    /// Asserts that the command ended with this code, and returns its standard error.
    #[track_caller]
    pub fn failed(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        self.err
    }
}

/// A running process, usually a server. It is killed on drop.
pub struct Confab {
    child: Child,
    pub base: String,
    pub said: Captured,
    pub log: Captured,
}

impl Confab {
    /// Waits for the first start's instructions on standard output, and returns them.
    pub fn greeting(&self) -> String {
        self.said.wait_for("and the folder docs");
        self.said.text()
    }

    /// Returns the standard output so far.
    pub fn printed(&self) -> String {
        self.said.text()
    }

    /// Returns a caller with the credentials of the app that the first start created.
    pub fn first_app(&self) -> Caller {
        let greeting = self.greeting();
        self.caller(&after(&greeting, "APP_ID="), &after(&greeting, "SDK_SECRET="))
    }

    /// Returns a caller of the app of [`Folder::with_app`].
    pub fn shop(&self) -> Caller {
        self.caller(SHOP, &format!("sdk-secret-of-{SHOP}"))
    }

    pub fn caller(&self, code: &str, secret: &str) -> Caller {
        Caller::new(&self.base, code, secret)
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the resident memory of the process in KiB.
    pub fn memory_kib(&self) -> u64 {
        self.status_kib("VmRSS:")
    }

    /// Returns the peak resident memory of the process in KiB.
    pub fn memory_peak_kib(&self) -> u64 {
        self.status_kib("VmHWM:")
    }

    fn status_kib(&self, label: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("it runs");
        after(&status, label).parse().expect("a number")
    }

    /// Kills the process with SIGKILL, so that it cannot clean up.
    pub fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    /// Sends a signal, such as `INT`.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &pid]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Waits for the end of a process that was asked to stop.
    pub fn ended(mut self) -> ExitStatus {
        self.log.wait_for_end();
        self.child.wait().expect("ended")
    }
}

impl Drop for Confab {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the word after a label at the start of a line of output.
pub fn after(text: &str, label: &str) -> String {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(label));
    let word = line.and_then(|rest| rest.split_whitespace().next());
    word.unwrap_or_else(|| panic!("{label} in {text}")).to_owned()
}

/// The output of a process so far, and whether the stream has ended.
#[derive(Clone, Default)]
pub struct Captured(Arc<(Mutex<(String, bool)>, Condvar)>);

impl Captured {
    fn of(mut stream: impl Read + Send + 'static) -> Self {
        let captured = Self::default();
        let Self(shared) = captured.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let count = stream.read(&mut bytes).unwrap_or(0);
                let (text, changed) = &*shared;
                let mut text = text.lock().expect("not poisoned");
                text.0.push_str(&String::from_utf8_lossy(&bytes[..count]));
                text.1 = count == 0;
                changed.notify_all();
                if count == 0 {
                    return;
                }
            }
        });
        captured
    }

    pub fn text(&self) -> String {
        self.0.0.lock().expect("not poisoned").0.clone()
    }

    /// Waits for a complete line that contains `part`, and returns the first one.
    pub fn wait_for(&self, part: &str) -> String {
        let whole_lines = |text: &str| text.rsplit_once('\n').map_or("", |it| it.0).to_owned();
        let found = |text: &str| {
            whole_lines(text).lines().find(|line| line.contains(part)).map(str::to_owned)
        };
        let text = self.wait_until(|(text, is_ended)| *is_ended || found(text).is_some());
        found(&text).unwrap_or_else(|| panic!("the output has no {part:?}: {text}"))
    }

    /// Waits for `count` complete lines and returns them.
    pub fn wait_for_lines(&self, count: usize) -> Vec<String> {
        let text = self.wait_until(|(text, _)| text.matches('\n').count() >= count);
        let lines: Vec<_> = text.lines().take(count).map(str::to_owned).collect();
        assert_eq!(lines.len(), count, "{text}");
        lines
    }

    fn wait_for_end(&self) {
        let text = self.wait_until(|(_, is_ended)| *is_ended);
        assert!(self.0.0.lock().expect("not poisoned").1, "still running: {text}");
    }

    fn wait_until(&self, is_there: impl Fn(&(String, bool)) -> bool) -> String {
        let (text, changed) = &*self.0;
        let started = Instant::now();
        let mut text = text.lock().expect("not poisoned");
        while !is_there(&text) && started.elapsed() < DEADLINE {
            text = changed.wait_timeout(text, Duration::from_secs(1)).expect("not poisoned").0;
        }
        text.0.clone()
    }
}
