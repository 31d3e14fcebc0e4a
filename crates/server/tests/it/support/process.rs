//! The program itself, as an operator runs it: a child process in a folder of its own.

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

/// How long a process may take to say or do what is waited for.
const DEADLINE: Duration = Duration::from_secs(60);

/// A folder that the program is run in. Its data are in `data`, or in a database.
pub struct Folder {
    folder: TempDir,
    database: Option<String>,
}

impl Folder {
    /// With the engine of this run.
    pub fn new() -> Self {
        Self::with_database(engine::new_database())
    }

    /// With the embedded store: for tests of what only that has.
    pub fn embedded() -> Self {
        Self::with_database(None)
    }

    /// With the data in this database, or in the folder.
    pub fn with_database(database: Option<String>) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), database }
    }

    /// With an app called shop, so that serving from it is no first start: that takes a second,
    /// because a password is hashed.
    pub async fn with_app() -> Self {
        Self::new().and_app().await
    }

    /// Also with an app called shop.
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

    /// The address of its database, if it has one.
    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    pub fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("written");
    }

    /// The program with these arguments, and nothing but these in its environment.
    fn command(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_confab"));
        command.args(arguments).env_clear();
        // Many run at once, and the usual port is one.
        command.env("CONFAB_MQTT_LISTEN", "127.0.0.1:0");
        command.envs(self.database.as_ref().map(|url| ("CONFAB_DATABASE_URL", url)));
        command.env("CONFAB_SECRETS_KEY_FILE", engine::secrets_key_file());
        // The disk that tests run on may be nearly full.
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

    /// Runs a command that reads this from its standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Ended {
        self.write("input", input);
        let input = std::fs::File::open(self.path().join("input")).expect("the input");
        self.command(arguments, &[]).stdin(input).output().expect("it runs").into()
    }

    /// Runs a command whose output nobody reads.
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

    /// Serves where another process served before.
    pub fn serve_at(&self, base: &str, environment: &[(&str, &str)]) -> Confab {
        let address = base.trim_start_matches("http://");
        Launched(self.start(&["serve", "--listen", address], environment)).listening()
    }

    /// Starts to serve on a free port, without waiting until it does.
    pub fn launch(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Launched {
        let all = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        Launched(self.start(&all, environment))
    }

    /// Starts to serve on a free port, without these in its environment.
    pub fn launch_without(&self, variables: &[&str]) -> Launched {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"], &[]);
        for name in variables {
            command.env_remove(name);
        }
        Launched(started(command))
    }

    /// Serves on a free port, with so many files that may be open.
    pub fn serve_with_files(&self, files: usize) -> Confab {
        self.serve_after(&format!("ulimit -n {files}"))
    }

    /// Serves on a free port, started by a shell that does this before.
    pub fn serve_after(&self, shell: &str) -> Confab {
        let confab = self.command(&["serve", "--listen", "127.0.0.1:0"], &[]);
        Launched(started(self.after(shell, confab))).listening()
    }

    /// Runs a command to its end, started by a shell that does this before.
    pub fn run_after(&self, shell: &str, arguments: &[&str]) -> Ended {
        let confab = self.command(arguments, &[]);
        self.after(shell, confab).output().expect("it runs").into()
    }

    /// Runs a command for which the modes of files hold, also if this is root.
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

    /// Starts any command that runs until it is told to stop.
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

/// A process that will serve.
pub struct Launched(Confab);

impl Launched {
    /// Once it takes requests.
    pub fn listening(self) -> Confab {
        let Self(mut server) = self;
        let line = server.log.wait_for("listening on http");
        let address = line.split("listening on ").nth(1).and_then(|rest| rest.split(',').next());
        server.base = address.expect("an address").to_owned();
        server
    }

    /// Once it takes requests, or ended because it cannot: then what it said.
    pub fn settled(self) -> Result<Confab, String> {
        const LISTENING: &str = "listening on http";
        let said = self.0.log.wait_until(|(text, is_ended)| *is_ended || text.contains(LISTENING));
        if said.contains(LISTENING) { Ok(self.listening()) } else { Err(self.failed()) }
    }

    /// Waits for the end of a process that cannot serve; what it said.
    pub fn failed(self) -> String {
        let Self(server) = self;
        let log = server.log.clone();
        assert!(!server.ended().success());
        log.text()
    }
}

/// A command that came to its end.
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
    /// What was printed, by a command that did what it should.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self.out
    }

    /// What was said, by a command that ended with this code.
    #[track_caller]
    pub fn failed(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        self.err
    }
}

/// A running process, mostly one that serves. It is killed when it goes out of scope.
pub struct Confab {
    child: Child,
    pub base: String,
    pub said: Captured,
    pub log: Captured,
}

impl Confab {
    /// What was printed for the person at the terminal, at the first start.
    pub fn greeting(&self) -> String {
        self.said.wait_for("and the folder docs");
        self.said.text()
    }

    /// What was printed so far.
    pub fn printed(&self) -> String {
        self.said.text()
    }

    /// Speaks as the app that the first start made.
    pub fn first_app(&self) -> Caller {
        let greeting = self.greeting();
        self.caller(&after(&greeting, "APP_ID="), &after(&greeting, "SDK_SECRET="))
    }

    /// Speaks as the app of [`Folder::with_app`].
    pub fn shop(&self) -> Caller {
        self.caller(SHOP, &format!("sdk-secret-of-{SHOP}"))
    }

    pub fn caller(&self, code: &str, secret: &str) -> Caller {
        Caller::new(&self.base, code, secret)
    }

    /// The process's number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it holds in memory now, in KiB.
    pub fn memory_kib(&self) -> u64 {
        self.status_kib("VmRSS:")
    }

    /// The most that it ever held in memory, in KiB.
    pub fn memory_peak_kib(&self) -> u64 {
        self.status_kib("VmHWM:")
    }

    fn status_kib(&self, label: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("it runs");
        after(&status, label).parse().expect("a number")
    }

    /// SIGKILL: nothing can be tidied up.
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

    /// Waits for the end of a process that was told to stop.
    pub fn ended(mut self) -> ExitStatus {
        self.log.wait_for_end();
        self.child.wait().expect("ended")
    }
}

impl Drop for Confab {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The word after a label in what a command printed.
pub fn after(text: &str, label: &str) -> String {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(label));
    let word = line.and_then(|rest| rest.split_whitespace().next());
    word.unwrap_or_else(|| panic!("{label} in {text}")).to_owned()
}

/// What a process wrote so far, and whether it may write more.
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

    /// The first whole line with this part, once it is there.
    pub fn wait_for(&self, part: &str) -> String {
        let whole_lines = |text: &str| text.rsplit_once('\n').map_or("", |it| it.0).to_owned();
        let found = |text: &str| {
            whole_lines(text).lines().find(|line| line.contains(part)).map(str::to_owned)
        };
        let text = self.wait_until(|(text, is_ended)| *is_ended || found(text).is_some());
        found(&text).unwrap_or_else(|| panic!("{part:?} was waited for, but not said: {text}"))
    }

    /// The first whole lines, once there are so many.
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
