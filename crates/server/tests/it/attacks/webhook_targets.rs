//! Webhooks of an app cannot read other services on the server's machine (D-0072).

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
async fn is_taken(arguments: &[&str]) -> (bool, String) {
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
async fn a_server_that_others_reach_does_not_call_its_own_machine_and_says_so() {
    for reached in [
        &["--public-url", "https://chat.example"][..],
        &["--mqtt-listen", "0.0.0.0:0"],
        &["--trusted-proxies", "127.0.0.1"],
        &["--webhook-loopback", "off"],
        &["--public-url", "https://chat.example", "--webhook-loopback", "off"],
    ] {
        let (is_taken, log) = is_taken(reached).await;
        assert!(!is_taken, "{reached:?}");
        assert!(log.contains("webhooks may not call this machine"), "{reached:?}: {log}");
    }
}

#[tokio::test]
async fn whoever_listed_receivers_is_not_told_to_list_some() {
    let listed = ["--webhook-loopback", "off", "--webhook-allow", "127.0.0.1:18080"];
    let (is_taken, log) = is_taken(&listed).await;
    assert!(is_taken && log.contains("except targets listed in webhook_allow"), "{log}");
}

#[tokio::test]
async fn a_server_on_a_laptop_or_an_operator_who_says_so_calls_receivers_on_the_machine() {
    for alone in [&[][..], &["--public-url", "https://chat.example", "--webhook-loopback", "on"]] {
        let (is_taken, log) = is_taken(alone).await;
        assert!(is_taken, "{alone:?}");
        assert!(log.contains("webhooks may call receivers on this machine"), "{alone:?}: {log}");
    }
}

#[tokio::test]
async fn databases_and_other_services_of_the_machine_are_never_called() {
    let server = TestServer::start_with(&[("webhook_loopback", "on")]).await;
    for port in [22, 25, 465, 587, 2375, 2376, 3306, 5432, 6379, 9200, 11211, 27017] {
        for host in ["127.0.0.1", "[::1]", "localhost"] {
            let answer = register(&server, &format!("http://{host}:{port}/")).await;
            let refused = answer.errors(400, "invalid_request");
            refused.says(&format!("port {port} may not be called"));
            refused.says("--webhook-allow");
        }
    }
    // The operator's list takes precedence if it names the port.
    let settings = [("webhook_loopback", "off"), ("webhook_allow", "127.0.0.1:9200")];
    let server = TestServer::start_with(&settings).await;
    register(&server, "http://127.0.0.1:9200/").await.data();
    register(&server, "http://127.0.0.1:9300/").await.errors(400, "invalid_request");
}
