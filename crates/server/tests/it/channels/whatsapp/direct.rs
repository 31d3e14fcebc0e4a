//! Apps call WhatsApp directly with the app's key (D-0155), for one-time codes and notifications.

use confab_domain::limits;
use reqwest::Method;
use serde_json::{Value, json};

use super::stage::{BUDI, WhatsappStage, connecting, status, wait_for_health};
use crate::support::answer::Answer;
use crate::support::caller::{sent, with_json};
use crate::support::office::Office;
use crate::support::stand_ins::graph_api::GraphScript;

fn template() -> Value {
    json!({"to": BUDI, "type": "template", "template": {"namespace": "ns", "name": "otp",
        "language": {"policy": "deterministic", "code": "id"},
        "components": [{"type": "body", "parameters": [{"type": "text", "text": "123456"}]}]}})
}

fn text(body: &str) -> Value {
    json!({"recipient_type": "individual", "to": BUDI, "type": "text", "text": {"body": body}})
}

impl WhatsappStage {
    fn messages(&self) -> String {
        format!("/whatsapp/v1/{}/{}/messages", self.server.code, self.channel)
    }

    async fn sends(&self, body: &Value) -> Answer {
        self.office.post(&self.messages(), body.clone()).await
    }
}

/// Asserts that a call failed in WhatsApp's error format, refused by either side.
#[track_caller]
fn failed(answer: &Answer, status: u16, code: i64) -> Value {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_ne!(answer.header("x-request-id"), "");
    let error = answer.json()["error"].take();
    assert_eq!(error["code"], code, "{}", answer.text);
    assert!(error["message"].as_str().is_some_and(|it| !it.is_empty()), "{}", answer.text);
    error
}

#[tokio::test]
async fn an_app_sends_templates_and_texts_in_metas_request_format() {
    let stage = WhatsappStage::start().await;
    let taken = stage.sends(&template()).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    let answer = taken.json();
    assert_eq!(answer["contacts"][0]["input"], BUDI);
    assert_eq!(answer["contacts"][0]["wa_id"], BUDI);
    let call = stage.graph.sent().remove(0);
    assert_eq!(answer["messages"][0]["id"], call.id);
    assert_eq!(
        call.body["template"],
        template()["template"],
        "the template is passed on unchanged"
    );
    assert_eq!(call.body["messaging_product"], "whatsapp");
    let mut named = text("with a slash");
    named["messaging_product"] = json!("whatsapp");
    let path = format!("{}/", stage.messages());
    assert_eq!(stage.office.post(&path, named).await.status, 200);
    assert_eq!(stage.graph.texts_to(BUDI)[1], "with a slash");
    // JSON is accepted with any content type.
    let request = stage.office.request(Method::POST, &stage.messages());
    let request = request.header("content-type", "text/plain").body(text("plain").to_string());
    assert_eq!(sent(request).await.status, 200);
    let read = json!({"status": "read", "message_id": "wamid.x"});
    assert_eq!(stage.sends(&read).await.json(), json!({"success": true}));
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(rooms["data"]["customer_rooms"], json!([]), "no room is created");
}

#[tokio::test]
async fn calls_without_the_secret_key_of_the_channels_app_are_refused() {
    let stage = WhatsappStage::start().await;
    let agent = stage.office.hire("nina", "agent").await;
    let admin = stage.office.hire("adam", "admin").await;
    let rival = Office::of(&stage.server.create_app("rival").await);
    let (code, id) = (stage.server.code.clone(), stage.channel);
    for rest in ["messages", "messages/", "messages/wamid.x", "media/media-1"] {
        let path = format!("/whatsapp/v1/{code}/{id}/{rest}");
        let is_message = rest.trim_end_matches('/') == "messages";
        let method = if is_message { Method::POST } else { Method::GET };
        let bare = || stage.server.bare(method.clone(), &path);
        let stranger = bare().header("SERVICE-App-Id", &code);
        let guessed = bare().header("SERVICE-App-Id", &code).header("SERVICE-Secret-Key", "guess");
        let sdk = stage.server.request(method.clone(), &path);
        let workers = [&agent, &admin].map(|it| it.request(method.clone(), &path));
        for request in [bare(), stranger, guessed, sdk].into_iter().chain(workers) {
            let answer = sent(with_json(request, &template())).await;
            let error = failed(&answer, 401, 190);
            assert_eq!(error["type"], "unauthorized");
        }
        for path in [path.clone(), path.replace(&code, "rival"), path.replace(&code, "nobody")] {
            let answer = rival.call(method.clone(), &path, template()).await;
            assert_eq!(failed(&answer, 404, 100)["type"], "channel_not_found");
        }
        for id in ["1", "0", "-1", "x", "99999999999999999999"] {
            let path = format!("/whatsapp/v1/{code}/{id}/{rest}");
            let answer = stage.office.call(method.clone(), &path, template()).await;
            assert_eq!(failed(&answer, 404, 100)["type"], "channel_not_found");
        }
    }
    let update = format!("/api/v2/wa/connect/{id}/update");
    stage.office.post(&update, json!({"is_active": false})).await.data();
    assert_eq!(failed(&stage.sends(&template()).await, 403, 10)["type"], "channel_off");
    assert!(stage.graph.sent().is_empty());
}

#[tokio::test]
async fn an_invalid_body_is_refused_without_a_request_to_whatsapp() {
    let stage = WhatsappStage::start().await;
    let deep = format!("{{\"to\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for body in ["", "{", "[]", "null", "\"x\"", "\u{0}", "to=1&type=text", &deep] {
        let request = stage.office.request(Method::POST, &stage.messages());
        let answer = sent(request.body(body.to_owned())).await;
        assert_eq!(failed(&answer, 400, 100)["type"], "invalid_request", "{body:.20}");
    }
    let request = stage.office.request(Method::POST, &stage.messages());
    let answer = sent(request.body(vec![b'x'; limits::BODY_BYTES_MAX + 1])).await;
    assert_eq!(failed(&answer, 413, 100)["type"], "body_too_large");
    assert!(stage.graph.sent().is_empty());
}

#[tokio::test]
async fn whatsapps_errors_are_returned_with_its_code_and_message() {
    let stage = WhatsappStage::start().await;
    for (status, code, told) in [
        (400, 131_026, 400),
        (400, 131_047, 400),
        (400, 132_001, 400),
        (404, 100, 404),
        (429, 130_429, 429),
        (500, 131_000, 503),
        (503, 131_016, 503),
    ] {
        stage.graph.script(GraphScript::Refused(status, code));
        let answer = stage.sends(&template()).await;
        let error = failed(&answer, told, code);
        assert_eq!(error["message"], "refused by the stand-in");
        let is_for_later = !answer.header("retry-after").is_empty();
        assert_eq!(is_for_later, told == 429 || told == 503, "{told}");
    }
    for status in [301, 404, 502] {
        stage.graph.script(GraphScript::Page(status, "<html>a proxy</html>"));
        let answer = stage.sends(&template()).await;
        assert_eq!(failed(&answer, 503, 131_016)["type"], "service_unreachable");
    }
    assert!(stage.graph.sent().is_empty());
    // It is unknown whether these arrived, and the caller is informed.
    stage.graph.script(GraphScript::TakenInSilence);
    stage.graph.script(GraphScript::Page(200, "<html>ok</html>"));
    stage.graph.script(GraphScript::Page(504, "<html>late</html>"));
    for _ in 0..3 {
        let answer = stage.sends(&template()).await;
        assert_eq!(failed(&answer, 504, 131_016)["type"], "unknown_outcome");
    }
    assert_eq!(stage.graph.sent().len(), 1, "a send with an unknown outcome is not repeated");
    wait_for_health(&stage, "ok").await;
    let token = stage.graph.token();
    stage.graph.set_token("EAAG-second-token-of-the-number-2222");
    let answer = stage.sends(&template()).await;
    let error = failed(&answer, 401, 190);
    assert_eq!(error["message"], "Malformed access token Bearer ****");
    assert!(!answer.text.contains(&token));
    wait_for_health(&stage, "unauthorized").await;
    assert!(!stage.health().await.to_string().contains(&token));
}

#[tokio::test]
async fn the_state_of_a_direct_message_can_be_read_and_that_of_a_room_message_cannot() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    stage.post_reply(&admin, &room, "in the room").await;
    stage.wait_for_state(&room, "in the room", "sent").await;
    let tag = stage.graph.sent().remove(0).tag();
    // A client's own callback data is returned unchanged.
    let mut body = template();
    body["biz_opaque_callback_data"] = json!("order 7");
    let id = stage.sends(&body).await.json()["messages"][0]["id"].clone();
    let id = id.as_str().expect("an id");
    assert_eq!(stage.graph.sent()[1].body["biz_opaque_callback_data"], "order 7");
    let path = format!("{}/{id}", stage.messages());
    let known = async || stage.office.get(&path, &[]).await.json();
    assert_eq!(known().await["status"], "sent");
    for (word, code, expected) in [
        ("delivered", None, "delivered"),
        ("sent", None, "delivered"),
        ("failed", Some(131_026), "delivered"),
        ("read", None, "read"),
    ] {
        stage.post_webhook(&status(id, Some("order 7"), word, code)).await;
        stage.wait_until_delivered().await;
        assert_eq!(known().await["status"], expected, "after {word}");
    }
    let failing = stage.sends(&template()).await.json()["messages"][0]["id"].clone();
    let failing = failing.as_str().expect("an id");
    stage.post_webhook(&status(failing, None, "failed", Some(131_026))).await;
    stage.wait_until_delivered().await;
    let path = format!("{}/{failing}", stage.messages());
    let told = stage.office.get(&path, &[]).await.json();
    assert_eq!((&told["status"], &told["errors"][0]["code"]), (&json!("failed"), &json!(131_026)));
    assert_eq!(
        stage.status(&room, "in the room").await["state"],
        "sent",
        "the status concerns another message"
    );
    // Statuses of messages in rooms are not available to direct callers.
    let said = stage.graph.sent().remove(0).id;
    stage.post_webhook(&status(&said, Some(&tag), "read", None)).await;
    stage.wait_for_state(&room, "in the room", "read").await;
    let path = format!("{}/{said}", stage.messages());
    failed(&stage.office.get(&path, &[]).await, 404, 100);
    let rival = Office::of(&stage.server.create_app("rival").await);
    let theirs = rival.get(&path, &[]).await;
    failed(&theirs, 404, 100);
}

#[tokio::test]
async fn media_can_be_downloaded_and_nothing_else_of_the_account() {
    let stage = WhatsappStage::start().await;
    stage.graph.add_file("media-1", &[7; 300_000]);
    let base = format!("/whatsapp/v1/{}/{}/media", stage.server.code, stage.channel);
    let request = stage.office.request(Method::GET, &format!("{base}/media-1"));
    let answer = request.send().await.expect("answered");
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers()[name].to_str().expect("text").to_owned();
    assert_eq!(header("content-type"), "image/jpeg");
    assert_eq!(
        (header("content-disposition"), header("x-content-type-options")),
        ("attachment".to_owned(), "nosniff".to_owned())
    );
    assert_eq!(answer.bytes().await.expect("the file"), vec![7; 300_000]);
    for id in ["..", "%2e%2e%2fme", "me%3Ffields=x", &"x".repeat(200), "a%20b"] {
        let answer = stage.office.get(&format!("{base}/{id}"), &[]).await;
        assert_eq!(answer.status, 404, "{id}: {}", answer.text);
    }
    failed(&stage.office.get(&format!("{base}/gone"), &[]).await, 400, 100);
    // Only media ids have a URL.
    let number = connecting("")["phone_number_id"].as_str().expect("an id").to_owned();
    let answer = stage.office.get(&format!("{base}/{number}"), &[]).await;
    assert_eq!(failed(&answer, 404, 100)["type"], "media_not_found");
}
