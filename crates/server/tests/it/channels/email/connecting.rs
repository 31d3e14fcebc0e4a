//! Admins connect, change and delete mailboxes; only the last letters of passwords are shown.

use confab_test_servers::mail::{Certificate, Mailboxes, SmtpServer};
use serde_json::{Value, json};

use super::stage::{ANA, EmailStage, PASSWORD, connect, connecting, mailboxes, new_address};
use crate::support::answer::items;
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::waiting::until;

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_is_connected_shown_changed_and_deleted() {
    let stage = EmailStage::start().await;
    let id = stage.channel;
    let map = stage.office.get("/api/v2/channels", &[]).await.data();
    let record = items(&map["email_channels"])[0].clone();
    assert_eq!(
        (&record["address"], &record["name"], &record["password"], &record["imap_folder"]),
        (&json!(stage.address), &json!("Shop"), &json!("****1234"), &json!("INBOX")),
    );
    let one = stage.office.get(&format!("/api/v2/email/{id}"), &[]).await.data();
    assert_eq!(one["email_channel"], record);
    let page = stage.office.get("/api/v3/admin/channel/email", &[("limit", "5")]).await.json();
    assert_eq!(
        (&page["data"]["email_channels"], &page["meta"]["total_count"]),
        (&json!([record]), &json!(1))
    );
    let update = format!("/api/v2/email/connect/{id}/update");
    let body = json!({"name": "Our shop", "configs": {"online_message": "Hi!"}});
    let changed = stage.office.post(&update, body).await.data();
    assert_eq!(changed["email_channel"]["name"], "Our shop");
    let configs = stage.office.get(&format!("/api/v2/channels/{id}/configs"), &[]).await.data();
    assert_eq!(configs["configs"]["online_message"], "Hi!");
    let again = connect(&stage.office, connecting(&stage.address, &stage.smtp)).await;
    again.errors(409, "account_connected");
    stage.office.post(&format!("/api/v2/email/connect/{id}/delete"), json!({})).await.data();
    let gone = stage.office.get(&format!("/api/v2/email/{id}"), &[]).await;
    gone.errors(404, "channel_not_found");
    let hook = stage.server.bare(reqwest::Method::POST, &format!("/api/v2/hooks/email/{id}"));
    let status = crate::support::caller::sent(hook.body("{}")).await.status;
    assert!((400..500).contains(&status), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_do_not_open_the_mailbox_are_refused() {
    let stage = EmailStage::start().await;
    let with = |fields: Value| {
        let mut body = connecting(&new_address(), &stage.smtp);
        for (key, value) in fields.as_object().expect("an object") {
            body[key] = value.clone();
        }
        body
    };
    let wrong = connect(&stage.office, with(json!({"password": "wrong"}))).await;
    wrong.errors(400, "invalid_request").says("password");
    let body = with(json!({"smtp_password": "wrong"}));
    connect(&stage.office, body).await.errors(400, "invalid_request").says("SMTP");
    let body = with(json!({"imap_folder": "Nowhere"}));
    connect(&stage.office, body)
        .await
        .errors(400, "invalid_request")
        .says("mailbox does not exist");
    // A port with another protocol than IMAP, and one at which nothing listens.
    let body = with(json!({"imap_port": stage.smtp.port()}));
    connect(&stage.office, body).await.errors(400, "invalid_request").says("does not speak IMAP");
    let body = with(json!({"smtp_port": 1}));
    assert!((400..504).contains(&connect(&stage.office, body).await.status));
    for fields in [
        json!({"address": "no address"}),
        json!({"imap_host": "a/b"}),
        json!({"imap_security": "maybe"}),
        json!({"smtp_port": 0}),
    ] {
        let refused = connect(&stage.office, with(fields)).await;
        refused.errors(400, "invalid_request");
    }
    let update = format!("/api/v2/email/connect/{}/update", stage.channel);
    let body = json!({"imap_port": stage.smtp.port()});
    stage.office.post(&update, body).await.errors(400, "invalid_request");
    let listed = stage.office.get("/api/v2/channels", &[]).await.data();
    assert_eq!(items(&listed["email_channels"]).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_works_after_one_command_and_its_password_is_not_logged() {
    let smtp = SmtpServer::start(PASSWORD);
    let address = new_address();
    let folder = Folder::with_app().await;
    let server = folder.serve_with(&[], &[("CONFAB_LOG_LEVEL", "trace")]);
    folder.write("password", &format!("{PASSWORD}\n"));
    let (imap_port, smtp_port) = (mailboxes().imap_port().to_string(), smtp.port().to_string());
    let said = folder
        .run(&[
            "channels",
            "add",
            "email",
            "--address",
            &address,
            "--password-file",
            "password",
            "--imap-host",
            "127.0.0.1",
            "--imap-port",
            &imap_port,
            "--imap-security",
            "none",
            "--smtp-host",
            "127.0.0.1",
            "--smtp-port",
            &smtp_port,
            "--smtp-security",
            "none",
        ])
        .ok();
    assert!(said.contains(&address), "{said}");
    let id = said.split_whitespace().nth(1).expect("an id").to_owned();
    let checked = folder.run(&["channels", "check", &id]).ok();
    assert!(checked.starts_with("ok (received by imap)"), "{checked}");
    let from = ["trigger", "message", "--channel", &id, "--from", ANA, "--text", "by hand"];
    folder.run(&from).ok();
    let office = Office::of(&server.shop());
    let first = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        listed["data"]["customer_rooms"][0]["room_id"].as_str().map(str::to_owned)
    };
    let room = until("the message is in the inbox", first).await;
    let body = json!({"sender_email": "shop_admin@x", "room_id": room, "message": "an answer"});
    office.post("/shop/bot", body).await.data();
    until("the reply is sent", async || smtp.mails().pop()).await;
    assert!(folder.run(&["channels", "list"]).ok().contains(&address));
    folder.run(&["channels", "remove", &id]).ok();
    let log = server.log.text();
    assert!(!log.contains(PASSWORD) && !log.contains(&address) && !log.contains(ANA));
}

/// Both kinds of encryption, each with a trusted and an untrusted certificate.
#[tokio::test(flavor = "multi_thread")]
async fn connections_are_encrypted_and_certificates_checked() {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let (pem, key) = (own.cert.pem(), own.signing_key.serialize_pem());
    let certificate = Certificate { certificate: &pem, key: &key };
    let mailboxes = Mailboxes::start_encrypted(PASSWORD, certificate);
    let smtp = SmtpServer::start_encrypted(PASSWORD, certificate);
    let folder = Folder::with_app().await;
    folder.write("root.pem", &pem);
    let root = folder.path().join("root.pem").to_string_lossy().into_owned();
    let server = folder.serve_with(&[], &[("SSL_CERT_FILE", &root)]);
    let office = Office::of(&server.shop());
    let body = |host: &str, security: &str, port: u16| {
        json!({
            "address": new_address(), "password": PASSWORD,
            "imap_host": host, "imap_port": port, "imap_security": security,
            "smtp_host": host, "smtp_port": smtp.port(), "smtp_security": "starttls",
        })
    };
    for (security, port) in [("tls", mailboxes.imaps_port()), ("starttls", mailboxes.imap_port())] {
        connect(&office, body("localhost", security, port)).await.data();
        // The certificate names another host.
        let refused = connect(&office, body("127.0.0.1", security, port)).await;
        refused.errors(400, "invalid_request").says("TLS");
    }
}
