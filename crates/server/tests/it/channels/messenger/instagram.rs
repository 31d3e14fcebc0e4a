//! Features of Instagram only: accounts found by their token, stories, read receipts by the last
//! message, and token renewal (design/channels).

use confab_domain::decision::change::ChannelChange;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::ChannelId;
use serde_json::json;

use super::stage::{ANA, IG, PageStage, now_ms};
use crate::support::answer::items;
use crate::support::stand_ins::graph_api::IG_ACCOUNT;

const CONNECT: &str = "/api/v2/ig/connect";
const DAY_MS: i64 = 24 * 3_600_000;

impl PageStage {
    /// Sets the age of the token.
    async fn ages(&self, days: i64) {
        let value = ((now_ms() - days * DAY_MS) * 1_000).to_string();
        let (channel, name) = (ChannelId(self.channel), "token_set_at".to_owned());
        let rule = move |_: &Facts, _: &Stamp<'_>| {
            let (name, value) = (name.clone(), Some(value.clone()));
            let aged = ChannelChange::SetAccountSetting { channel, name, value };
            Ok(Decision::new(vec![aged.into()], ()))
        };
        let app = self.app().await;
        self.server.store.decide(app, Question::default(), rule).await.expect("aged");
    }
}

#[tokio::test]
async fn an_account_is_found_by_its_token_shown_changed_and_deleted() {
    let stage = PageStage::start(IG).await;
    let id = stage.channel;
    let fields = stage.graph.subscribed("me").await;
    assert!(fields.contains("messaging_seen"), "{fields}");
    let map = stage.office.get("/api/v2/channels", &[]).await.data();
    let record = items(&map["ig_channels"])[0].clone();
    for (key, value) in [
        ("id", json!(id)),
        ("name", json!("Shop")),
        ("username", json!("shop.ig")),
        ("ig_id", json!(IG_ACCOUNT)),
        ("page_id", json!("")),
        ("private_replies_enabled", json!(false)),
        ("private_replies_text", json!("")),
        ("story_mention_enabled", json!(true)),
        ("human_agent_enabled", json!(false)),
        ("token_ends_at", json!(null)),
        ("access_token", json!("****1111")),
        ("webhook_url", json!(format!("https://confab.example/api/v2/hooks/ig/{id}"))),
    ] {
        assert_eq!(record[key], value, "{key}");
    }
    let one = stage.office.get(&format!("/api/v2/ig/{id}"), &[]).await.data();
    assert_eq!(one["ig_channel"], record);
    let page = stage.office.get("/api/v3/admin/channel/ig", &[]).await.json();
    assert_eq!(page["data"]["ig_channels"], json!([record]));
    let again = stage.office.post(CONNECT, IG.connecting(&stage.graph.token())).await;
    again.errors(409, "account_connected");
    for (key, value) in [
        ("access_token", json!("EAAG-wrong")),
        ("access_token", json!(null)),
        ("app_secret", json!("a b")),
    ] {
        let mut body = IG.connecting(&stage.graph.token());
        body[key] = value;
        stage.office.post(CONNECT, body).await.errors(400, "invalid_request");
    }
    stage.office.post(&format!("{CONNECT}/{id}/delete"), json!({})).await.data();
    let gone = stage.office.get(&format!("/api/v2/ig/{id}"), &[]).await;
    gone.errors(404, "channel_not_found");
}

#[tokio::test]
async fn a_story_mention_is_posted_by_its_url_unless_disabled() {
    let stage = PageStage::start(IG).await;
    let room = stage.with_room().await;
    let url = format!("{}/cdn/story", stage.graph.base);
    let mention = |mid: &str| {
        let story = json!({"type": "story_mention", "payload": {"url": url}});
        stage.by(ANA, json!({"message": {"mid": mid, "attachments": [story]}}))
    };
    // The stand-in has no such file: a download would fail visibly.
    stage.post_webhook(&[mention("m_story")]).await;
    stage.wait_for_texts(&room, 2).await;
    let it = stage.conversation(&room).await.pop().expect("the last");
    assert_eq!((&it["type"], &it["payload"]["url"]), (&json!("file_attachment"), &json!(url)));
    assert_eq!(it["extras"]["is_story_mention"], true);
    let story = json!({"story": {"id": "18", "url": "https://cdn.example/s"}});
    let reply = json!({"mid": "m_reply", "text": "nice", "reply_to": story});
    stage.post_webhook(&[stage.by(ANA, json!({"message": reply}))]).await;
    stage.wait_for_texts(&room, 3).await;
    let it = stage.conversation(&room).await.pop().expect("the last");
    assert_eq!(
        (&it["message"], &it["extras"]["replied_story"]["id"]),
        (&json!("nice"), &json!("18"))
    );
    stage.update(json!({"story_mention_enabled": false})).await.data();
    let query = [("show_all", "true")];
    let configs = stage.office.get("/api/v2/app/configs", &query).await.data();
    let key = format!("ig_story_mention_enabled:{}", stage.channel);
    assert_eq!(configs["configs"][key], false);
    assert_eq!(stage.post_webhook(&[mention("m_unwanted")]).await.status, 200);
    stage.writes("m_after", "and a text").await;
    assert_eq!(
        stage.wait_for_texts(&room, 4).await[3],
        "and a text",
        "the disabled story mention is not posted"
    );
}

#[tokio::test]
async fn a_read_receipt_covers_earlier_messages_and_a_deletion_removes_the_message() {
    let stage = PageStage::start(IG).await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    for text in ["first", "second", "third"] {
        stage.post_reply(&admin, &room, text).await;
        stage.wait_for_state(&room, text, "sent").await;
    }
    let mid = stage.graph.said()[1].id.clone();
    for mid in [json!("m_of_others"), json!(mid)] {
        let read = stage.by(ANA, json!({"read": {"mid": mid}}));
        assert_eq!(stage.post_webhook(&[read]).await.status, 200);
        stage.wait_until_delivered().await;
    }
    for (text, state) in [("first", "read"), ("second", "read"), ("third", "sent")] {
        assert_eq!(stage.status(&room, text).await["state"], state, "{text}");
    }
    let gone = json!({"message": {"mid": "m_first", "is_deleted": true}});
    stage.post_webhook(&[stage.by(ANA, gone)]).await;
    stage.wait_until_delivered().await;
    assert!(!stage.server.texts(&room).await.contains(&"hello".to_owned()));
}

#[tokio::test]
async fn a_token_is_renewed_from_its_second_day_and_the_new_one_is_used() {
    let stage = PageStage::start(IG).await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    let old = stage.graph.token();
    stage.graph.set_renewal(Ok("EAAG-renewed-token-of-the-account-7777"));
    assert_eq!(stage.check().await["state"], "ok");
    assert_eq!(stage.graph.token(), old, "a new token is not renewed");
    stage.ages(2).await;
    assert_eq!(stage.check().await["state"], "ok");
    assert_ne!(stage.graph.token(), old);
    let path = format!("/api/v2/ig/{}", stage.channel);
    let record = stage.office.get(&path, &[]).await.data()["ig_channel"].take();
    assert_eq!(record["access_token"], "****7777");
    assert!(record["token_ends_at"].is_string(), "{record}");
    stage.post_reply(&admin, &room, "with the new one").await;
    stage.wait_for_state(&room, "with the new one", "sent").await;
    // The token is valid for long, so it is not renewed.
    stage.graph.set_renewal(Ok("EAAG-never-used-8888"));
    stage.ages(5).await;
    assert_eq!(stage.check().await["state"], "ok");
    assert!(stage.graph.token().ends_with("7777"));
    // A renewal is not an agent's change, so it is not audited.
    let audit = stage.office.get("/api/v2/audit", &[]).await;
    assert!(!audit.text.contains("EAAG") && !audit.text.contains("channel.key_rotated"));
}

#[tokio::test]
async fn a_failed_token_renewal_is_shown_in_health_until_one_succeeds() {
    let stage = PageStage::start(IG).await;
    stage.graph.subscribed("me").await;
    stage.ages(30).await;
    stage.graph.set_renewal(Err(10));
    let health = stage.check().await;
    assert_eq!(health["state"], "limited");
    assert!(health["reason"].to_string().contains("could not be renewed"), "{health}");
    assert!(!health.to_string().contains("EAAG"));
    stage.graph.set_renewal(Ok("EAAG-renewed-at-last-7777"));
    assert_eq!(stage.check().await["state"], "ok");
    // A token entered by hand is new, and its age is unknown.
    let next = stage.graph.set_token("EAAG-given-by-hand-5555");
    stage.update(json!({"access_token": next})).await.data();
    let path = format!("/api/v2/ig/{}", stage.channel);
    let record = stage.office.get(&path, &[]).await.data()["ig_channel"].take();
    assert_eq!(
        (&record["access_token"], &record["token_ends_at"]),
        (&json!("****5555"), &json!(null))
    );
}
