//! A folder with a running server, and commands that call the server.

use std::time::{Duration, Instant};

use confab_test_servers::receiver::{Receiver, Reply};

use crate::support::process::{Confab, Ended, Folder, after};

/// Longest wait for a delivery to reach an expected state.
const DEADLINE: Duration = Duration::from_secs(60);

/// Secret key of the app of [`Folder::with_app`].
pub const KEY: &str = "secret-key-of-shop";

/// A folder with the app shop and its server. Commands find the server's address in the settings
/// and the app's key in the data.
pub struct Served {
    pub folder: Folder,
    pub server: Confab,
}

/// Starts a receiver as a developer would write one, which accepts webhooks at a path with a query.
pub async fn developers_receiver() -> Receiver {
    let receiver = Receiver::start().await.at_path("/hook?a=b");
    receiver.answers(developers_reply(200));
    receiver
}

/// Returns a response with this status that asks to retry only after an hour.
pub fn developers_reply(status: u16) -> Reply {
    Reply::status(status).header("retry-after", "3600").body("my answer")
}

impl Served {
    pub async fn start() -> Self {
        let folder = Folder::with_app().await;
        let server = folder.serve();
        Self { folder, server }
    }

    /// Returns the environment variable with the server's address.
    pub fn listen(&self) -> (&'static str, &str) {
        ("CONFAB_LISTEN", self.server.base.trim_start_matches("http://"))
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.folder.run_with(arguments, &[self.listen()])
    }

    /// Starts `confab listen` with these arguments, and waits until it listens.
    pub fn listening(&self, arguments: &[&str]) -> Confab {
        let all = [&["listen"], arguments].concat();
        let listening = self.folder.start(&all, &[self.listen()]);
        listening.log.wait_for("Stop with Ctrl-C.");
        listening
    }

    /// Creates an example event; returns the id of its delivery.
    pub fn trigger(&self, kind: &str) -> String {
        after(&self.run(&["trigger", kind]).ok(), "delivery")
    }

    /// Waits until the description of a delivery contains `part`, and returns it.
    pub fn shown(&self, id: &str, part: &str) -> String {
        let started = Instant::now();
        loop {
            let said = self.run(&["webhooks", "show", id]).ok();
            if said.contains(part) {
                return said;
            }
            assert!(started.elapsed() < DEADLINE, "{part} in {said}");
        }
    }

    /// Returns the ids of a list, newest first.
    pub fn listed(&self, arguments: &[&str]) -> Vec<String> {
        let said = self.run(&[&["webhooks", "list"], arguments].concat()).ok();
        // The time consists of two words.
        let id = |line: &str| line.split_whitespace().nth(2).map(str::to_owned);
        said.lines().skip(1).filter_map(id).collect()
    }
}
