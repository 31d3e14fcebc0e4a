//! Guards: child programs that cannot outlive this process. `guard.sh` runs the program and watches
//! a pipe from this process.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

const SCRIPT: &str = include_str!("guard.sh");

/// The program that a guard runs.
pub(crate) struct Program<'a> {
    pub path: &'a Path,
    pub arguments: &'a [String],
    /// Signals that end the program, the gentlest first, as `kill` names them.
    pub ends_by: &'static str,
}

/// A program and the shell that guards it. Dropping it ends the program and removes its folder.
pub(crate) struct Guard {
    shell: Child,
    orders: Option<ChildStdin>,
    /// Receives nothing. The sender is dropped when the program has ended.
    ended: Receiver<()>,
}

impl Guard {
    /// Starts a program with its output in `log` in the folder. `prepare` sets user and
    /// environment.
    pub(crate) fn start(
        folder: &Path,
        program: &Program<'_>,
        prepare: impl FnOnce(&mut Command),
    ) -> io::Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "guard.sh", program.ends_by]);
        command.arg(folder).arg(program.path).args(program.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        prepare(&mut command);
        // In its own process group, a guard survives Ctrl-C and other signals to the group of the
        // tests.
        command.current_dir(folder).process_group(0);
        let mut shell = command.spawn()?;
        let orders = shell.stdin.take();
        let mut open_while_running = shell.stdout.take().expect("stdout is piped");
        let (running, ended) = channel();
        thread::spawn(move || {
            let _ = io::copy(&mut open_while_running, &mut io::sink());
            drop(running);
        });
        Ok(Self { shell, orders, ended })
    }

    /// Waits for the end of the program and its children. Returns whether it came in time.
    pub(crate) fn has_ended_within(&self, time: Duration) -> bool {
        self.ended.recv_timeout(time) == Err(RecvTimeoutError::Disconnected)
    }

    /// Sends the program a signal, named as `kill` names it.
    pub(crate) fn signal(&mut self, name: &str) {
        self.order(name);
    }

    /// Ends the guard of a program that has ended. The folder stays, for another guard.
    pub(crate) fn leave(mut self) {
        self.order("leave");
    }

    fn order(&mut self, order: &str) {
        let orders = self.orders.as_mut().expect("stdin is piped and open until the drop");
        writeln!(orders, "{order}").expect("the guard reads until its stdin is closed");
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.orders.take());
        let _ = self.shell.wait();
    }
}
