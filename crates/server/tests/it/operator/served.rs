//! A served folder, and the commands that call the running server from it.

use std::time::{Duration, Instant};

use confab_test_servers::receiver::{Receiver, Reply};

use crate::support::process::{Confab, Ended, Folder, after};

/// How long a delivery may take to stand as it should.
const DEADLINE: Duration = Duration::from_secs(60);

/// What the app of [`Folder::with_app`] signs with.
pub const KEY: &str = "secret-key-of-shop";

/// With the app shop. Commands find its address in the settings and its key in the data.
pub struct Served {
    pub folder: Folder,
    pub server: Confab,
}

/// A receiver as a developer would write one: it takes webhooks, or says that it cannot.
pub async fn developers_receiver() -> Receiver {
    let receiver = Receiver::start().await.at_path("/hook?a=b");
    receiver.answers(developers_reply(200));
    receiver
}

/// Who says no wants to be left alone until somebody has it sent again.
pub fn developers_reply(status: u16) -> Reply {
    Reply::status(status).header("retry-after", "3600").body("my answer")
}

impl Served {
    pub async fn start() -> Self {
        let folder = Folder::with_app().await;
        let server = folder.serve();
        Self { folder, server }
    }

    /// The setting that says where the server is.
    pub fn listen(&self) -> (&'static str, &str) {
        ("CONFAB_LISTEN", self.server.base.trim_start_matches("http://"))
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.folder.run_with(arguments, &[self.listen()])
    }

    /// Starts `confab listen` with these arguments; it listens already.
    pub fn listening(&self, arguments: &[&str]) -> Confab {
        let all = [&["listen"], arguments].concat();
        let listening = self.folder.start(&all, &[self.listen()]);
        listening.log.wait_for("Ctrl-C ends it.");
        listening
    }

    /// Sends an example; the id of its delivery.
    pub fn trigger(&self, kind: &str) -> String {
        after(&self.run(&["trigger", kind]).ok(), "delivery")
    }

    /// What is shown of a delivery, once this is part of it.
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

    /// The ids that a list shows, the newest first.
    pub fn listed(&self, arguments: &[&str]) -> Vec<String> {
        let said = self.run(&[&["webhooks", "list"], arguments].concat()).ok();
        // The time has two words.
        let id = |line: &str| line.split_whitespace().nth(2).map(str::to_owned);
        said.lines().skip(1).filter_map(id).collect()
    }
}
