//! Webhooks of an app cannot read other services on the server's machine (D-0010).

use serde_json::json;

use crate::support::answer::Answer;
use crate::support::caller::Caller;
use crate::support::process::Folder;
use crate::support::test_server::TestServer;

/// Registers a webhook.
async fn register(caller: &Caller, url: &str) -> Answer {
    caller.put_endpoint("bot", url, &json!({})).await
}

/// Starts a server with these arguments; returns whether it accepts a local receiver, and its log.
async fn is_accepted(arguments: &[&str]) -> (bool, String) {
    let folder = Folder::with_app().await;
    let server = folder.serve_with(arguments, &[]);
    let log = server.log.wait_for("webhooks may");
    let answer = register(&server.shop(), "http://127.0.0.1:18080/").await;
    match answer.status {
        200 => (true, log),
        _ => {
            let refused = answer.errors(400, "invalid_request");
            refused.says("url cannot be called");
            (false, log)
        }
    }
}

#[tokio::test]
async fn a_public_server_refuses_webhooks_to_its_own_machine_and_logs_it() {
    for arguments in [
        &["--public-url", "https://chat.example"][..],
        &["--mqtt-listen", "0.0.0.0:0"],
        &["--trusted-proxies", "127.0.0.1"],
        &["--webhook-loopback", "off"],
        &["--public-url", "https://chat.example", "--webhook-loopback", "off"],
    ] {
        let (is_accepted, log) = is_accepted(arguments).await;
        assert!(!is_accepted, "{arguments:?}");
        assert!(log.contains("webhooks may not call this machine"), "{arguments:?}: {log}");
    }
}

#[tokio::test]
async fn listed_local_receivers_are_accepted_and_mentioned_in_the_log() {
    let listed = ["--webhook-loopback", "off", "--webhook-allow", "127.0.0.1:18080"];
    let (is_accepted, log) = is_accepted(&listed).await;
    assert!(is_accepted && log.contains("except targets listed in webhook_allow"), "{log}");
}

#[tokio::test]
async fn a_private_server_or_an_explicit_setting_allows_webhooks_to_the_same_machine() {
    for arguments in
        [&[][..], &["--public-url", "https://chat.example", "--webhook-loopback", "on"]]
    {
        let (is_accepted, log) = is_accepted(arguments).await;
        assert!(is_accepted, "{arguments:?}");
        assert!(
            log.contains("webhooks may call receivers on this machine"),
            "{arguments:?}: {log}"
        );
    }
}

#[tokio::test]
async fn webhooks_to_ports_of_local_services_are_refused_unless_listed() {
    let server = TestServer::start_with(&[("webhook_loopback", "on")]).await;
    for port in [22, 25, 465, 587, 2375, 2376, 3306, 5432, 6379, 9200, 11211, 27017] {
        for host in ["127.0.0.1", "[::1]", "localhost"] {
            let answer = register(&server, &format!("http://{host}:{port}/")).await;
            let refused = answer.errors(400, "invalid_request");
            refused.says(&format!("the URL must not use port {port}"));
            refused.says("--webhook-allow");
        }
    }
    // The operator's list takes precedence if it names the port.
    let settings = [("webhook_loopback", "off"), ("webhook_allow", "127.0.0.1:9200")];
    let server = TestServer::start_with(&settings).await;
    register(&server, "http://127.0.0.1:9200/").await.data();
    register(&server, "http://127.0.0.1:9300/").await.errors(400, "invalid_request");
}
