//! An app with a mailbox, its mail servers, and its staff.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use confab_domain::app::AppCode;
use confab_domain::ids::ChannelId;
use confab_domain::people::user::UserId;
use confab_test_servers::mail::{LmtpClient, Mailboxes, SmtpServer};
use serde_json::{Value, json};

use crate::support::answer::{Answer, items};
use crate::support::caller::Caller;
use crate::support::office::{Office, Worker};
use crate::support::test_server::TestServer;
use crate::support::waiting::{until, until_so};

pub const PASSWORD: &str = "a-password-of-the-mailbox-1234";
/// The customer of most tests.
pub const ANA: &str = "ana@customer.example";

/// Returns the dovecot server shared by all tests of this process; each test has its own mailbox.
pub fn mailboxes() -> &'static Mailboxes {
    static MAILBOXES: OnceLock<Mailboxes> = OnceLock::new();
    MAILBOXES.get_or_init(|| Mailboxes::start(PASSWORD))
}

/// Returns an address that no other test uses.
pub fn new_address() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    format!("help{}@shop.example", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Returns the request body that connects a mailbox.
pub fn connecting(address: &str, smtp: &SmtpServer) -> Value {
    json!({
        "address": address, "password": PASSWORD, "name": "Shop",
        "imap_host": "127.0.0.1", "imap_port": mailboxes().imap_port(), "imap_security": "none",
        "smtp_host": "127.0.0.1", "smtp_port": smtp.port(), "smtp_security": "none",
    })
}

/// Returns the request body that connects an address without a mailbox.
pub fn without_mailbox(address: &str, smtp: &SmtpServer) -> Value {
    json!({
        "address": address, "password": PASSWORD, "name": "Shop",
        "smtp_host": "127.0.0.1", "smtp_port": smtp.port(), "smtp_security": "none",
    })
}

pub struct EmailStage {
    pub server: TestServer,
    pub office: Office,
    pub smtp: SmtpServer,
    pub address: String,
    pub channel: i64,
}

impl EmailStage {
    pub async fn start() -> Self {
        let smtp = SmtpServer::start(PASSWORD);
        let server = TestServer::start_with(&[]).await;
        let (office, address) = (Office::of(&server), new_address());
        let made = connect(&office, connecting(&address, &smtp)).await.data();
        let channel = made["email_channel"]["id"].as_i64().expect("an id");
        let stage = Self { server, office, smtp, address, channel };
        stage.wait_until_read().await;
        stage
    }

    /// Starts an app with an address that receives mails by LMTP, without a mailbox.
    pub async fn handed_over(settings: &[(&str, &str)]) -> Self {
        let smtp = SmtpServer::start(PASSWORD);
        let settings = [settings, &[("lmtp_listen", "127.0.0.1:0")]].concat();
        let server = TestServer::start_with(&settings).await;
        let (office, address) = (Office::of(&server), new_address());
        let made = connect(&office, without_mailbox(&address, &smtp)).await.data();
        let channel = made["email_channel"]["id"].as_i64().expect("an id");
        Self { server, office, smtp, address, channel }
    }

    /// Connects a channel without a mailbox in another app; returns its address.
    pub async fn in_app(app: &Caller, smtp: &SmtpServer) -> String {
        let address = new_address();
        connect(&Office::of(app), without_mailbox(&address, smtp)).await.data();
        address
    }

    /// Connects to the server as a mail server that delivers by LMTP.
    pub fn mail_server(&self) -> LmtpClient {
        let address = self.server.lmtp.expect("LMTP is enabled");
        LmtpClient::connect(address.port()).expect("the LMTP listener accepts connections")
    }

    /// Waits until the channel has recorded its initial position in the mailbox.
    pub async fn wait_until_read(&self) {
        let found = async || {
            let account = self.server.store.service_account(ChannelId(self.channel)).await;
            Some(account.expect("read")).filter(|it| !it.setting("imap_place").is_empty())
        };
        until("the initial mailbox position is recorded", found).await;
    }

    /// Delivers a customer's mail with these headers.
    pub fn deliver_mail(&self, from: &str, headers: &str, text: &str) {
        let headers = if headers.is_empty() { String::new() } else { format!("{headers}\n") };
        let mail = format!("From: Ana <{from}>\nTo: {}\n{headers}\n{text}\n", self.address);
        mailboxes().deliver(from, &self.address, &mail);
    }

    /// Creates a customer's room with a question; returns the room.
    pub async fn with_room(&self, from: &str) -> String {
        self.deliver_mail(
            from,
            "Subject: Order 7\nMessage-ID: <1@customer.example>",
            "Where is it?",
        );
        let room = self.room_of(from).await;
        self.wait_for_texts(&room, 1).await;
        room
    }

    /// Waits until a customer has a room, and returns it.
    pub async fn room_of(&self, user_id: &str) -> String {
        let code = AppCode::parse(&self.server.code).expect("a code");
        let app = self.server.store.app(&code).await.expect("read").expect("an app").id;
        let user = UserId::parse("user_id", user_id).expect("valid");
        let found = async || {
            let channel = ChannelId(self.channel);
            let room = self.server.store.room_of_customer(app, channel, &user).await;
            room.expect("read").map(|it| it.room.to_string())
        };
        until("the customer has a room", found).await
    }

    /// Waits until a room has at least `count` messages; returns their texts, oldest first.
    pub async fn wait_for_texts(&self, room: &str, count: usize) -> Vec<String> {
        let texts = async || {
            let mut texts = self.server.texts(room).await;
            texts.reverse();
            Some(texts).filter(|texts| texts.len() >= count)
        };
        until(&format!("{count} messages are posted"), texts).await
    }

    pub async fn conversation(&self, room: &str) -> Vec<Value> {
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        let mut page = self.office.get(&path, &[("limit", "100")]).await.json();
        items(&page["data"]["comments"].take()).to_vec()
    }

    /// Waits until the message with this text has this state; returns its status.
    pub async fn wait_for_state(&self, room: &str, said: &str, state: &str) -> Value {
        let found = async || {
            let all = self.conversation(room).await;
            let message = all.into_iter().find(|it| it["message"] == said)?;
            let status = message["channel_status"].clone();
            Some(status).filter(|it| it["state"] == state)
        };
        until(&format!("{said} is {state}"), found).await
    }

    /// Posts an agent's reply to a customer.
    pub async fn post_reply(&self, by: &Worker, room: &str, message: &str) -> Value {
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        by.post(&path, json!({"message": message})).await.data()["comment"].take()
    }

    /// Posts a bot's message to a customer.
    pub async fn post_as_bot(&self, room: &str, message: &str) -> Answer {
        let body = json!({"sender_email": "shop_admin@x", "room_id": room, "message": message});
        self.office.post("/shop/bot", body).await
    }

    /// Waits until the SMTP server has received at least `count` mails.
    pub async fn mails(&self, count: usize) -> Vec<String> {
        let mails = async || Some(self.smtp.mails()).filter(|it| it.len() >= count);
        until("mails are sent", mails).await
    }

    /// Waits until no delivery is waiting.
    pub async fn wait_until_delivered(&self) {
        until_so("no delivery is waiting", async || {
            let query = [("standing", "waiting")];
            let listed = self.office.get("/api/v2/webhooks/deliveries", &query).await.data();
            items(&listed["deliveries"]).is_empty()
        })
        .await;
    }

    /// Returns the rooms of all customers, newest first.
    pub async fn rooms(&self) -> Vec<Value> {
        let mut listed = self.office.get("/api/v2/customer_rooms", &[]).await.json();
        items(&listed["data"]["customer_rooms"].take()).to_vec()
    }

    /// Waits until this many deliveries have failed for good.
    pub async fn given_up(&self, count: usize) -> Vec<Value> {
        let found = async || {
            let query = [("standing", "failed")];
            let listed = self.office.get("/api/v2/webhooks/deliveries", &query).await.data();
            let all = items(&listed["deliveries"]).to_vec();
            Some(all).filter(|it| it.len() >= count)
        };
        until("deliveries are given up", found).await
    }

    pub async fn health(&self) -> Value {
        let path = format!("/api/v2/channels/{}/health", self.channel);
        self.office.get(&path, &[]).await.data()["health"].take()
    }

    /// Waits until the channel's health has this state.
    pub async fn wait_for_health(&self, state: &str) -> Value {
        let found = async || Some(self.health().await).filter(|it| it["state"] == state);
        until(&format!("the channel is {state}"), found).await
    }
}

pub async fn connect(office: &Office, body: Value) -> Answer {
    office.post("/api/v2/email/connect", body).await
}

/// Returns the value of a single-line mail header, or an empty string.
pub fn header<'a>(mail: &'a str, name: &str) -> &'a str {
    let prefix = format!("{name}: ");
    mail.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap_or_default()
}
