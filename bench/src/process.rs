//! Processes under measurement: starts them, reads their usage from /proc, and stops them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::fill;

/// A running program that listens on an address.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a program and waits until it accepts connections.
    pub(crate) fn start(program: &Path, arguments: &[&str], port: u16) -> Result<Self, Failure> {
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let child = Command::new(program)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let server = Self { child, address };
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(address).is_err() {
            if Instant::now() > deadline {
                return Err(format!("{} does not listen", program.display()).into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(server)
    }

    /// Returns the CPU time used so far by all threads, in seconds.
    pub(crate) fn cpu_seconds(&self) -> Result<f64, Failure> {
        cpu_seconds_of(self.child.id())
    }

    /// Returns the resident memory, in MB.
    pub(crate) fn resident_mb(&self) -> Result<f64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kb = line.and_then(|line| line.split_whitespace().nth(1)).ok_or("no VmRSS")?;
        Ok(kb.parse::<f64>()? * 1024.0 / 1_000_000.0)
    }

    /// Returns a value from the program's `/metrics`, or 0 if it is missing.
    pub(crate) fn metric(&self, name: &str) -> Result<f64, Failure> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let line = answer.lines().find_map(|line| line.strip_prefix(name));
        Ok(line.map_or(Ok(0.0), |value| value.trim().parse())?)
    }

    /// Stops the program with SIGTERM and waits for it.
    pub(crate) fn stop(mut self) -> Result<(), Failure> {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the CPU time used so far by all threads of a process, in seconds.
pub(crate) fn cpu_seconds_of(process: u32) -> Result<f64, Failure> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let after_name = stat.rsplit_once(')').ok_or("odd /proc/stat")?.1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    // Linux counts user and system time in hundredths of a second.
    Ok(ticks as f64 / 100.0)
}

/// Measures the time from the start of `confab serve` to its first accepted message. Returns it in
/// ms, with the running server.
pub(crate) fn time_to_first_message(
    binary: &Path,
    store: [&str; 2],
    port: u16,
) -> Result<(f64, Server), Failure> {
    let started = Instant::now();
    let server = confab(binary, store, port)?;
    let body = r#"{"user_id":"user-0","room_id":"room-0","message":"first"}"#;
    let request = format!(
        "POST /api/v2.1/rest/post_comment HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n\
         service-sdk-app-id: {}\r\nservice-sdk-secret: {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        fill::APP,
        fill::SDK_SECRET,
        body.len()
    );
    let mut stream = TcpStream::connect(server.address)?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if !answer.starts_with("HTTP/1.1 200") {
        return Err(format!("the first message was refused: {answer}").into());
    }
    Ok((started.elapsed().as_secs_f64() * 1000.0, server))
}

/// Flags that disable MQTT, whose default port may be in use.
pub(crate) const NO_MQTT: [&str; 2] = ["--mqtt-listen", ""];

/// Starts `confab serve` without rate limits and without MQTT. `store` is the flag for the location
/// of its data.
pub(crate) fn confab(binary: &Path, store: [&str; 2], port: u16) -> Result<Server, Failure> {
    confab_with(binary, store, port, &NO_MQTT)
}

/// Starts `confab serve` without rate limits, with the arguments in `besides`.
pub(crate) fn confab_with(
    binary: &Path,
    store: [&str; 2],
    port: u16,
    besides: &[&str],
) -> Result<Server, Failure> {
    let listen = format!("127.0.0.1:{port}");
    let place = whole_place(store);
    let arguments = [
        "serve",
        "--listen",
        &listen,
        "--app-requests-per-second",
        "0",
        "--user-posts-per-second",
        "0",
        "--webhook-allow",
        "127.0.0.0/8",
    ];
    let mut arguments = [&arguments, besides].concat();
    arguments.extend(place.iter().map(String::as_str));
    Server::start(binary, &arguments, port)
}

/// Returns the flags for the location of the data and, for a database, of the secrets key file.
pub(crate) fn whole_place(store: [&str; 2]) -> Vec<String> {
    let mut place = store.map(str::to_owned).to_vec();
    if store[0] == "--database-url" {
        let keys = fill::shared_secrets_key_file().display().to_string();
        place.extend(["--secrets-key-file".to_owned(), keys]);
    }
    place
}
