//! The published SDK works unchanged: a Node script runs it for these tests
//! (crates/server/tests/sdk).

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::installing::node_modules;
use crate::support::test_server::TestServer;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sdk");
const BRANDS: (&str, &str) = ("brands", "SERVICE,QISCUS");

/// Events that the SDK must report, in this order.
const SEEN: [&str; 17] = [
    "both log in",
    "both open the same room",
    "a message arrives",
    "the message names its sender",
    "the message is loaded",
    "the sender sees that the message was read",
    "no message is unread afterwards",
    "bob sees ana typing",
    "bob sees since when ana is online",
    "a call returns that ana is online",
    "bob sees the corrected message",
    "bob is notified of a deletion, and the message is gone",
    "an uploaded file can be fetched",
    "a retry after a lost response posts no second message",
    "a group has both participants",
    "a cleared room is empty for the user that cleared it",
    "bob sees that ana is offline after her connection was lost",
];

#[tokio::test(flavor = "multi_thread")]
async fn two_users_of_the_published_sdk_talk_to_each_other() {
    let server = TestServer::start_with(&[BRANDS]).await;
    drive([&server, &server]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_users_of_the_published_sdk_talk_to_each_other_over_two_nodes() {
    let (one, two) = TestServer::start_two_with(&[BRANDS]).await;
    drive([&one, &two]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_users_of_the_published_sdk_talk_to_each_other_over_two_nodes_and_nats() {
    let nats = confab_test_servers::nats::Server::start();
    let (one, two) = TestServer::start_two_with(&[BRANDS, ("nats_url", &nats.url())]).await;
    drive([&one, &two]).await;
}

async fn drive(servers: [&TestServer; 2]) {
    let addresses = servers.map(|server| server.base.trim_start_matches("http://").to_owned());
    let certificate = Certificate::make();
    let mut node = Command::new("node");
    let modules = || node_modules("sdk", Path::new(SCRIPTS));
    let modules = tokio::task::spawn_blocking(modules).await.expect("installed");
    node.arg(Path::new(SCRIPTS).join("two_users.js"))
        .env("NODE_PATH", modules)
        .env("CONFAB_ADDRESSES", addresses.join(","))
        .env("CONFAB_KEY", certificate.path("key.pem"))
        .env("CONFAB_CERTIFICATE", certificate.path("certificate.pem"))
        .env("NODE_EXTRA_CA_CERTS", certificate.path("certificate.pem"));
    let ran = tokio::task::spawn_blocking(move || node.output()).await.expect("no panic");
    let ran = ran.expect("Node.js must be installed to run the published SDK");
    let output = String::from_utf8_lossy(&ran.stdout);
    let errors = String::from_utf8_lossy(&ran.stderr);
    let seen: Vec<_> = output.lines().filter_map(|line| line.strip_prefix("seen: ")).collect();
    assert_eq!(seen, SEEN, "\n{output}\n{errors}");
    assert!(ran.status.success(), "{output}\n{errors}");
}

/// A certificate of localhost, which the SDK trusts.
struct Certificate(TempDir);

impl Certificate {
    fn make() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("made");
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: String| {
            std::fs::write(folder.path().join(name), text).expect("written");
        };
        write("certificate.pem", made.cert.pem());
        write("key.pem", made.signing_key.serialize_pem());
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}
