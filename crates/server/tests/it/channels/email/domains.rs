//! The operator assigns mail domains to apps: through the shared LMTP listener, no app receives
//! mails for another app's domain (design/channels).

use confab_test_servers::mail::{LmtpClient, SmtpServer};
use serde_json::{Value, json};

use super::stage::{ANA, EmailStage, PASSWORD, connect, without_mailbox};
use crate::support::answer::{Answer, items};
use crate::support::engine;
use crate::support::office::Office;
use crate::support::process::{Confab, Folder};
use crate::support::test_server::{TestServer, create_app};
use crate::support::waiting::until;

const DOMAINS: &str = "shop.example=shop, Rival.example=rival";

/// Starts a server with two apps, and an SMTP server for both.
async fn two_apps(domains: &str) -> (TestServer, Office, Office, SmtpServer) {
    let settings = [("lmtp_listen", "127.0.0.1:0"), ("lmtp_domains", domains)];
    let server = TestServer::start_with(&settings).await;
    let rival = Office::of(&server.create_app("rival").await);
    let shop = Office::of(&server);
    (server, shop, rival, SmtpServer::start(PASSWORD))
}

fn deliver_by_lmtp(server: &TestServer, to: &str) -> String {
    let port = server.lmtp.expect("the LMTP listener accepts connections").port();
    deliver_by_lmtp_at(port, to)
}

fn deliver_by_lmtp_at(port: u16, to: &str) -> String {
    let mut client = LmtpClient::connect(port).expect("the LMTP listener accepts connections");
    let mail = format!("From: {ANA}\nTo: {to}\nSubject: to {to}\n\nhello\n");
    client.hand_over(ANA, &[to], &mail).expect("answers").remove(0)
}

/// A channel that only prints its mails, with an IMAP server that is never contacted.
fn printed_mailbox(address: &str, smtp: &SmtpServer) -> Value {
    let mut body = without_mailbox(address, smtp);
    body["imap_host"] = json!("127.0.0.1");
    body["base_url"] = json!("log:");
    body
}

fn printed(address: &str, smtp: &SmtpServer) -> Value {
    let mut body = without_mailbox(address, smtp);
    body["base_url"] = json!("log:");
    body
}

/// Waits until an app has customer rooms, and returns them.
async fn rooms(office: &Office) -> Vec<Value> {
    let found = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        Some(items(&listed["data"]["customer_rooms"]).to_vec()).filter(|it| !it.is_empty())
    };
    until("a customer has written", found).await
}

fn refused_for_its_domain(answer: Answer) {
    let refused = answer.errors(400, "invalid_request");
    refused.says("is not assigned to this app");
    refused.says("lmtp_domains");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_can_connect_only_addresses_of_its_own_domains() {
    let (server, shop, rival, smtp) = two_apps(DOMAINS).await;
    let address = "help@shop.example";
    for body in [without_mailbox(address, &smtp), printed(address, &smtp)] {
        refused_for_its_domain(connect(&rival, body).await);
    }
    // Domains of no app, and domains that only resemble the app's.
    for other in ["help@elsewhere.example", "help@sub.rival.example", "help@rival.example.net"] {
        refused_for_its_domain(connect(&rival, without_mailbox(other, &smtp)).await);
        refused_for_its_domain(connect(&shop, without_mailbox(other, &smtp)).await);
    }
    // A mailbox elsewhere does not prove ownership of the address.
    connect(&rival, printed_mailbox(address, &smtp)).await.data();
    let answer = deliver_by_lmtp(&server, address);
    assert!(answer.starts_with("550"), "{answer}");
    connect(&shop, without_mailbox(address, &smtp)).await.data();
    connect(&rival, without_mailbox("help@rival.example", &smtp)).await.data();
    for to in [address, "help+7@shop.example", "HELP@RIVAL.example"] {
        let answer = deliver_by_lmtp(&server, to);
        assert!(answer.starts_with("250"), "{to}: {answer}");
    }
    for (office, domain) in [(&shop, "shop.example"), (&rival, "rival.example")] {
        let rooms = rooms(office).await;
        assert_eq!(rooms.len(), 1, "{rooms:?}");
        let room = rooms[0]["room_id"].as_str().expect("an id");
        let said = office.caller.texts(room).await;
        assert!(said.iter().all(|it| it.to_lowercase().contains(domain)), "{said:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_two_apps_unassigned_domains_are_refused_and_existing_channels_work() {
    let stage = EmailStage::handed_over(&[]).await;
    let path = format!("/api/v2/email/connect/{}/update", stage.channel);
    let rival = Office::of(&stage.server.create_app("rival").await);
    let other = stage.address.replace("help", "sales");
    for office in [&rival, &stage.office] {
        refused_for_its_domain(connect(office, without_mailbox(&other, &stage.smtp)).await);
    }
    refused_for_its_domain(connect(&rival, without_mailbox(&stage.address, &stage.smtp)).await);
    connect(&rival, printed_mailbox(&other, &stage.smtp)).await.data();
    let answer = deliver_by_lmtp(&stage.server, &other);
    assert!(answer.starts_with("550"), "{answer}");
    // The channel was connected while there was only one app.
    let answer = deliver_by_lmtp(&stage.server, &stage.address);
    assert!(answer.starts_with("250"), "{answer}");
    stage.room_of(ANA).await;
    stage.office.post(&path, json!({"password": PASSWORD})).await.data();
    let check = format!("/api/v2/channels/{}/check", stage.channel);
    let checked = stage.office.post(&check, json!({})).await.data();
    assert_eq!(checked["health"]["state"], "ok", "{checked}");
}

/// Returns the port at which a process receives mails.
fn lmtp_port(server: &Confab) -> u16 {
    let line = server.log.wait_for("listening for LMTP");
    let port = line.rsplit(':').next().and_then(|it| it.trim().parse().ok());
    port.unwrap_or_else(|| panic!("a port in {line}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn assigning_a_domain_moves_its_address_to_the_assigned_app() {
    let smtp = SmtpServer::start(PASSWORD);
    let folder = Folder::with_app().await;
    let listen = ["--lmtp-listen", "127.0.0.1:0"];
    let address = "help@rival.example";
    let server = folder.serve_with(&listen, &[]);
    let shop = Office::of(&server.shop());
    let made = connect(&shop, without_mailbox(address, &smtp)).await.data();
    let channel = made["email_channel"]["id"].as_i64().expect("an id");
    server.kill();
    let secret = create_app(&mut engine::registry(&folder.location()).await, "rival").await;
    // At the upgrade no mail is lost, and the operator is warned.
    let server = folder.serve_with(&listen, &[]);
    let warned = server.log.wait_for("that no app owns");
    assert!(!warned.contains('@'), "the warning contains no address: {warned}");
    assert!(deliver_by_lmtp_at(lmtp_port(&server), address).starts_with("250"));
    server.kill();
    let assigned =
        [&listen[..], &["--lmtp-domains", "rival.example=rival,x.example=gone"]].concat();
    let server = folder.serve_with(&assigned, &[]);
    server.log.wait_for("names an app that does not exist");
    let port = lmtp_port(&server);
    let answer = deliver_by_lmtp_at(port, address);
    assert!(answer.starts_with("550"), "{answer}");
    let shop = Office::of(&server.shop());
    let checked = shop.post(&format!("/api/v2/channels/{channel}/check"), json!({})).await.data();
    assert_eq!(checked["health"]["state"], "misconfigured", "{checked}");
    let reason = checked["health"]["reason"].as_str().expect("a reason");
    assert!(reason.contains("is not assigned to this app"), "{reason}");
    let rival = Office::of(&server.caller("rival", &secret));
    connect(&rival, without_mailbox(address, &smtp)).await.data();
    assert!(deliver_by_lmtp_at(port, address).starts_with("250"));
    assert_eq!(rooms(&rival).await.len(), 1);
}
