//! Many customers at once: hanging media delay no other customer; each message is posted once and
//! each state is correct with webhooks in any order and number.

use std::collections::HashMap;

use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};

use super::stage::{WhatsappStage, now_s, webhook};
use crate::support::stand_ins::graph_api::HUNG;

/// A deterministic random number generator.
struct Dice(u64);

impl Dice {
    /// Returns a number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last + 1));
        }
    }
}

fn number(customer: usize) -> String {
    format!("62810{customer:06}")
}

/// Returns a customer's message as part of a webhook.
fn message(customer: usize, id: &str, mut content: Value) -> Value {
    content["id"] = json!(id);
    content["from"] = json!(number(customer));
    content["timestamp"] = json!(now_s().to_string());
    content
}

fn text(customer: usize, place: usize) -> Value {
    let body = format!("message {place} of {customer}");
    let id = format!("wamid.in.{customer}.{place}");
    message(customer, &id, json!({"type": "text", "text": {"body": body}}))
}

fn status(id: &str, tag: &str, to: &str, word: &str) -> Value {
    let mut status = json!({"id": id, "status": word, "timestamp": now_s().to_string(),
        "recipient_id": to, "biz_opaque_callback_data": tag});
    if word == "failed" {
        status["errors"] = json!([{"code": 131_026, "title": "cannot be delivered"}]);
    }
    status
}

impl WhatsappStage {
    async fn post_webhooks(&self, webhooks: &[Value], at_once: usize) {
        let brought =
            stream::iter(webhooks).map(|it| self.post_webhook(it)).buffer_unordered(at_once);
        let refused = brought.filter(|it| std::future::ready(it.status != 200)).count().await;
        assert_eq!(refused, 0, "Meta would repeat the webhook");
    }

    /// Waits until each of the customers has a room; returns the rooms by number.
    async fn rooms_of_all(&self, count: usize) -> HashMap<String, String> {
        let mut rooms = HashMap::new();
        for customer in 0..count {
            let number = number(customer);
            let room = self.room_of(&number).await;
            rooms.insert(number, room);
        }
        rooms
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_media_delay_no_other_customer_and_keep_their_own_order() {
    const HANGING: usize = 1_000;
    const OTHERS: usize = 200;
    /// More than run at once for one channel.
    const AT_LEAST: usize = 100;
    let stage = WhatsappStage::start().await;
    let of = |customer: usize| {
        let image = json!({"type": "image", "image": {"id": format!("{HUNG}{customer}"),
            "mime_type": "image/jpeg"}});
        let id = format!("wamid.image.{customer}");
        [message(customer, &id, image), text(customer, 1)]
    };
    let hanging: Vec<_> = (0..HANGING).map(of).collect();
    let some = |it: &[[Value; 2]]| webhook(json!({"messages": it.concat()}));
    let hanging: Vec<_> = hanging.chunks(50).map(some).collect();
    stage.post_webhooks(&hanging, 1).await;
    stage.graph.hang(AT_LEAST).await;
    let others: Vec<_> = (HANGING..HANGING + OTHERS)
        .map(|customer| webhook(json!({"messages": [text(customer, 1), text(customer, 2)]})))
        .collect();
    stage.post_webhooks(&others, 20).await;
    let mut received = 0;
    for customer in HANGING..HANGING + OTHERS {
        let room = stage.room_of(&number(customer)).await;
        let said = stage.wait_for_texts(&room, 2).await;
        received += usize::from(said == [1, 2].map(|it| format!("message {it} of {customer}")));
    }
    let still = stage.graph.hung();
    stage.graph.release();
    let (mut lost, mut twice, mut out_of_order) = (0, 0, 0);
    for customer in 0..HANGING {
        let room = stage.room_of(&number(customer)).await;
        let said = stage.wait_for_texts(&room, 2).await;
        lost += 2_usize.saturating_sub(said.len());
        twice += said.len().saturating_sub(2);
        let expected = format!("message 1 of {customer}");
        out_of_order += usize::from(said.last() != Some(&expected));
    }
    println!(
        "{HANGING} customers whose media hang: {received} of {OTHERS} others were received \
         meanwhile, {still} still hung then; of theirs lost {lost}, twice {twice}, out of order \
         {out_of_order}"
    );
    assert_eq!((received, lost, twice, out_of_order), (OTHERS, 0, 0, 0));
    assert!(still > 0, "some media still hang when the others are received");
}

/// Returns the statuses that Meta sends for a message, and its final state.
fn fate(customer: usize) -> (&'static [&'static str], &'static str) {
    match customer % 10 {
        0 => (&["sent", "failed"], "failed"),
        // A delivered message can no longer fail.
        1 => (&["sent", "delivered", "failed"], "delivered"),
        2 => (&["sent", "delivered"], "delivered"),
        3 => (&["read"], "read"),
        _ => (&["sent", "delivered", "read"], "read"),
    }
}

/// Delivers every webhook three times. First deliveries of one customer's messages are in order, as
/// with Meta; everything else is shuffled.
async fn shuffled(customers: usize, messages: usize) {
    let stage = WhatsappStage::start().await;
    let mut dice = Dice(17);
    let mut events = 0;
    let mut told: Vec<Value> = Vec::new();
    for place in 0..messages {
        let mut all: Vec<_> = (0..customers).map(|customer| text(customer, place)).collect();
        dice.shuffle(&mut all);
        events += all.len();
        let webhooks = all.chunks(20).map(|some| webhook(json!({"messages": some})));
        for webhook in webhooks {
            // Repetitions of this webhook and of an earlier one.
            let again = told.get(dice.below(told.len() + 1)).cloned();
            let brought = [Some(webhook.clone()), again, Some(webhook.clone())];
            stage.post_webhooks(&brought.into_iter().flatten().collect::<Vec<_>>(), 1).await;
            told.push(webhook);
        }
    }
    dice.shuffle(&mut told);
    stage.post_webhooks(&told, 20).await;
    let rooms = stage.rooms_of_all(customers).await;
    for room in rooms.values() {
        stage.wait_for_texts(room, messages).await;
    }
    for room in rooms.values() {
        stage.post_as_bot(room, json!({"message": "the answer"})).await.data();
    }
    let sent = stage.graph.sends(customers).await;
    let mut statuses = Vec::new();
    for customer in 0..customers {
        let to = number(customer);
        let answer = sent.iter().find(|it| it.body["to"] == to.as_str()).expect("sent");
        let words = fate(customer).0.iter();
        let status = |word: &&str| status(&answer.id, &answer.tag(), &to, word);
        statuses.extend(words.map(status));
    }
    dice.shuffle(&mut statuses);
    events += statuses.len();
    let brought = |statuses: &[Value]| -> Vec<_> {
        statuses.chunks(20).map(|some| webhook(json!({"statuses": some}))).collect()
    };
    // After a message arrived, Meta can only report a failure. Repetitions arrive in any order.
    let (failed, rising): (Vec<_>, Vec<_>) =
        statuses.iter().cloned().partition(|it| it["status"] == "failed");
    for some in [rising, failed] {
        stage.post_webhooks(&brought(&some), 20).await;
    }
    for _ in 0..2 {
        dice.shuffle(&mut statuses);
        stage.post_webhooks(&brought(&statuses), 20).await;
    }
    stage.wait_until_delivered().await;
    let (mut lost, mut twice, mut out_of_order, mut wrong) = (0, 0, 0, 0);
    for customer in 0..customers {
        let room = &rooms[&number(customer)];
        let said = stage.wait_for_texts(room, 0).await;
        let theirs: Vec<_> = said.iter().filter(|it| *it != "the answer").collect();
        let expected: Vec<_> =
            (0..messages).map(|place| format!("message {place} of {customer}")).collect();
        let missing = expected.iter().filter(|it| !theirs.contains(it)).count();
        lost += missing;
        twice += (theirs.len() + missing).saturating_sub(messages);
        out_of_order += usize::from(!theirs.iter().map(|it| it.as_str()).is_sorted_by_key(place));
        let state = stage.status(room, "the answer").await;
        wrong += usize::from(state["state"] != fate(customer).1);
    }
    println!(
        "{events} events of {customers} customers, each webhook three times: lost {lost}, twice \
         {twice}, out of order {out_of_order}, wrong state {wrong}"
    );
    assert_eq!((lost, twice, out_of_order, wrong), (0, 0, 0, 0));
}

/// Returns the position of a message, parsed from its text.
fn place(text: &str) -> usize {
    text.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a place")
}

#[tokio::test(flavor = "multi_thread")]
async fn shuffled_and_repeated_webhooks_lose_and_repeat_nothing() {
    shuffled(100, 8).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes: make test-long"]
async fn ten_thousand_shuffled_and_repeated_events_lose_and_repeat_nothing() {
    shuffled(500, 18).await;
}
