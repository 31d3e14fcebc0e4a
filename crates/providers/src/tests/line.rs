//! Tests of LINE (channel facts 4.3).

use serde_json::{Value, json};

use super::support::{
    STAFF, check_golden_events, check_golden_requests, destination, events_of, message, request,
    text_message,
};
use crate::line::set_hook;
use crate::{
    CheckAnswer, Contact, Credentials, Destination, EventContent, ExternalId, FileFacts, Head,
    HealthState, IdKind, IgnoredReason, Instead, Method, Proof, Provider, Verdict, acknowledge,
    check, fetch, health, parts, profile, prove, read, read_profile, steps, typing, verdict,
};

const LINE: Provider = Provider::Line;

fn credentials() -> Credentials {
    Credentials::default().with("access_token", "SECRET-token").with("secret_key", "line-secret")
}

fn ana() -> ExternalId {
    ExternalId { kind: IdKind::User, value: "U4af4980629".to_owned() }
}

#[test]
fn every_kind_of_event_is_read() {
    check_golden_events(LINE, "line");
}

#[test]
fn every_kind_of_message_is_sent() {
    check_golden_requests(LINE, "line", &ana(), &credentials());
}

#[test]
fn a_signature_covers_the_received_bytes() {
    // printf '{"destination":"U1","events":[]}' \
    //     | openssl dgst -sha256 -hmac line-secret -binary | base64
    let raw = br#"{"destination":"U1","events":[]}"#;
    let signature = "DNgBQGS2AI7VpoEPQMFYfWsYi/gETypDxeTCyTwVEBY=";
    let proof = |method, signature, raw: &[u8]| {
        let headers = [("X-Line-Signature", signature)];
        prove(LINE, &credentials(), &Head { method, query: "", headers: &headers }, raw)
    };
    assert_eq!(proof("POST", signature, raw), Proof::Proven);
    assert_eq!(read(LINE, raw), Ok(Vec::new()), "the console verifies with no events");
    assert_eq!(proof("GET", signature, raw), Proof::Forged);
    assert_eq!(proof("POST", signature, b"{}"), Proof::Forged);
    for wrong in ["", "x", &signature[1..]] {
        assert_eq!(proof("POST", wrong, raw), Proof::Forged);
    }
    let headers = [("X-Line-Signature", signature)];
    let head = Head { method: "POST", query: "", headers: &headers };
    assert_eq!(prove(LINE, &Credentials::default(), &head, raw), Proof::Forged);
}

#[test]
fn replies_have_no_retry_key_and_pushes_repeat_the_same_one() {
    let ana = ana();
    let part = &parts(LINE, &text_message("hello"), STAFF)[0];
    let sent = |destination: &Destination<'_>| {
        request(&steps(LINE, part, destination, &credentials()).expect("steps")[0])
    };
    let push = sent(&destination(&ana));
    assert_eq!(push["to"], "Say Post /v2/bot/message/push");
    let key = push["headers"][0][1].as_str().expect("a key").to_owned();
    assert_eq!((key.len(), &key[14..15]), (36, "8"), "a UUID");
    assert_eq!(sent(&destination(&ana))["headers"][0][1], key.as_str());
    let other = Destination { delivery: 901, ..destination(&ana) };
    assert_ne!(sent(&other)["headers"][0][1], key.as_str());
    let reply = sent(&Destination { reply_token: Some("R1"), ..destination(&ana) });
    assert_eq!(reply["to"], "Say Post /v2/bot/message/reply");
    assert_eq!((reply["body"]["replyToken"].as_str(), &reply["headers"]), (Some("R1"), &json!([])));
}

#[test]
fn every_response_has_its_verdict() {
    let of = |status, body: Value| verdict(LINE, status, body.to_string().as_bytes());
    let sent = |verdict| match verdict {
        Verdict::Sent { ids, .. } => ids,
        verdict => panic!("{verdict:?}"),
    };
    assert_eq!(sent(of(200, json!({"sentMessages": [{"id": "461", "quoteToken": "q"}]}))), ["461"]);
    assert!(sent(of(200, json!({}))).is_empty());
    let before = json!({"message": "The retry key is already accepted",
        "sentMessages": [{"id": "461"}]});
    assert_eq!(sent(of(409, before)), ["461"]);
    let spent = of(400, json!({"message": "Invalid reply token"}));
    assert!(matches!(spent, Verdict::Again { instead: Some(Instead::Push), .. }));
    let quota = of(429, json!({"message": "You have reached your monthly limit."}));
    assert!(matches!(quota, Verdict::Never { code, .. } if code == "quota_spent"));
    let fast = of(429, json!({"message": "The API rate limit has been exceeded."}));
    assert!(matches!(fast, Verdict::Again { whole_channel: true, .. }));
    assert!(matches!(of(500, json!({"message": "x"})), Verdict::Again { .. }));
    assert!(matches!(of(401, json!({"message": "x"})), Verdict::BadToken { .. }));
    assert!(matches!(of(403, json!({"message": "x"})), Verdict::BadToken { .. }));
    let wrong = json!({"message": "The request body has 1 error(s)",
        "details": [{"message": "May not be empty", "property": "messages[0].text"}]});
    let Verdict::Never { why, .. } = of(400, wrong) else { panic!("never") };
    assert!(why.ends_with("(messages[0].text: May not be empty)"), "{why}");
    assert!(matches!(verdict(LINE, 403, b"<html>"), Verdict::Again { .. }));
    assert_eq!(verdict(LINE, 200, b"<html>"), Verdict::Uncertain);
}

#[test]
fn files_are_fetched_from_the_data_host_and_external_ones_from_their_address() {
    let event_with = |provider: Value| {
        let message = json!({"id": "5", "type": "image", "contentProvider": provider});
        let source = json!({"type": "user", "userId": "U1"});
        let event = json!({"type": "message", "source": source, "message": message});
        events_of(LINE, &json!({"destination": "U0", "events": [event]})).remove(0)
    };
    let step = |event| match event {
        EventContent::Posted(utterance) => {
            let media = utterance.inbound_messages[0].media().expect("a file").clone();
            fetch(LINE, &media, &credentials()).remove(0)
        }
        other => panic!("{other:?}"),
    };
    let own = step(event_with(json!({"type": "line"})).content);
    assert_eq!(request(&own)["to"], "Fetch Get data/v2/bot/message/5/content");
    assert!(own.bearer.is_some());
    let url = "https://img.example/1.jpg";
    let other = step(event_with(json!({"type": "external", "originalContentUrl": url})).content);
    assert_eq!(request(&other)["to"], format!("Fetch Get {url}/"));
    assert!(other.bearer.is_none(), "external hosts receive no token");
}

#[test]
fn only_pictures_that_phones_can_fetch_are_sent_as_pictures() {
    let sent = |url: &str, bytes| {
        let payload = json!({"url": url, "caption": "Look"});
        let ours = message(&json!({"type": "file_attachment", "payload": payload}));
        let parts = parts(LINE, &ours, STAFF);
        assert_eq!(parts.len(), 2, "the caption is a separate part");
        let ana = ana();
        let file = Some(FileFacts { is_ours: true, bytes: Some(bytes), mime_type: None });
        let destination = Destination { file, ..destination(&ana) };
        let steps = steps(LINE, &parts[0], &destination, &credentials()).expect("steps");
        request(&steps[0])["body"]["messages"][0]["type"].clone()
    };
    assert_eq!(sent("https://files.example/a.png", 10 << 20), "image");
    assert_eq!(sent("https://files.example/a.png", (10 << 20) + 1), "text");
    assert_eq!(sent("http://files.example/a.png", 1), "text");
    assert_eq!(sent("https://files.example/a.mp4", 1), "text");
}

#[test]
fn buttons_fit_their_bounds() {
    let sent = |count: usize, label: &str, text: &str| {
        let button = json!({"label": label, "type": "postback", "payload": {}});
        let payload = json!({"text": text, "buttons": vec![button; count]});
        let ours = message(&json!({"type": "buttons", "payload": payload}));
        let body = |part| {
            let steps = steps(LINE, part, &destination(&ana()), &credentials()).expect("steps");
            request(&steps[0])["body"]["messages"][0].clone()
        };
        parts(LINE, &ours, STAFF).iter().map(body).collect::<Vec<_>>()
    };
    let four = &sent(4, &"x".repeat(21), &"t".repeat(160))[0];
    assert_eq!(four["template"]["actions"].as_array().map(Vec::len), Some(4));
    let label = four["template"]["actions"][0]["label"].as_str().expect("a label");
    assert_eq!(label.chars().count(), 20);
    let five = &sent(13, "x", "Which?")[0];
    assert_eq!(five["quickReply"]["items"].as_array().map(Vec::len), Some(13));
    assert_eq!(sent(14, "x", "Which?").len(), 2);
    assert_eq!(sent(1, "x", &"t".repeat(161)).len(), 2, "the text is a separate part");
}

#[test]
fn requests_for_names_typing_receipts_and_the_webhook_are_built() {
    let contact = Contact {
        ids: vec![ana()],
        user_id: "line-U4af4980629".to_owned(),
        name: None,
        username: None,
        language: None,
    };
    let [step] = &profile(LINE, &contact, &credentials())[..] else { panic!("one step") };
    assert_eq!(step.shown_path(), "/v2/bot/profile/U4af4980629");
    let found = read_profile(LINE, br#"{"displayName":"Ana","pictureUrl":"https://p.example/"}"#);
    assert_eq!(found.map(|it| it.name).as_deref(), Some("Ana"));
    assert_eq!(read_profile(LINE, b"{}"), None);
    let ana = ana();
    assert_eq!(typing(LINE, &destination(&ana), &credentials()).len(), 1);
    let set = set_hook("https://chat.example/hook", &credentials());
    assert_eq!((set.method, set.shown_path()), (Method::Put, "/v2/bot/channel/webhook/endpoint"));
    let source = json!({"type": "user", "userId": "U1"});
    let text = json!({"id": "5", "type": "text", "text": "hi", "markAsReadToken": "M"});
    let event = json!({"type": "message", "source": source, "message": text});
    let event = events_of(LINE, &json!({"events": [event]})).remove(0);
    let [read] = &acknowledge(LINE, &event, &credentials(), true)[..] else { panic!("one step") };
    assert_eq!(request(read)["body"], json!({"markAsReadToken": "M"}));
    assert!(acknowledge(LINE, &event, &credentials(), false).is_empty());
}

#[test]
fn groups_yield_no_message_and_a_standby_token_is_not_used() {
    for kind in ["group", "room", "new"] {
        let source = json!({"type": kind, "userId": "U1", "groupId": "C1"});
        let text = json!({"id": "5", "type": "text", "text": "hi"});
        let event = json!({"type": "message", "source": source, "message": text});
        let event = events_of(LINE, &json!({"events": [event]})).remove(0);
        assert_eq!(
            (event.content, event.customer),
            (EventContent::Ignored(IgnoredReason::Group), None)
        );
    }
    for body in [&b"{}"[..], b"[]", b"", b"{\"events\":{}}"] {
        assert!(read(LINE, body).is_err());
    }
}

#[test]
fn health_explains_problems() {
    const URL: &str = "https://chat.example/hook";
    assert_eq!(check(LINE, &credentials()).len(), 4);
    let state = |hook: Value, used: i64| {
        let bodies = [
            json!({"userId": "U0", "basicId": "@shop", "displayName": "Shop"}),
            hook,
            json!({"type": "limited", "value": 200}),
            json!({"totalUsage": used}),
        ];
        let bodies = bodies.map(|body| body.to_string());
        let answers =
            bodies.each_ref().map(|it| CheckAnswer { status: Some(200), body: it.as_bytes() });
        let health = health(LINE, &answers, Some(URL));
        assert_eq!(health.account.expect("an account").username, "@shop");
        assert_eq!(health.quota, format!("{used} of this month's 200 messages are used."));
        health.state
    };
    assert_eq!(state(json!({"endpoint": URL, "active": true}), 199), HealthState::Ok);
    assert_eq!(state(json!({"endpoint": URL, "active": true}), 200), HealthState::Limited);
    assert_eq!(state(json!({"endpoint": URL, "active": false}), 0), HealthState::Misconfigured);
    let other = json!({"endpoint": "https://other.example/", "active": true});
    assert_eq!(state(other, 0), HealthState::Misconfigured);
    let answer = |status, body| [CheckAnswer { status, body }];
    let dead = health(LINE, &answer(Some(401), br#"{"message":"x"}"#), None);
    assert_eq!(dead.state, HealthState::Unauthorized);
    assert_eq!(health(LINE, &answer(None, b""), None).state, HealthState::Unreachable);
}
