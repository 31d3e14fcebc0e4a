//! The customer's side of a day: a custom channel, or one of the providers.

use std::sync::atomic::{AtomicUsize, Ordering};

use confab_test_servers::mail::{LmtpClient, SmtpServer};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::caller::sent;
use crate::support::stand_ins::bot_api::BotApi;
use crate::support::stand_ins::graph_api::{self, APP_SECRET, GraphApi, IG_ACCOUNT, NUMBER, PAGE};
use crate::support::stand_ins::line_api::{self, LineApi};
use crate::support::test_server::TestServer;

const PHONE: &str = "6281234567890";
const CHAT: i64 = 77;
const LINE_USER: &str = "U4af4980629a1b2c3d4e5f60718293a4b";
const META_USER: &str = "4242424242";
const MAIL_USER: &str = "ana@customer.example";
const MAIL_ADDRESS: &str = "help@shop.example";
const MAIL_PASSWORD: &str = "a-password-of-the-mail-server";

/// The kind of channel that the customer uses, with the provider's stand-in.
pub enum Messenger {
    /// A third-party gateway.
    Custom,
    Telegram(BotApi),
    Whatsapp(GraphApi),
    Line(LineApi),
    /// A Facebook page.
    Facebook(GraphApi),
    Instagram(GraphApi),
    Email(SmtpServer),
}

impl Messenger {
    pub async fn telegram() -> Self {
        Self::Telegram(BotApi::start().await)
    }

    pub async fn whatsapp() -> Self {
        Self::Whatsapp(GraphApi::start().await)
    }

    pub async fn line() -> Self {
        let line = LineApi::start().await;
        line.add_name(LINE_USER, "Ana");
        Self::Line(line)
    }

    pub async fn facebook() -> Self {
        Self::Facebook(meta().await)
    }

    pub async fn instagram() -> Self {
        Self::Instagram(meta().await)
    }

    /// Starts an SMTP server for a channel that receives mails by LMTP.
    pub fn email() -> Self {
        Self::Email(SmtpServer::start(MAIL_PASSWORD))
    }

    /// Returns the settings with which a server reaches the provider.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let reached = ("public_url", "https://confab.example".to_owned());
        match self {
            Self::Custom => Vec::new(),
            // The server polls Telegram.
            Self::Telegram(bot) => vec![("telegram_api_url", bot.base.clone())],
            Self::Whatsapp(graph) => vec![reached, ("whatsapp_api_url", graph.base.clone())],
            Self::Line(line) => vec![
                reached,
                ("line_api_url", line.base.clone()),
                ("line_data_url", line.base.clone()),
            ],
            Self::Facebook(graph) => vec![reached, ("messenger_api_url", graph.base.clone())],
            Self::Instagram(graph) => vec![reached, ("instagram_api_url", graph.base.clone())],
            Self::Email(_) => vec![("lmtp_listen", "127.0.0.1:0".to_owned())],
        }
    }

    /// Returns the provider's word in paths and the body that connects a channel; `None` for a
    /// custom channel.
    pub fn connecting(&self) -> Option<(&'static str, Value)> {
        let of_meta = |graph: &GraphApi, mut body: Value| {
            body["access_token"] = json!(graph.token());
            body["app_secret"] = json!(APP_SECRET);
            body
        };
        Some(match self {
            Self::Custom => return None,
            Self::Telegram(bot) => ("telegram", json!({"bot_token": bot.token()})),
            Self::Whatsapp(graph) => ("wa", of_meta(graph, json!({"phone_number_id": NUMBER}))),
            Self::Line(line) => {
                let secret_key = line_api::SECRET_KEY;
                ("line", json!({"access_token": line.token(), "secret_key": secret_key}))
            }
            Self::Facebook(graph) => ("fb", of_meta(graph, json!({"page_id": PAGE}))),
            Self::Instagram(graph) => ("ig", of_meta(graph, json!({}))),
            Self::Email(smtp) => {
                let body = json!({"address": MAIL_ADDRESS, "password": MAIL_PASSWORD,
                    "smtp_host": "127.0.0.1", "smtp_port": smtp.port(), "smtp_security": "none"});
                ("email", body)
            }
        })
    }

    /// Returns the customer's user id.
    pub fn user_id(&self) -> String {
        match self {
            Self::Custom | Self::Whatsapp(_) => PHONE.to_owned(),
            Self::Telegram(_) => format!("telegram-{CHAT}"),
            Self::Line(_) => format!("line-{LINE_USER}"),
            Self::Facebook(_) => format!("fb-{META_USER}"),
            Self::Instagram(_) => format!("ig-{META_USER}"),
            Self::Email(_) => MAIL_USER.to_owned(),
        }
    }

    /// Sends a customer's message through a channel of the server.
    pub async fn write(&self, server: &TestServer, channel: i64, text: &str) {
        static COUNT: AtomicUsize = AtomicUsize::new(1);
        let id = format!("day.{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let (hook, header, body) = match self {
            Self::Custom => panic!("a custom channel has no provider"),
            Self::Telegram(bot) => {
                bot.writes(CHAT, text);
                return;
            }
            Self::Email(_) => return hand_over(server, &id, text).await,
            Self::Line(line) => {
                let body = line_api::webhook(&[line.text(LINE_USER, text)]);
                ("line", "x-line-signature", body)
            }
            Self::Whatsapp(_) => {
                let now_s = (line_api::now_ms() / 1_000).to_string();
                let message = json!({"id": id, "from": PHONE, "type": "text", "timestamp": now_s,
                    "text": {"body": text}});
                let contact = json!({"profile": {"name": "Ana"}, "wa_id": PHONE});
                let value = json!({"messaging_product": "whatsapp", "contacts": [contact],
                    "metadata": {"phone_number_id": NUMBER}, "messages": [message]});
                let change = json!({"field": "messages", "value": value});
                let body = json!({"object": "whatsapp_business_account",
                    "entry": [{"id": "1", "changes": [change]}]});
                ("wa", "x-hub-signature-256", body)
            }
            Self::Facebook(_) => ("fb", "x-hub-signature-256", page("page", PAGE, &id, text)),
            Self::Instagram(_) => {
                ("ig", "x-hub-signature-256", page("instagram", IG_ACCOUNT, &id, text))
            }
        };
        let body = body.to_string();
        let proof = match self {
            Self::Line(_) => line_api::signature(line_api::SECRET_KEY, &body),
            _ => graph_api::signature(APP_SECRET, &body),
        };
        let request = server.bare(Method::POST, &format!("/api/v2/hooks/{hook}/{channel}"));
        let request = request.header(header, proof).header("content-type", "application/json");
        assert_eq!(sent(request.body(body)).await.status, 200);
    }

    /// Returns the texts that reached the customer, oldest first.
    pub fn received_texts(&self) -> Vec<String> {
        match self {
            Self::Custom => Vec::new(),
            Self::Telegram(bot) => bot.texts_to(CHAT),
            Self::Whatsapp(graph) => graph.texts_to(PHONE),
            Self::Line(line) => line.texts(),
            Self::Facebook(graph) | Self::Instagram(graph) => graph.texts(),
            Self::Email(smtp) => {
                let text = |mail: &String| {
                    let body = mail.replace("\r\n", "\n");
                    let body = body.split_once("\n\n").map(|(_, body)| body.trim().to_owned());
                    body.unwrap_or_default()
                };
                smtp.mails().iter().map(text).collect()
            }
        }
    }
}

async fn meta() -> GraphApi {
    let graph = GraphApi::start().await;
    graph.add_name(META_USER, json!({"first_name": "Ana", "last_name": "E", "name": "Ana E"}));
    graph
}

/// Returns a Meta webhook for a page or an Instagram account.
fn page(object: &str, account: &str, mid: &str, text: &str) -> Value {
    let now_ms = line_api::now_ms();
    let message = json!({"sender": {"id": META_USER}, "recipient": {"id": account},
        "timestamp": now_ms, "message": {"mid": mid, "text": text}});
    json!({"object": object, "entry": [{"id": account, "time": now_ms, "messaging": [message]}]})
}

async fn hand_over(server: &TestServer, id: &str, text: &str) {
    let port = server.lmtp.expect("the server accepts mail").port();
    let mail = format!("From: Ana <{MAIL_USER}>\nMessage-ID: <{id}@c.example>\n\n{text}\n");
    let handed_over = tokio::task::spawn_blocking(move || {
        let mut client = LmtpClient::connect(port).expect("the server listens");
        client.hand_over(MAIL_USER, &[MAIL_ADDRESS], &mail).expect("an answer")
    });
    let answers = handed_over.await.expect("joined");
    assert!(answers[0].starts_with("250"), "{answers:?}");
}
