//! Kills right after a Meta webhook was accepted, and while messages are sent.

use std::collections::HashMap;

use reqwest::Method;
use serde_json::{Value, json};

use super::stage::{FB, now_ms};
use crate::support::caller::{Caller, sent};
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::stand_ins::graph_api::{APP_SECRET, GraphApi, PAGE, signature};
use crate::support::waiting::{until, until_so};

/// Number of kills: few, because on an engine for several nodes the lease of a killed node lasts 15
/// seconds.
const ROUNDS: i64 = 4;
const CUSTOMERS: i64 = 4;

/// Webhooks answered with 200 are stored; Meta repeats the others, and this test repeats all.
/// Messages that Meta accepted return as echoes.
#[tokio::test(flavor = "multi_thread")]
async fn accepted_webhooks_survive_kills_and_repeated_ones_post_nothing_twice() {
    let graph = GraphApi::start().await;
    let folder = Folder::with_app().await;
    let environment = [("CONFAB_MESSENGER_API_URL", graph.base.as_str())];
    let mut server = folder.serve_with(&[], &environment);
    let office = Office::of(&server.shop());
    let made = office.post("/api/v2/fb/connect", FB.connecting(&graph.token())).await.data();
    let channel = made["fb_channel"]["id"].clone();
    let path = format!("/api/v2/hooks/fb/{channel}");
    let began = now_ms();
    let bring_all = async |to: &Caller, elements: &[Value]| {
        let body = FB.webhook(elements).to_string();
        let request = to.bare(Method::POST, &path);
        let request = request.header("x-hub-signature-256", signature(APP_SECRET, &body));
        assert_eq!(sent(request.body(body)).await.status, 200);
    };
    let bring = async |to: &Caller, round: i64| {
        let said = |customer: i64| {
            let mid = format!("m_{round}_{customer}");
            let text = format!("message {round} of {customer}");
            json!({"sender": {"id": (600 + customer).to_string()}, "recipient": {"id": PAGE},
                "timestamp": began + round, "message": {"mid": mid, "text": text}})
        };
        let all: Vec<_> = (0..CUSTOMERS).map(said).collect();
        bring_all(to, &all).await;
    };
    let mut answered = 0;
    for round in 0..ROUNDS {
        let shop = server.shop();
        bring(&shop, round).await;
        // Kills alternate: while events are handled, and while messages are sent.
        if round % 2 == 1 {
            let office = Office::of(&shop);
            for customer in 0..CUSTOMERS {
                let room = async || room_of(&office, 600 + customer).await;
                let room = until("there is a room", room).await;
                let body = json!({"sender_email": "shop_admin@x", "room_id": room,
                    "message": format!("answer {round} to {customer}")});
                answered += usize::from(office.post("/shop/bot", body).await.status == 200);
            }
            until_so("some messages are sent", async || !graph.said().is_empty()).await;
        }
        server.kill();
        server = folder.serve_with(&[], &environment);
        bring(&server.shop(), round).await;
    }
    let shop = server.shop();
    let office = Office::of(&shop);
    let mut echoed = 0;
    until_so("no delivery is waiting", async || {
        for said in graph.said().into_iter().skip(echoed) {
            let message = json!({"mid": said.id, "is_echo": true, "metadata": said.metadata(),
                "text": said.message()["text"]});
            let echo = json!({"sender": {"id": PAGE}, "recipient": said.body["recipient"],
                "timestamp": now_ms(), "message": message});
            bring_all(&shop, &[echo]).await;
            echoed += 1;
        }
        let waiting = office.get("/api/v2/webhooks/deliveries", &[("standing", "waiting")]).await;
        waiting.data()["deliveries"].as_array().is_some_and(Vec::is_empty)
    })
    .await;
    let (mut lost, mut twice, mut out_of_order) = (0, 0, 0);
    for customer in 0..CUSTOMERS {
        let expected: Vec<_> =
            (0..ROUNDS).map(|round| format!("message {round} of {customer}")).collect();
        let room = room_of(&office, 600 + customer).await.expect("a room");
        let mut said = office.caller.texts(&room).await;
        said.reverse();
        said.retain(|it| it.starts_with("message"));
        lost += expected.iter().filter(|it| !said.contains(it)).count();
        twice += said.len().saturating_sub(expected.len());
        out_of_order += usize::from(said != expected);
    }
    let mut times: HashMap<String, usize> = HashMap::new();
    for text in graph.texts() {
        *times.entry(text).or_default() += 1;
    }
    let unsent = answered.saturating_sub(times.len());
    let repeated: usize = times.values().map(|count| count - 1).sum();
    println!(
        "{ROUNDS} kills: lost {lost}, twice {twice}, out of order {out_of_order}; {answered} \
         answers: lost {unsent}, repeated {repeated}"
    );
    assert_eq!((lost, twice, out_of_order, unsent), (0, 0, 0, 0));
    assert_eq!(repeated, 0, "an echo confirms a message accepted before a kill");
}

async fn room_of(office: &Office, customer: i64) -> Option<String> {
    let listed = office.get("/api/v2/customer_rooms", &[("limit", "50")]).await.json();
    let rooms = listed["data"]["customer_rooms"].as_array()?.clone();
    let user = format!("fb-{customer}");
    let found = rooms.iter().find(|it| it["user_id"] == user.as_str())?;
    found["room_id"].as_str().map(str::to_owned)
}
