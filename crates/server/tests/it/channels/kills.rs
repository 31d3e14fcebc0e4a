//! Repeated kills between event and message, and between send and record.

use std::collections::HashMap;
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use super::telegram::stage::connect;
use super::whatsapp::stage::{connecting, message_webhook, status};
use crate::support::caller::{Caller, sent};
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::stand_ins::bot_api::BotApi;
use crate::support::stand_ins::graph_api::{APP_SECRET, GraphApi, GraphScript, signature};
use crate::support::waiting::{until, until_so};

/// Number of kills: few, because on an engine for several nodes the lease of a killed node lasts 15
/// seconds.
const ROUNDS: usize = 4;
const CUSTOMERS: i64 = 4;

#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_no_telegram_message_and_repeat_only_sends_in_flight() {
    let bot = BotApi::start().await;
    let folder = Folder::with_app().await;
    let environment = [("CONFAB_TELEGRAM_API_URL", bot.base.as_str())];
    let mut server = folder.serve_with(&[], &environment);
    let channel = connect(&Office::of(&server.shop()), &bot.token()).await;
    let (mut written, mut answered) = (0, 0);
    for round in 0..ROUNDS {
        let office = Office::of(&server.shop());
        for customer in 0..CUSTOMERS {
            bot.writes(100 + customer, &format!("message {round} of {customer}"));
            written += 1;
        }
        // Kills alternate: while events are handled, and while messages are sent.
        if round % 2 == 1 {
            for customer in 0..CUSTOMERS {
                let room = async || room_of(&office, 100 + customer).await;
                let room = until("there is a room", room).await;
                let body = json!({"sender_email": "shop_admin@x", "room_id": room,
                    "message": format!("answer {round} to {customer}")});
                if office.post("/shop/bot", body).await.status == 200 {
                    answered += 1;
                }
            }
            until_so("some messages are sent", async || !bot.sent().is_empty()).await;
        }
        server.kill();
        server = folder.serve_with(&[], &environment);
    }
    let office = Office::of(&server.shop());
    let health = format!("/api/v2/channels/{channel}/health");
    until_so("no delivery is waiting", async || {
        let waiting = office.get("/api/v2/webhooks/deliveries", &[("standing", "waiting")]).await;
        let waits = waiting.data()["deliveries"].as_array().is_some_and(|it| !it.is_empty());
        !waits && office.get(&health, &[]).await.data()["health"]["waiting"] == 0
    })
    .await;
    let (mut lost, mut twice, mut out_of_order) = (0, 0, 0);
    for customer in 0..CUSTOMERS {
        let expected: Vec<_> =
            (0..ROUNDS).map(|round| format!("message {round} of {customer}")).collect();
        let said = async || {
            let room = room_of(&office, 100 + customer).await?;
            let mut texts = office.caller.texts(&room).await;
            texts.reverse();
            texts.retain(|it| it.starts_with("message"));
            Some(texts).filter(|it| it.len() >= ROUNDS)
        };
        let said = until("all messages are posted", said).await;
        lost += expected.iter().filter(|it| !said.contains(it)).count();
        twice += said.len().saturating_sub(ROUNDS);
        out_of_order += usize::from(said != expected);
    }
    let mut times: HashMap<String, usize> = HashMap::new();
    for call in bot.sent() {
        *times.entry(call.body["text"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
    }
    let unsent = usize::saturating_sub(answered, times.len());
    let repeated: usize = times.values().map(|count| count - 1).sum();
    println!(
        "{ROUNDS} kills, {written} messages: lost {lost}, twice {twice}, out of order \
         {out_of_order}; {answered} answers: lost {unsent}, repeated {repeated}"
    );
    assert_eq!((lost, twice, out_of_order, unsent), (0, 0, 0, 0));
    assert!(repeated <= ROUNDS * CUSTOMERS as usize, "only sends in flight at a kill are repeated");
}

async fn room_of(office: &Office, chat: i64) -> Option<String> {
    room_of_user(office, &format!("telegram-{chat}")).await
}

async fn room_of_user(office: &Office, user: &str) -> Option<String> {
    let listed = office.get("/api/v2/customer_rooms", &[("limit", "50")]).await.json();
    let rooms = listed["data"]["customer_rooms"].as_array()?.clone();
    let found = rooms.iter().find(|it| it["user_id"] == user)?;
    found["room_id"].as_str().map(str::to_owned)
}

/// Kills the program after WhatsApp accepted each message but before the response. The status then
/// names the message, so that it is not sent again.
#[tokio::test(flavor = "multi_thread")]
async fn a_whatsapp_message_that_was_accepted_before_a_kill_is_sent_once() {
    const KILLS: usize = 6;
    let graph = GraphApi::start().await;
    let folder = Folder::with_app().await;
    let environment = [("CONFAB_WHATSAPP_API_URL", graph.base.as_str())];
    let mut server = folder.serve_with(&[], &environment);
    let office = Office::of(&server.shop());
    let made = office.post("/api/v2/wa/connect", connecting(&graph.token())).await.data();
    let path = format!("/api/v2/hooks/wa/{}", made["wa_channel"]["id"]);
    let bring = async |to: &Caller, webhook: Value| {
        let body = webhook.to_string();
        let request = to.bare(Method::POST, &path);
        let request = request.header("x-hub-signature-256", signature(APP_SECRET, &body));
        assert_eq!(sent(request.body(body)).await.status, 200);
    };
    for kill in 0..KILLS {
        let shop = server.shop();
        let (office, customer) = (Office::of(&shop), format!("62812345678{kill}"));
        let hello = json!({"id": format!("wamid.in.{kill}"), "type": "text",
            "text": {"body": "hello"}, "from": customer});
        bring(&shop, message_webhook(hello)).await;
        let room = async || room_of_user(&office, &customer).await;
        let room = until("there is a room", room).await;
        graph.script(GraphScript::Held(Arc::default()));
        for text in [format!("killed {kill}"), format!("next {kill}")] {
            let body = json!({"sender_email": "shop_admin@x", "room_id": room, "message": text});
            assert_eq!(office.post("/shop/bot", body).await.status, 200);
        }
        let text = format!("killed {kill}");
        let accepted = async || {
            let mut all = graph.sent().into_iter();
            all.find(|it| it.body["text"]["body"] == text.as_str())
        };
        let accepted = until("WhatsApp accepts the message", accepted).await;
        server.kill();
        server = folder.serve_with(&[], &environment);
        bring(&server.shop(), status(&accepted.id, Some(&accepted.tag()), "sent", None)).await;
    }
    let office = Office::of(&server.shop());
    until_so("no delivery is waiting", async || {
        let waiting = office.get("/api/v2/webhooks/deliveries", &[("standing", "waiting")]).await;
        waiting.data()["deliveries"].as_array().is_some_and(Vec::is_empty)
    })
    .await;
    for kill in 0..KILLS {
        let expected = [format!("killed {kill}"), format!("next {kill}")];
        assert_eq!(graph.texts_to(&format!("62812345678{kill}")), expected, "once, and in order");
    }
}
