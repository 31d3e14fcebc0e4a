//! `confab trigger` and `confab webhooks` with a running server and a receiver.

use std::sync::Arc;

use confab_domain::limits;
use confab_domain::webhooks::delivery::ErrorClass;
use confab_verify::standard;
use rcgen::KeyPair;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivatePkcs8KeyDer;
use serde_json::Value;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use super::served::{KEY, Served, developers_receiver, developers_reply};
use crate::support::hooks::Hooks;
use crate::support::process::{Ended, Folder};
use crate::support::raw_connection::NOBODY;
use crate::support::test_server::TestServer;
use crate::webhooks::many::make;

#[tokio::test(flavor = "multi_thread")]
async fn an_example_event_is_delivered_signed_and_can_be_listed_and_shown() {
    let (served, receiver) = (Served::start().await, developers_receiver().await);
    let said = served.run(&["webhooks", "list"]).ok();
    assert_eq!(said, "There are no deliveries yet. Send an example with `confab trigger KIND`.\n");
    let said = served.run(&["trigger", "bot"]).ok();
    assert!(said.contains("`confab webhooks set bot URL`"), "{said}");
    let raw = served.run(&["trigger", "bot", "--json"]).ok();
    assert_eq!(raw.trim(), r#"{"delivery_ids":[],"listeners":0}"#);

    served.run(&["webhooks", "set", "bot", &receiver.url]).ok();
    let said = served.run(&["trigger", "bot"]).ok();
    let first = said.lines().next().expect("a line");
    let id = first.split_whitespace().nth(1).expect("an id");
    assert_eq!(first, format!("delivery {id} to {}", receiver.url));
    assert!(said.contains(&format!("`confab webhooks show {id}`")), "{said}");

    let received = receiver.next().await;
    assert_eq!(received.path(), "/hook?a=b");
    assert_eq!(received.id_and_attempt(), (format!("msg_{id}").as_str(), "1"));
    received.check_signature(KEY);
    let timestamp = received.header("webhook-timestamp");
    let headers = standard::Headers {
        id: received.header("webhook-id"),
        timestamp,
        signature: received.header("webhook-signature"),
    };
    let now = timestamp.parse().expect("seconds");
    assert_eq!(standard::verify(KEY, headers, received.body(), now), Ok(()));

    let shown = served.shown(id, "standing    delivered\n");
    let address = receiver.url.trim_start_matches("http://").trim_end_matches("/hook?a=b");
    for part in [
        &format!("url         {}\n", receiver.url),
        "attempts    1\n",
        &format!("  200  from {address}\n"),
        "connect ",
        "answer: my answer\n",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let (_, body) = shown.split_once("\nbody\n").expect("a body");
    let sent: Value = received.json();
    assert_eq!(serde_json::from_str::<Value>(body).expect("JSON"), sent);
    let listed = served.run(&["webhooks", "list"]).ok();
    let lines: Vec<Vec<_>> = listed.lines().map(|it| it.split_whitespace().collect()).collect();
    let heads = ["TIME", "(UTC)", "ID", "KIND", "ROOM", "STANDING", "ATTEMPTS", "LAST"];
    assert_eq!(lines[0], heads);
    assert_eq!((lines[1][2], &lines[1][5..]), (id, &["delivered", "1", "200"][..]));
    let said = served.run(&["webhooks", "show", "8"]).failed(1);
    assert!(said.contains("Delivery 8 does not exist"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replayed_delivery_keeps_its_id_and_has_the_next_attempt_number() {
    let (served, receiver) = (Served::start().await, developers_receiver().await);
    served.run(&["webhooks", "set", "bot", &receiver.url]).ok();
    receiver.answers(developers_reply(500));
    let id = served.trigger("bot");
    let name = format!("msg_{id}");
    let first = receiver.next().await;
    assert_eq!(first.id_and_attempt(), (name.as_str(), "1"));
    served.shown(&id, "last        500 status_5xx\n");
    receiver.answers(developers_reply(200));
    let said = served.run(&["webhooks", "replay", &id]).ok();
    let expected = format!("Delivery {id} will be sent again to {}", receiver.url);
    assert!(said.starts_with(&expected), "{said}");
    let second = receiver.next().await;
    assert_eq!(second.id_and_attempt(), (name.as_str(), "2"));
    assert_eq!(second.body(), first.body());
    let shown = served.shown(&id, "standing    delivered\n");
    assert!(shown.contains("#1  ") && shown.contains("  500 status_5xx  from "), "{shown}");
    assert!(shown.contains("#2  ") && shown.contains("  200  from "), "{shown}");

    let said = served.run(&["webhooks", "replay"]).failed(1);
    assert!(said.contains("--all"), "{said}");
    for nothing in [&["--kind", "bot"][..], &["--all"]] {
        let said = served.run(&[&["webhooks", "replay"], nothing].concat()).ok();
        assert!(
            said.contains("no failed delivery matches") && said.contains("delivered"),
            "{said}"
        );
    }
    let wanted = ["webhooks", "replay", "--kind", "bot", "--standing", "delivered"];
    let ended = served.run(&wanted);
    assert_eq!((ended.err.as_str(), ended.code), ("", Some(0)));
    assert_eq!(ended.out, "Deliveries to send again: 1\n");
    assert_eq!(receiver.next().await.id_and_attempt(), (name.as_str(), "3"));
    served.shown(&id, "attempts    3\n");
    assert!(!receiver.has_more());
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_deliveries_can_be_replayed_once_the_endpoint_is_set_again() {
    let (served, receiver) = (Served::start().await, developers_receiver().await);
    let url = receiver.url.clone();
    let set = ["webhooks", "set", "bot", &url];
    served.run(&set).ok();
    receiver.answers(developers_reply(410));
    let id = served.trigger("bot");
    receiver.next().await;
    served.shown(&id, "standing    failed\n");
    let listed = served.run(&["webhooks", "endpoints"]).ok();
    assert!(listed.contains("bot   disabled  0 "), "{listed}");
    receiver.answers(developers_reply(200));
    let said = served.run(&set).ok();
    assert!(said.contains("(healthy)"), "{said}");
    let said = served.run(&["webhooks", "replay", "--error", "status_410"]).ok();
    assert_eq!(said, "Deliveries to send again: 1\n");
    assert_eq!(receiver.next().await.id_and_attempt(), (format!("msg_{id}").as_str(), "2"));
    served.shown(&id, "standing    delivered\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_endpoint_gets_its_deliveries_in_order_after_it_is_resumed() {
    let (served, receiver) = (Served::start().await, developers_receiver().await);
    served.run(&["webhooks", "set", "bot", &receiver.url]).ok();
    let said = served.run(&["webhooks", "pause", "bot"]).ok();
    assert_eq!(said, "bot is paused; waiting deliveries: 0\n");
    let ids: Vec<_> = (0..3).map(|_| served.trigger("bot")).collect();
    // A test delivery is sent although others wait: none of those was attempted.
    served.run(&["webhooks", "test", "bot"]).ok();
    let tried = receiver.next().await;
    assert!(ids.iter().all(|id| !tried.header("webhook-id").contains(id)));
    assert!(!receiver.has_more());
    served.shown(&ids[0], "standing    waiting\nattempts    0\n");
    let listed = served.run(&["webhooks", "endpoints"]).ok();
    assert!(listed.contains("bot   paused  3  "), "{listed}");
    let said = served.run(&["webhooks", "resume", "bot"]).ok();
    assert!(said.starts_with("bot is healthy; waiting deliveries: "), "{said}");
    for (at, id) in ids.iter().enumerate() {
        let received = receiver.next().await;
        assert_eq!(received.id_and_attempt(), (format!("msg_{id}").as_str(), "1"));
        assert_eq!(received.header("webhook-sequence"), (at + 1).to_string());
    }
    let said = served.run(&["webhooks", "pause", "logout"]).failed(1);
    assert!(said.contains("No endpoint is registered for logout"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn endpoints_can_be_set_listed_tested_and_disabled() {
    let (served, receiver) = (Served::start().await, developers_receiver().await);
    let said = served.run(&["webhooks", "endpoints"]).ok();
    assert!(said.contains("No endpoint is registered"), "{said}");
    let url = receiver.url.clone();
    let set = ["webhooks", "set", "bot", &url, "--timeout-ms", "20000"];
    let said = served.run(&set).ok();
    let expected = format!(
        "bot is sent to {} (healthy). Test it with `confab webhooks test bot`",
        receiver.url
    );
    assert!(said.starts_with(&expected), "{said}");
    let raw = served.run(&["webhooks", "endpoints", "--json"]).ok();
    let raw: Value = serde_json::from_str(&raw).expect("JSON");
    assert_eq!(raw["endpoints"][0]["timeout_ms"], 20_000);
    let listed = served.run(&["webhooks", "endpoints"]).ok();
    let lines: Vec<_> = listed.lines().collect();
    let heads = "KIND  STATE    WAITING  OLDEST (UTC)  FAILING SINCE (UTC)  URL";
    let row = "bot   healthy  0        -             -                    ";
    assert_eq!(lines, [heads, &format!("{row}{}", receiver.url)]);

    let said = served.run(&["webhooks", "test", "bot"]).ok();
    assert!(said.contains("  200  from 127.0.0.1:"), "{said}");
    assert!(said.contains("answer: my answer"), "{said}");
    let received = receiver.next().await;
    received.check_signature(KEY);
    receiver.answers(developers_reply(500));
    let said = served.run(&["webhooks", "test", "bot"]).failed(1);
    assert!(said.contains("the receiver did not accept the webhook: status_5xx"), "{said}");
    served.run(&["webhooks", "set", "logout", NOBODY]).ok();
    let said = served.run(&["webhooks", "test", "logout"]).failed(1);
    assert!(said.contains("did not accept the webhook: connect_refused"), "{said}");

    let said = served.run(&[&set[..], &["--disabled"]].concat()).ok();
    assert!(said.contains("(disabled)"), "{said}");
    let said = served.run(&["trigger", "bot"]).ok();
    assert!(said.contains("Nothing was sent"), "{said}");
    let said = served.run(&["webhooks", "set", "bot", "http://10.0.0.1/"]).failed(1);
    assert!(said.contains("the server refused the request: url cannot be called"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_can_be_filtered_and_listed_page_by_page() {
    let (served, receiver) = (Served::start().await, developers_receiver().await);
    served.server.shop().furnish().await;
    for kind in ["bot", "logout"] {
        served.run(&["webhooks", "set", kind, &receiver.url]).ok();
    }
    receiver.answers(developers_reply(503));
    let bad = served.trigger("logout");
    receiver.next().await;
    served.shown(&bad, "last        503 status_5xx\n");
    receiver.answers(developers_reply(200));
    served.run(&["trigger", "bot", "--room", "support"]).ok();
    receiver.next().await;
    let good = served.listed(&["--kind", "bot"]).remove(0);
    let shown = served.shown(&good, "standing    delivered\n");
    let fact = |name: &str| crate::support::process::after(&shown, name);
    let (room, made_at) = (fact("room"), fact("created at"));
    for (filters, id) in [
        (["--kind", "logout"], &bad),
        // The retry time is so late that the delivery was parked and no longer blocks its lane.
        (["--standing", "parked"], &bad),
        (["--standing", "delivered"], &good),
        (["--error", "status_5xx"], &bad),
        (["--room", &room], &good),
        (["--from", &made_at], &good),
        (["--until", &made_at], &bad),
    ] {
        assert_eq!(&served.listed(&filters), std::slice::from_ref(id), "{filters:?}");
    }
    let said = served.run(&["webhooks", "list", "--kind", "bot", "--error", "dns"]).ok();
    assert_eq!(said, "No delivery matches the filters.\n");
    let said = served.run(&["webhooks", "list", "--from", "yesterday"]).failed(1);
    assert!(said.contains("from must be a time such as"), "{said}");
    let said = served.run(&["trigger", "bot", "--room", "nowhere"]).failed(1);
    assert!(said.contains("Room nowhere does not exist"), "{said}");

    assert_eq!(served.listed(&[]), [good.clone(), bad.clone()]);
    let ended = served.run(&["webhooks", "list", "--limit", "1"]);
    assert_eq!(ended.out.lines().count(), 2, "{}", ended.out);
    let cursor = ended.err.trim().rsplit(' ').next().expect("a cursor");
    assert!(ended.err.contains("--before "), "{}", ended.err);
    assert_eq!(served.listed(&["--limit", "1", "--before", cursor]), [bad]);
    let raw = served.run(&["webhooks", "list", "--limit", "1", "--json"]).ok();
    let raw: Value = serde_json::from_str(&raw).expect("JSON");
    assert_eq!(raw["deliveries"][0]["id"].to_string(), good);
}

/// Runs a command with the app shop of a server with other data.
fn run_at(server: &TestServer, arguments: &[&str]) -> Ended {
    let all = [arguments, &["--server", &server.base, "--app", "shop"]].concat();
    Folder::embedded().run_with(&all, &[("CONFAB_SECRET_KEY", KEY)])
}

#[tokio::test(flavor = "multi_thread")]
async fn list_and_replay_continue_beyond_the_limits_of_one_call() {
    let server = TestServer::start_quiet().await;
    Hooks::of(&server).register("bot").await;
    let oldest = make(&server, 1, Some(ErrorClass::Tls)).await[0].0.to_string();
    make(&server, limits::DELIVERIES_SCANNED_MAX, None).await;
    let said = run_at(&server, &["webhooks", "list", "--standing", "failed"]).ok();
    assert!(said.contains(&oldest), "{said}");
    make(&server, limits::REPLAYED_PER_CALL_MAX, Some(ErrorClass::Dns)).await;
    let ended = run_at(&server, &["webhooks", "replay", "--kind", "bot"]);
    assert!(ended.err.ends_with(" so far\n"), "{}", ended.err);
    let count = limits::REPLAYED_PER_CALL_MAX + 1;
    assert_eq!(ended.ok(), format!("Deliveries to send again: {count}\n"));
    let said = run_at(&server, &["webhooks", "list", "--standing", "failed"]).ok();
    assert_eq!(said, "No delivery matches the filters.\n");
    // The replayed deliveries are still waiting, so only the position in the list ends the command.
    let count = count + limits::DELIVERIES_SCANNED_MAX;
    let said = run_at(&server, &["webhooks", "replay", "--standing", "waiting"]).ok();
    assert_eq!(said, format!("Deliveries to send again: {count}\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_secret_key_is_read_from_the_data_and_never_shown() {
    let served = Served::start().await;
    let arguments = ["webhooks", "endpoints", "--server", &served.server.base];
    let said = served.folder.run(&arguments).ok();
    assert!(said.contains("No endpoint is registered"), "{said}");
    let wrong = [("CONFAB_SECRET_KEY", "planted")];
    let said = served.folder.run_with(&arguments, &wrong).failed(1);
    assert!(said.contains("rejected the app id or its secret key"), "{said}");
    assert!(!said.contains("planted") && !said.contains(KEY), "{said}");
    served.folder.run(&["app", "create", "second"]).ok();
    let said = served.folder.run(&arguments).failed(1);
    assert!(said.contains("several apps; name one with --app: shop, second"), "{said}");
    let named = [&arguments[..], &["--app", "shop"]].concat();
    served.folder.run(&named).ok();
    let said = Folder::embedded().run_with(&named, &[("CONFAB_SECRET_KEY", KEY)]).ok();
    assert!(
        said.contains("No endpoint is registered"),
        "the key is accepted without a data folder: {said}"
    );
}

#[test]
fn without_data_or_server_commands_fail_with_advice_and_create_nothing() {
    let folder = Folder::embedded();
    let said = folder.run(&["trigger", "bot"]).failed(1);
    assert!(said.contains("there is no data in ./data"), "{said}");
    assert!(!folder.data().exists(), "no data folder is created");
    let address = NOBODY.trim_start_matches("http://").trim_end_matches('/');
    let environment =
        [("CONFAB_SECRET_KEY", KEY), ("CONFAB_APP_ID", "shop"), ("CONFAB_LISTEN", address)];
    for command in [&["listen"][..], &["trigger", "bot"], &["webhooks", "list"]] {
        let said = folder.run_with(command, &environment).failed(1);
        assert!(said.contains(&format!("no server listens at {NOBODY}; start it")), "{said}");
    }
}

/// Starts a TLS-terminating proxy before a server; returns its port.
async fn encrypted(server: String, made: rcgen::CertifiedKey<KeyPair>) -> u16 {
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let config = rustls::ServerConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .expect("a certificate");
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            // A client that does not trust the certificate disconnects.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut behind = TcpStream::connect(&server).await.expect("the server");
            copy_bidirectional(&mut stream, &mut behind).await.ok();
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_call_an_https_server_only_if_its_certificate_is_trusted() {
    let served = Served::start().await;
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    served.folder.write("roots.pem", &made.cert.pem());
    let port = encrypted(served.listen().1.to_owned(), made).await;
    let server = format!("https://localhost:{port}");
    let arguments = ["webhooks", "endpoints", "--server", &server];
    let roots = served.folder.path().join("roots.pem").display().to_string();
    let said = served.folder.run_with(&arguments, &[("SSL_CERT_FILE", &roots)]).ok();
    assert!(said.contains("No endpoint is registered"), "{said}");
    let said = served.folder.run(&arguments).failed(1);
    assert!(said.contains("did not respond: TLS"), "{said}");
}
