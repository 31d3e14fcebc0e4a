//! Meta's webhooks are forwarded unchanged to a URL of the app (design/channels).

use confab_domain::webhooks::event_kind::EventKind;
use confab_test_servers::receiver::Receiver;
use confab_test_servers::receiver::Reply;
use serde_json::{Value, json};

use super::stage::{BUDI, WhatsappStage, connecting, message_webhook, status, webhook};
use crate::support::answer::items;
use crate::support::office::Office;
use crate::support::stand_ins::graph_api::{APP_SECRET, signature};

impl WhatsappStage {
    async fn change(&self, body: Value) -> Value {
        let path = format!("/api/v2/wa/connect/{}/update", self.channel);
        self.office.post(&path, body).await.data()["wa_channel"].take()
    }
}

fn text(id: &str, text: &str) -> Value {
    message_webhook(json!({"id": id, "type": "text", "text": {"body": text}}))
}

#[tokio::test]
async fn messages_and_statuses_are_forwarded_byte_for_byte_and_signed() {
    let stage = WhatsappStage::start().await;
    let target = Receiver::start().await;
    let record = stage.change(json!({"forward_url": target.url})).await;
    assert_eq!(
        (&record["forward_url"], &record["forward_enabled"]),
        (&json!(target.url), &json!(true))
    );
    // Whitespace and escapes are preserved.
    let body = text("wamid.1", "hello").to_string();
    let body = body.replace(':', " : ").replace("hello", "h\\u00e9");
    let proof = signature(APP_SECRET, &body);
    let path = format!("wa/{}", stage.channel);
    assert_eq!(stage.post_webhook_with(&path, &proof, body.clone()).await.status, 200);
    let letter = target.next().await;
    assert_eq!(letter.text(), body);
    letter.check_signature("secret-key-of-shop");
    let room = stage.room_of(BUDI).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["h\u{e9}"]);
    let told = status("wamid.elsewhere", None, "delivered", None);
    stage.post_webhook(&told).await;
    assert_eq!(target.next().await.json(), told);
    assert_eq!(stage.deliveries(EventKind::ChannelForward).await.len(), 2);
    let forged =
        stage.post_webhook_with(&path, "sha256=00", text("wamid.2", "x").to_string()).await;
    assert_eq!(forged.status, 403);
    stage.wait_until_delivered().await;
    assert!(!target.has_more(), "a forged webhook is not forwarded");
}

#[tokio::test]
async fn a_hanging_forwarding_target_delays_no_message_and_gets_all_later() {
    let stage = WhatsappStage::start().await;
    let target = Receiver::replying(|_| Reply::status(200).once_released()).await;
    stage.change(json!({"forward_url": target.url, "forward_enabled": true})).await;
    for number in 1..=3 {
        stage.writes(&format!("wamid.{number}"), &number.to_string()).await;
    }
    let room = stage.room_of(BUDI).await;
    assert_eq!(stage.wait_for_texts(&room, 3).await, ["1", "2", "3"]);
    let admin = stage.admin().await;
    stage.post_reply(&admin, &room, "answered meanwhile").await;
    stage.wait_for_state(&room, "answered meanwhile", "sent").await;
    target.release();
    target.sees_in_all(3).await;
}

#[tokio::test]
async fn forwarding_stops_when_it_or_its_channel_is_off_and_when_its_url_is_cleared() {
    let stage = WhatsappStage::start().await;
    let target = Receiver::start().await;
    let record = stage.change(json!({"forward_url": target.url, "forward_enabled": false})).await;
    assert_eq!(
        (&record["forward_url"], &record["forward_enabled"]),
        (&json!(target.url), &json!(false))
    );
    stage.writes("wamid.1", "1").await;
    stage.wait_until_delivered().await;
    stage.change(json!({"forward_enabled": true})).await;
    stage.change(json!({"is_active": false})).await;
    stage.writes("wamid.2", "2").await;
    stage.change(json!({"is_active": true, "name": "Renamed"})).await;
    stage.writes("wamid.3", "3").await;
    assert!(target.next().await.text().contains("wamid.3"));
    let record = stage.change(json!({"forward_url": ""})).await;
    assert_eq!((&record["forward_url"], &record["forward_enabled"]), (&Value::Null, &json!(false)));
    stage.writes("wamid.4", "4").await;
    stage.wait_until_delivered().await;
    assert!(!target.has_more());
}

#[tokio::test]
async fn only_admins_set_the_forwarding_url_and_only_to_allowed_addresses() {
    let stage = WhatsappStage::start().await;
    let path = format!("/api/v2/wa/connect/{}/update", stage.channel);
    for url in ["ftp://a.example/", "http://169.254.169.254/", "nonsense", "file:///etc/passwd"] {
        let refused = stage.office.post(&path, json!({"forward_url": url})).await;
        let told = refused.errors(400, "invalid_request").message;
        assert!(told.starts_with("forward_url"), "{url}: {told}");
    }
    let mut fields = connecting(&stage.graph.token());
    fields["forward_url"] = json!("http://169.254.169.254/");
    stage.office.post("/api/v2/wa/connect", fields).await.errors(400, "invalid_request");
    let body = json!({"forward_url": "https://spy.example/"});
    for role in ["agent", "supervisor"] {
        let by = stage.office.hire(role, role).await;
        by.post(&path, body.clone()).await.errors(403, "forbidden");
    }
    let rival = Office::of(&stage.server.create_app("rival").await);
    rival.post(&path, body.clone()).await.errors(404, "channel_not_found");
    let endpoint = json!({"url": "https://spy.example/", "is_enabled": true});
    let taken = "/api/v2/webhooks/endpoints/channel_forward";
    let refused = stage.office.call(reqwest::Method::PUT, taken, endpoint).await;
    assert!([400, 404, 409].contains(&refused.status), "{}", refused.text);
    let all = stage.office.get("/api/v2/webhooks/endpoints", &[]).await.data();
    assert!(items(&all["endpoints"]).iter().all(|it| it["kind"] != "channel_forward"));
}

#[tokio::test]
async fn only_the_channels_own_part_of_a_shared_webhook_is_forwarded() {
    let stage = WhatsappStage::start().await;
    let target = Receiver::start().await;
    stage.change(json!({"forward_url": target.url})).await;
    let mut both = text("wamid.ours", "ours");
    let other = webhook(json!({"metadata": {"phone_number_id": "9"}, "messages": [
        {"id": "wamid.theirs", "from": "629", "type": "text", "text": {"body": "theirs"},
            "timestamp": "1"}]}));
    both["entry"].as_array_mut().expect("entries").push(other["entry"][0].clone());
    let body = both.to_string();
    let proof = signature(APP_SECRET, &body);
    let path = format!("meta/{}", stage.server.code);
    assert_eq!(stage.post_webhook_with(&path, &proof, body).await.status, 200);
    let letter = target.next().await;
    assert!(letter.text().contains("wamid.ours") && !letter.text().contains("theirs"));
    let whole = text("wamid.whole", "whole").to_string();
    let proof = signature(APP_SECRET, &whole);
    stage.post_webhook_with(&path, &proof, whole.clone()).await;
    assert_eq!(target.next().await.text(), whole);
}
