//! WhatsApp templates are listed for staff who may answer, and are sent whether or not the window
//! is open (design/channels).

use serde_json::{Value, json};

use super::stage::{WhatsappStage, message_webhook, now_s, status, templates};
use crate::support::answer::{Answer, items};
use crate::support::office::{Office, Worker};

const DAY_S: u64 = 24 * 3_600;

impl WhatsappStage {
    fn templates_path(&self) -> String {
        format!("/api/v2/channels/{}/templates", self.channel)
    }

    /// Creates a customer's room whose window is closed.
    async fn with_closed_room(&self) -> String {
        let message = json!({"id": "wamid.old", "type": "text", "text": {"body": "hello"},
            "timestamp": (now_s() - 2 * DAY_S).to_string()});
        self.post_webhook(&message_webhook(message)).await;
        self.wait_until_delivered().await;
        self.room_of(super::stage::BUDI).await
    }
}

fn sending(room: &str) -> String {
    format!("/api/v2/customer_rooms/{room}/templates")
}

fn hello() -> Value {
    json!({"template_name": "hello", "language": "id", "variables": ["Budi"]})
}

async fn sends(by: &Worker, room: &str, body: Value) -> Answer {
    by.post(&sending(room), body).await
}

#[tokio::test]
async fn staff_see_the_approved_templates_with_their_parameters() {
    let stage = WhatsappStage::with_templates().await;
    let listed = stage.office.get(&stage.templates_path(), &[]).await.data()["templates"].take();
    let names: Vec<_> = items(&listed).iter().map(|it| (&it["name"], &it["language"])).collect();
    let expected = [("hello", "en_US"), ("hello", "id"), ("order", "id"), ("cards", "id")];
    assert_eq!(names.len(), expected.len(), "{listed}");
    for ((name, language), expected) in names.iter().zip(expected) {
        assert_eq!((name.as_str(), language.as_str()), (Some(expected.0), Some(expected.1)));
    }
    let order = &listed[2];
    assert_eq!((&order["category"], &order["status"]), (&json!("UTILITY"), &json!("APPROVED")));
    let parts: Vec<_> = items(&order["components"]).iter().map(|it| &it["parameters"]).collect();
    assert_eq!(parts, [1, 2, 0, 0]);
    let buttons = items(&order["components"][3]["buttons"]);
    assert_eq!((&buttons[0]["parameters"], &buttons[1]["parameters"]), (&json!(0), &json!(1)));
    assert_eq!((&order["is_supported"], &listed[3]["is_supported"]), (&json!(true), &json!(false)));
    // The list is cached briefly: not every reader causes a request to Meta.
    let asked = stage.graph.listings();
    assert_eq!(asked, 3, "the template list is loaded page by page");
    let agent = stage.office.hire("nina", "agent").await;
    let supervisor = stage.office.hire("sara", "supervisor").await;
    for by in [&agent, &supervisor, &stage.admin().await] {
        let seen = by.get(&stage.templates_path(), &[]).await.data()["templates"].take();
        assert_eq!(seen, listed);
    }
    assert_eq!(stage.graph.listings(), asked);
}

#[tokio::test]
async fn templates_are_hidden_from_other_apps_and_agents_of_other_channels() {
    let stage = WhatsappStage::with_templates().await;
    let path = stage.templates_path();
    let other = json!({"name": "SMS", "webhook_url": "https://gateway.example/"});
    let other = stage.office.post("/api/v2/custom_channels", other).await.data();
    let other = other["custom_channel"]["id"].clone();
    let agent = stage.office.hire("olga", "agent").await;
    let update = format!("/api/v2/admin/agent/{}/update", agent.id);
    stage.office.post(&update, json!({"channel_ids": [other]})).await.data();
    agent.get(&path, &[]).await.errors(404, "channel_not_found");
    let rival = Office::of(&stage.server.create_app("rival").await);
    rival.get(&path, &[]).await.errors(404, "channel_not_found");
    let admin = rival.hire("rita", "admin").await;
    admin.get(&path, &[]).await.errors(404, "channel_not_found");
    let bare = stage.server.bare(reqwest::Method::GET, &path);
    let bare = bare.header("SERVICE-App-Id", &stage.server.code);
    assert_eq!(crate::support::caller::sent(bare).await.status, 401);
    assert_eq!(stage.graph.listings(), 0, "no request to Meta");
    // Other kinds of channels have no templates and are refused.
    let path = format!("/api/v2/channels/{other}/templates");
    stage.office.get(&path, &[]).await.errors(409, "no_templates");
    for id in ["0", "-1", "x", "99999999999999999999"] {
        let path = format!("/api/v2/channels/{id}/templates");
        stage.office.get(&path, &[]).await.errors(404, "channel_not_found");
    }
}

#[tokio::test]
async fn an_error_of_metas_template_list_is_returned_and_leaves_the_channel_ok() {
    let stage = WhatsappStage::with_templates().await;
    let path = stage.templates_path();
    stage.graph.refuse_templates(Some((403, 200)));
    let told = stage.office.get(&path, &[]).await.errors(409, "service_refused").message;
    assert!(told.contains("refused by the stand-in"), "{told}");
    stage.graph.refuse_templates(Some((500, 131_016)));
    stage.office.get(&path, &[]).await.errors(503, "service_unreachable");
    assert_eq!(stage.health().await["state"], "ok", "the token may still be valid for sending");
    stage.graph.refuse_templates(None);
    // A token repeated in Meta's error message is not shown.
    let token = stage.graph.token();
    stage.graph.set_token("EAAG-second-token-of-the-number-2222");
    let refused = stage.office.get(&path, &[]).await;
    refused.errors(409, "service_refused");
    assert!(!refused.text.contains(&token), "{}", refused.text);
    stage.graph.set_token(&token);
    stage.office.get(&path, &[]).await.data();
}

#[tokio::test]
async fn templates_need_a_business_account() {
    let stage = WhatsappStage::with(json!({"business_id": null})).await;
    stage.office.get(&stage.templates_path(), &[]).await.errors(409, "no_business_account");
}

#[tokio::test]
async fn a_template_is_sent_after_the_window_and_posted_in_the_room_as_text() {
    let stage = WhatsappStage::with_templates().await;
    let room = stage.with_closed_room().await;
    let admin = stage.admin().await;
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    admin.post(&path, json!({"message": "too late"})).await.errors(409, "window_closed");
    let order = json!({"template_name": "order", "variables": ["Budi", 7], "header_value": "A7",
        "button_params": ["track-7"], "unique_temp_id": "once"});
    let comment = sends(&admin, &room, order.clone()).await.data()["comment"].take();
    let text = "Order A7\nHi Budi, it is 7.\nShop";
    assert_eq!((&comment["message"], &comment["type"]), (&json!(text), &json!("text")));
    assert_eq!(comment["extras"]["template"], json!({"name": "order", "language": "id"}));
    let sent = stage.graph.sends(1).await.remove(0);
    let value = |text: &str| json!({"type": "text", "text": text});
    let expected = json!({"name": "order", "language": {"code": "id"}, "components": [
        {"type": "header", "parameters": [value("A7")]},
        {"type": "body", "parameters": [value("Budi"), value("7")]},
        {"type": "button", "sub_type": "url", "index": "1", "parameters": [value("track-7")]},
    ]});
    assert_eq!((&sent.body["type"], &sent.body["template"]), (&json!("template"), &expected));
    stage.wait_for_state(&room, text, "sent").await;
    stage.post_webhook(&status(&sent.id, Some(&sent.tag()), "delivered", None)).await;
    stage.wait_for_state(&room, text, "delivered").await;
    // Repeated requests with one unique id post once.
    let again = sends(&admin, &room, order).await.data()["comment"].take();
    assert_eq!(again["id"], comment["id"]);
    stage.post_webhook(&status(&sent.id, Some(&sent.tag()), "read", None)).await;
    stage.wait_for_state(&room, text, "read").await;
    assert_eq!(stage.graph.sent().len(), 1);
    // The app itself can send templates, too.
    let comment = stage.office.post(&sending(&room), hello()).await.data()["comment"].take();
    assert_eq!(comment["message"], "Halo Budi");
    assert_eq!(comment["user"]["user_id"], "shop_admin@bot");
    let sent = stage.graph.sends(2).await.remove(1);
    stage.wait_for_state(&room, "Halo Budi", "sent").await;
    stage.post_webhook(&status(&sent.id, Some(&sent.tag()), "failed", Some(131_049))).await;
    let failed = stage.wait_for_state(&room, "Halo Budi", "failed").await;
    assert_eq!(failed["code"], "131049");
}

#[tokio::test]
async fn only_the_assigned_agent_and_supervisors_can_send_a_template() {
    let stage = WhatsappStage::with_templates().await;
    let room = stage.with_closed_room().await;
    let chosen = stage.office.hire("nina", "agent").await;
    let colleague = stage.office.hire("olga", "agent").await;
    let supervisor = stage.office.hire("sara", "supervisor").await;
    stage.office.assign_room(&room, &chosen).await.data();
    sends(&colleague, &room, hello()).await.errors(403, "not_your_room");
    let rival = Office::of(&stage.server.create_app("rival").await);
    rival.post(&sending(&room), hello()).await.errors(404, "room_not_found");
    let bare = stage.server.bare(reqwest::Method::POST, &sending(&room));
    let bare = bare.header("SERVICE-App-Id", &stage.server.code);
    let bare = crate::support::caller::with_json(bare, &hello());
    assert_eq!(crate::support::caller::sent(bare).await.status, 401);
    assert_eq!(stage.graph.listings(), 0, "no request to Meta for refused calls");
    for by in [&chosen, &supervisor] {
        sends(by, &room, hello()).await.data();
    }
    stage.graph.sends(2).await;
    let update = format!("/api/v2/wa/connect/{}/update", stage.channel);
    stage.office.post(&update, json!({"is_active": false})).await.data();
    sends(&chosen, &room, hello()).await.errors(403, "channel_off");
}

#[tokio::test]
async fn values_that_do_not_fit_the_template_are_refused_and_nothing_is_posted() {
    let stage = WhatsappStage::with_templates().await;
    let room = stage.with_closed_room().await;
    let admin = stage.admin().await;
    for (body, about) in [
        (json!({}), "template_name"),
        (json!({"template_name": "unknown"}), "template_name"),
        (json!({"template_name": "rejected"}), "template_name"),
        (json!({"template_name": "cards"}), "template_name"),
        (json!({"template_name": "hello", "variables": ["x"]}), "language"),
        (json!({"template_name": "hello", "language": "fr", "variables": ["x"]}), "language"),
        (json!({"template_name": "hello", "language": "id"}), "variables"),
        (json!({"template_name": "hello", "language": "id", "variables": [""]}), "variables"),
        (json!({"template_name": "hello", "language": "id", "variables": ["a", "b"]}), "variables"),
        (json!({"template_name": "hello", "language": "id", "variables": ["a\nb"]}), "variables"),
        (
            json!({"template_name": "hello", "language": "id", "variables": ["a"],
                "header_value": "x"}),
            "header_value",
        ),
        (
            json!({"template_name": "hello", "language": "id", "variables": ["a"],
                "button_params": ["x"]}),
            "button_params",
        ),
        (json!({"template_name": "hello", "variables": {"a": [1]}}), "variables"),
    ] {
        let refused = sends(&admin, &room, body.clone()).await;
        let told = refused.errors(400, "invalid_request").message;
        assert!(told.starts_with(about), "{body}: {told}");
    }
    assert_eq!(stage.wait_for_texts(&room, 1).await.len(), 1);
    assert!(stage.graph.sent().is_empty());
    // A newly approved template is found without waiting for the cache to expire.
    let mut more = templates();
    more.push(json!({"name": "fresh", "language": "id", "category": "UTILITY",
        "status": "APPROVED", "components": [{"type": "BODY", "text": "Fresh"}]}));
    stage.graph.set_templates(more);
    crate::support::waiting::until_so("the new template is found", async || {
        sends(&admin, &room, json!({"template_name": "fresh"})).await.status == 200
    })
    .await;
}
