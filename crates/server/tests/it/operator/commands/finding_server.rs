//! Commands find the server that runs with the data folder on any port.

use std::os::unix::fs::PermissionsExt;

use confab_domain::webhooks::event_kind::EventKind;

use super::served::{KEY, developers_receiver};
use crate::support::process::Folder;

#[tokio::test(flavor = "multi_thread")]
async fn listen_and_trigger_find_a_server_on_any_port() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let file = folder.data().join("server.url");
    assert_eq!(
        std::fs::read_to_string(&file).expect("the server records its address"),
        server.base
    );
    let mode = std::fs::metadata(&file).expect("a file").permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    let listening = folder.start(&["listen"], &[]);
    listening.log.wait_for("Stop with Ctrl-C.");
    let said = folder.run(&["trigger", "chat_message"]).ok();
    assert!(said.contains("It was passed to one `confab listen`."), "{said}");
    listening.said.wait_for("chat_message");
    listening.signal("INT");
    assert_eq!(listening.ended().code(), Some(0));
    server.signal("TERM");
    server.ended();
    assert!(!file.exists(), "a stopped server removes its recorded address");
}

#[test]
fn a_sign_in_link_and_doctor_name_the_port_of_the_server() {
    let folder = Folder::new();
    let admin =
        [("CONFAB_ADMIN_EMAIL", "boss@example.org"), ("CONFAB_ADMIN_PASSWORD", "forgotten")];
    let server = folder.serve_with(&[], &admin);
    let link = folder.run(&["user", "link", "boss@example.org"]).ok();
    assert!(link.starts_with(&format!("{}/", server.base)), "{link}");
    let found = folder.run(&["doctor"]).out;
    assert!(found.contains(&format!("not set: clients call {}\n", server.base)), "{found}");
    assert!(!found.contains(":8787"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_given_server_address_overrides_the_recorded_one() {
    let (folder, other) = (Folder::with_app().await, Folder::with_app().await);
    let (server, elsewhere) = (folder.serve(), other.serve());
    other.write("data/server.url", &server.base);
    let address = elsewhere.base.trim_start_matches("http://");
    for run in [
        other.run(&["webhooks", "list", "--server", &elsewhere.base]),
        other.run_with(&["webhooks", "list"], &[("CONFAB_LISTEN", address)]),
    ] {
        assert!(run.ok().contains("There are no deliveries yet"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trigger_reads_a_custom_body_from_a_file_or_standard_input() {
    let (folder, receiver) = (Folder::with_app().await, developers_receiver().await);
    let _server = folder.serve();
    folder.run(&["webhooks", "set", "bot", &receiver.url]).ok();
    let own = r#"{"payload": {"message": {"text": "mine"}}, "n": 1.50}"#;
    folder.write("own.json", &format!("{own}\n"));
    folder.run(&["trigger", "bot", "--body", "own.json"]).ok();
    let received = receiver.next().await;
    assert_eq!(received.text(), own);
    received.check_signature(KEY);
    folder.run_with_input(&["trigger", "bot", "--body", "-"], own).ok();
    assert_eq!(receiver.next().await.text(), own);
    let said = folder.run_with_input(&["trigger", "bot", "--body", "-"], "{oops").failed(1);
    assert!(said.contains("- is not a JSON object: ") && said.contains("line 1"), "{said}");
    let said = folder.run(&["trigger", "bot", "--body", "missing.json"]).failed(1);
    assert!(said.contains("missing.json cannot be read"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_accept_every_event_kind_and_name_the_flag_that_allows_a_target() {
    let folder = Folder::with_app().await;
    let _server = folder.serve();
    for kind in EventKind::ALL.map(EventKind::as_str) {
        folder.run(&["webhooks", "list", "--kind", kind]).ok();
        let help = folder.run(&["trigger", "--help"]).ok();
        assert!(help.contains(kind), "{help}");
    }
    let said = folder.run(&["webhooks", "set", "chat_message", "http://10.0.0.7/"]).failed(1);
    assert!(said.contains("--webhook-allow"), "{said}");
    let said = folder.run(&["webhooks", "set", "bot", "ftp://10.0.0.7/"]).failed(1);
    assert!(!said.contains("--webhook-allow"), "no flag allows another scheme: {said}");
    let help = folder.run(&["listen", "--help"]).ok();
    assert!(help.contains("No endpoint needs to be registered"), "{help}");
}
