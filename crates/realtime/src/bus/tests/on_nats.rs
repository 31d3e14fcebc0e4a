//! Tests of the bus on a real nats-server.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use confab_runtime::process::logging;
use confab_test_servers::nats::{Server, Setup};
use parking_lot::Mutex;
use rcgen::generate_simple_self_signed;
use tracing::subscriber::NoSubscriber;

use super::{Ground, check_dropped, check_order};

async fn ground(server: &Server) -> Ground {
    Ground::new(&[("nats_url", &server.url())]).await
}

#[tokio::test]
async fn hints_arrive_in_order_at_the_other_node_and_never_at_the_sender() {
    check_order(&ground(&Server::start_with_password("open-sesame")).await).await;
}

#[tokio::test]
async fn nodes_connect_by_tls_with_a_token_and_reject_an_untrusted_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let made = || generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let (mine, stranger) = (made(), made());
    let cert = written("cert.pem", mine.cert.pem());
    let key = written("key.pem", mine.signing_key.serialize_pem());
    let strange = written("strange.pem", stranger.cert.pem());
    let server = Setup::new().token("open-sesame").encrypted(&cert, &key).start();
    let url = server.url();
    let trusting = async |file: &Path| {
        let file = file.display().to_string();
        Ground::new(&[("nats_url", &url), ("nats_ca_file", &file)]).await
    };
    check_order(&trusting(&cert).await).await;
    trusting(&strange).await.node().until(false).await;
}

#[tokio::test]
async fn dropped_hints_are_counted_and_end_in_a_gap() {
    check_dropped(&ground(&Server::start()).await).await;
}

#[tokio::test]
async fn an_outage_causes_a_gap_and_hints_arrive_again_afterward() {
    let server = Server::start();
    let (mut one, mut two) = ground(&server).await.pair().await;
    server.stop();
    for node in [&one, &two] {
        node.until(false).await;
        assert!(node.bus.problem().is_some_and(|it| it.starts_with("NATS cannot be reached")));
    }
    one.send("nobody may hear this");
    server.start_again();
    for node in [&mut one, &mut two] {
        node.until(true).await;
        node.receives_gap().await;
    }
    one.meet(&mut two).await;
    two.meet(&mut one).await;
}

#[tokio::test]
async fn nodes_start_without_nats_and_connect_later() {
    let server = Server::start();
    server.stop();
    let ground = ground(&server).await;
    let (one, mut two) = (ground.node(), ground.node());
    // No attempt to connect has failed yet.
    assert!(one.bus.problem().is_none() && !one.bus.is_alone());
    one.until(false).await;
    server.start_again();
    one.until(true).await;
    one.meet(&mut two).await;
}

#[tokio::test]
async fn two_installations_on_one_nats_do_not_receive_each_others_hints() {
    let server = Server::start();
    let (mine, yours) = (ground(&server).await, ground(&server).await);
    let (one, mut two) = mine.pair().await;
    let (other_one, mut other_two) = yours.pair().await;
    one.send("for my own only");
    two.receives("for my own only").await;
    other_one.send("for yours only");
    other_two.receives("for yours only").await;
}

#[tokio::test]
async fn connection_errors_are_logged_without_the_password() {
    let log = Log::default();
    let lines = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(logging::filter("trace"))
        .with_writer(move || lines.clone())
        .finish();
    // With a single subscriber, the first thread to reach a log line decides for all threads
    // whether it is enabled, and that may be another test.
    let _second = tracing::Dispatch::new(NoSubscriber::new());
    // All tasks of this runtime run on this thread.
    let _logging = tracing::subscriber::set_default(subscriber);
    let server = Server::start_with_password("open-sesame");
    let wrong = server.url().replace("open-sesame", "planted-password");
    let nowhere = wrong.replace("127.0.0.1", "nowhere.invalid");
    let without_tls = wrong.replace("nats://", "tls://");
    for url in [wrong, nowhere, without_tls] {
        let mut node = Ground::new(&[("nats_url", &url)]).await.node();
        let seen = log.0.lock().len();
        let logged = async {
            let mut every = tokio::time::interval(std::time::Duration::from_millis(5));
            while !log.text()[seen..].contains("failed to connect to NATS") {
                every.tick().await;
            }
        };
        tokio::time::timeout(super::PATIENCE, logged).await.expect("it is logged in time");
        assert!(node.received.try_recv().is_err());
    }
    assert!(!log.text().contains("planted"), "{}", log.text());
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock()).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
