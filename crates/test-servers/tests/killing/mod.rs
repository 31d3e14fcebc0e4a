//! Runs a test again in a child process, and kills that process while its server runs.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Environment variable that is set in the child process.
const TO_BE_KILLED: &str = "CONFAB_TEST_SERVERS_TO_BE_KILLED";

/// Whether this is the child process.
pub fn is_to_be_killed() -> bool {
    std::env::var_os(TO_BE_KILLED).is_some()
}

/// Prints the folder of the server and a fact about it, and waits to be killed. For the child
/// process.
pub fn wait_to_be_killed(folder: &Path, fact: impl Display) {
    println!("\nREADY {} {fact}", folder.display());
    std::io::stdin().read_exact(&mut [0]).expect("killed before anything is written");
}

/// Runs this test again in a child process, and kills that when its server runs. Returns the
/// server's folder and the fact that the child printed.
pub fn kill_once_it_waits(test: &str) -> (PathBuf, String) {
    let mut process = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture"])
        .env(TO_BE_KILLED, "yes")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process");
    let lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
    let mut printed =
        lines.map(|line| line.expect("text")).filter(|line| line.starts_with("READY "));
    let line = printed.next().expect("the process prints its server");
    let words: Vec<_> = line.split(' ').collect();
    let (folder, fact) = (PathBuf::from(words[1]), words[2].to_owned());
    assert!(folder.exists());
    process.kill().expect("killed");
    process.wait().expect("ended");
    (folder, fact)
}

#[track_caller]
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let (_never, pause) = channel::<()>();
    while !is_so() {
        assert!(Instant::now() < deadline, "waited too long until {what}");
        let _ = pause.recv_timeout(Duration::from_millis(10));
    }
}
