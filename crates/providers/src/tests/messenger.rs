//! Tests of Messenger and Instagram (channel facts 4.2).

use confab_domain::support::conversations::answering::Answerer;
use serde_json::{Value, json};

use super::support::{
    STAFF, check_golden_events, check_golden_requests, destination, events_of, message, request,
    text_message,
};
use crate::messenger::{read_refreshed, refresh_token, subscribe};
use crate::{
    CheckAnswer, Credentials, Destination, EventContent, ExternalId, FileFacts, Head, HealthState,
    IdKind, IgnoredReason, Part, Proof, Provider, ProviderHost, ReplyReference, SendTag, Verdict,
    acknowledge, check, fetch, health, meta_provider, needs_window, parts, profile, prove, read,
    read_profile, steps, typing, verdict,
};

const FB: Provider = Provider::Messenger;
const IG: Provider = Provider::Instagram;

fn credentials() -> Credentials {
    Credentials::default()
        .with("access_token", "SECRET-token")
        .with("app_secret", "app-secret")
        .with("verify_token", "verify-me")
        .with("page_id", "104")
}

fn ana() -> ExternalId {
    ExternalId { kind: IdKind::User, value: "4242".to_owned() }
}

#[test]
fn every_kind_of_event_is_read() {
    check_golden_events(FB, "messenger");
    check_golden_events(IG, "messenger/instagram");
}

#[test]
fn every_kind_of_message_is_sent() {
    check_golden_requests(FB, "messenger", &ana(), &credentials());
    check_golden_requests(IG, "messenger/instagram", &ana(), &credentials());
}

#[test]
fn messenger_and_instagram_webhooks_are_proven_by_the_signature_of_meta() {
    // printf '{}' | openssl dgst -sha256 -hmac app-secret
    let signature = "sha256=bd9549eb87a414d3df28b5a60ea86d4a11e2f1c6258edbd18f56d3c23c0f908d";
    for provider in [FB, IG] {
        let headers = [("X-Hub-Signature-256", signature)];
        let head = Head { method: "POST", query: "", headers: &headers };
        assert_eq!(prove(provider, &credentials(), &head, b"{}"), Proof::Proven);
        assert_eq!(prove(provider, &credentials(), &head, b"{} "), Proof::Forged);
        let query = "hub.mode=subscribe&hub.verify_token=verify-me&hub.challenge=7";
        let head = Head { method: "GET", query, headers: &[] };
        let proof = prove(provider, &credentials(), &head, b"");
        assert_eq!(proof, Proof::Handshake("7".to_owned()));
    }
}

fn webhook(element: Value) -> Value {
    let mut element = element;
    element["sender"] = json!({"id": "4242"});
    element["recipient"] = json!({"id": "104"});
    element["timestamp"] = 1_769_853_600_123_i64.into();
    json!({"object": "page", "entry": [{"id": "104", "time": 5, "messaging": [element]}]})
}

#[test]
fn a_repeated_webhook_yields_the_same_event() {
    let mut body = webhook(json!({"read": {"watermark": 1_769_853_600_000_i64}}));
    let first = events_of(FB, &body).remove(0);
    body["entry"][0]["time"] = 6.into();
    assert_eq!(events_of(FB, &body), [first]);
}

#[test]
fn only_echoes_of_our_messages_have_our_tag() {
    let echo = |metadata: Value| {
        let message = json!({"mid": "m1", "text": "hi", "is_echo": true, "metadata": metadata});
        let event = events_of(FB, &webhook(json!({"message": message}))).remove(0);
        assert_eq!(event.customer.expect("the recipient").ids[0].value, "104");
        let EventContent::Echoed(echo) = event.content else { panic!("an echo") };
        echo.tag
    };
    let part = &parts(FB, &text_message("hi"), STAFF)[0];
    let sent = &steps(FB, part, &destination(&ana()), &credentials()).expect("steps")[0];
    let tag = echo(request(sent)["body"]["message"]["metadata"].clone());
    let ours = SendTag { delivery: 900, room: 55, message: 9_007_199_254_740_991 };
    assert_eq!(tag, Some(ours));
    assert_eq!(echo(json!("DEVELOPER_DEFINED")), None);
}

#[test]
fn only_a_person_may_answer_after_the_window_and_only_if_enabled() {
    let ana = ana();
    let sent = |answerer, is_window_open, may_tag_person| {
        let part = parts(FB, &text_message("hi"), answerer).remove(0);
        let destination = Destination { is_window_open, may_tag_person, ..destination(&ana) };
        let steps = steps(FB, &part, &destination, &credentials());
        steps.map(|steps| {
            let body = request(&steps[0])["body"].clone();
            (body["messaging_type"].as_str().map(str::to_owned), body["tag"].clone())
        })
    };
    let response = Ok((Some("RESPONSE".to_owned()), Value::Null));
    let tagged = Ok((Some("MESSAGE_TAG".to_owned()), json!("HUMAN_AGENT")));
    assert_eq!(sent(STAFF, true, true), response, "the tag is not used within the window");
    assert_eq!(sent(STAFF, false, true), tagged);
    assert_eq!(sent(STAFF, false, false), Err(Verdict::WindowClosed));
    assert_eq!(
        sent(Answerer::Bot, false, true),
        Err(Verdict::WindowClosed),
        "a bot never uses the tag"
    );
    assert_eq!(sent(Answerer::Bot, true, false), response);
}

#[test]
fn every_error_code_has_its_verdict() {
    let of = |code: i64, subcode: i64| {
        let error = json!({"code": code, "error_subcode": subcode, "message": "why"});
        verdict(FB, 400, json!({"error": error}).to_string().as_bytes())
    };
    assert_eq!(of(10, 2_018_278), Verdict::WindowClosed);
    assert_eq!(of(10, 2_534_022), Verdict::WindowClosed);
    let health = |verdict| match verdict {
        Verdict::BadToken { health, .. } => health,
        verdict => panic!("{verdict:?}"),
    };
    assert_eq!(health(of(10, 1_893_063)), HealthState::Limited);
    for code in [0, 102, 190, 463, 467] {
        assert_eq!(health(of(code, 0)), HealthState::Unauthorized, "{code}");
    }
    for code in [3, 10, 200, 299] {
        assert_eq!(health(of(code, 0)), HealthState::Misconfigured, "{code}");
    }
    for code in [1, 2, 4, 17, 32, 613, 1200, 80_006] {
        assert!(matches!(of(code, 0), Verdict::Again { whole_channel: true, .. }), "{code}");
    }
    for code in [100, 551, 9999] {
        assert!(matches!(of(code, 0), Verdict::Never { .. }), "{code}");
    }
    let transient = br#"{"error":{"code":9999,"is_transient":true}}"#;
    assert!(matches!(verdict(IG, 400, transient), Verdict::Again { .. }));
    let sent = verdict(IG, 200, br#"{"recipient_id":"4242","message_id":"m_1"}"#);
    assert!(matches!(sent, Verdict::Sent { ids, .. } if ids == ["m_1"]));
    assert_eq!(verdict(FB, 200, b"{}"), Verdict::Uncertain);
    assert_eq!(verdict(FB, 504, b""), Verdict::Uncertain);
    assert!(matches!(verdict(FB, 502, b"<html>"), Verdict::Again { .. }));
}

#[test]
fn messenger_texts_are_split_by_characters_and_instagram_texts_by_bytes() {
    let count = |provider, text: &str| parts(provider, &text_message(text), STAFF).len();
    assert_eq!(count(FB, &"é".repeat(2000)), 1);
    assert_eq!(count(FB, &"é".repeat(2001)), 2);
    assert_eq!(count(IG, &"é".repeat(500)), 1);
    assert_eq!(count(IG, &"é".repeat(501)), 2);
}

fn file_part(provider: Provider, name: &str) -> Part {
    let payload = json!({"url": format!("https://files.example/{name}")});
    let ours = message(&json!({"type": "file_attachment", "payload": payload}));
    parts(provider, &ours, STAFF).remove(0)
}

#[test]
fn messenger_files_are_uploaded_and_instagram_files_are_fetched() {
    let sent = |provider, name: &str, bytes: u64| {
        let ana = ana();
        let file = Some(FileFacts { is_ours: true, bytes: Some(bytes), mime_type: None });
        let destination = Destination { file, ..destination(&ana) };
        let steps = steps(provider, &file_part(provider, name), &destination, &credentials());
        let steps = steps.expect("steps");
        let count = steps.len();
        let say = steps.into_iter().last().expect("a step").taken("A1");
        (count, request(&say)["body"]["message"].clone())
    };
    let mb = 1024 * 1024;
    let (count, uploaded) = sent(FB, "a.png", 25 * mb);
    assert_eq!((count, &uploaded["attachment"]["type"]), (2, &json!("image")));
    assert_eq!(uploaded["attachment"]["payload"]["attachment_id"], "A1");
    let (count, linked) = sent(IG, "a.png", 8 * mb);
    assert_eq!(count, 1);
    assert_eq!(linked["attachment"]["payload"]["url"], "https://files.example/a.png");
    let too_large = |provider, name, bytes| {
        let (count, message) = sent(provider, name, bytes);
        assert_eq!(count, 1);
        message["text"].is_string()
    };
    assert!(too_large(FB, "a.pdf", 25 * mb + 1));
    assert!(too_large(IG, "a.png", 8 * mb + 1));
    assert!(too_large(IG, "a.zip", 1), "Instagram does not accept this type");
    assert!(!too_large(IG, "a.pdf", 1));
}

#[test]
fn buttons_fit_their_bounds() {
    let sent = |count: usize, label: &str| {
        let button = json!({"label": label, "type": "postback", "payload": {}});
        let payload = json!({"text": "Which?", "buttons": vec![button; count]});
        let ours = message(&json!({"type": "buttons", "payload": payload}));
        let body = |part| {
            let steps = steps(FB, part, &destination(&ana()), &credentials()).expect("steps");
            request(&steps[0])["body"]["message"].clone()
        };
        parts(FB, &ours, STAFF).iter().map(body).collect::<Vec<_>>()
    };
    let three = &sent(3, &"x".repeat(21))[0];
    let title = &three["attachment"]["payload"]["buttons"][0]["title"];
    assert_eq!(title.as_str().map(|it| it.chars().count()), Some(20));
    assert_eq!(sent(13, "x")[0]["quick_replies"].as_array().map(Vec::len), Some(13));
    assert_eq!(sent(14, "x").len(), 2);
}

#[test]
fn a_story_mention_is_posted_with_its_address_and_never_fetched() {
    let url = "https://lookaside.example/story";
    let story = json!({"type": "story_mention", "payload": {"url": url}});
    let webhook_body = webhook(json!({"message": {"mid": "m1", "attachments": [story]}}));
    let EventContent::Posted(utterance) = events_of(IG, &webhook_body).remove(0).content else {
        panic!("a posted message")
    };
    let inbound = &utterance.inbound_messages[0];
    assert!(inbound.is_story_mention() && inbound.media().is_none());
    let posted = inbound.posted(&ReplyReference::Nothing, None);
    assert!(posted.payload.json().expect("a file").as_str().contains(url));
}

#[test]
fn a_file_is_fetched_without_a_token() {
    let image = json!({"type": "image", "payload": {"url": "https://cdn.example/1.jpg?x=1"}});
    let webhook_body =
        webhook(json!({"message": {"mid": "m1", "text": "two", "attachments": [image]}}));
    let event = events_of(FB, &webhook_body).remove(0);
    let EventContent::Posted(utterance) = &event.content else { panic!("a posted message") };
    assert_eq!(
        utterance.inbound_messages.len(),
        2,
        "the text and the picture are separate messages"
    );
    let media = utterance.inbound_messages[1].media().expect("a file");
    let [step] = &fetch(FB, media, &credentials())[..] else { panic!("one step") };
    assert_eq!(step.host, ProviderHost::Given("https://cdn.example/1.jpg?x=1".to_owned()));
    assert!(step.bearer.is_none());
    let [seen] = &acknowledge(FB, &event, &credentials(), true)[..] else { panic!("one step") };
    assert_eq!(request(seen)["body"]["sender_action"], "mark_seen");
    let ana = ana();
    let [step] = &typing(IG, &destination(&ana), &credentials())[..] else { panic!("one step") };
    assert_eq!(step.shown_path(), "/v25.0/me/messages");
}

#[test]
fn requests_for_names_and_new_tokens_are_built() {
    let webhook_body = webhook(json!({"message": {"mid": "m1", "text": "hi"}}));
    let contact = events_of(FB, &webhook_body).remove(0).customer.expect("Ana");
    assert_eq!(contact.user_id, "fb-4242");
    let path = |provider| profile(provider, &contact, &credentials())[0].shown_path().to_owned();
    assert_eq!(path(FB), "/v25.0/4242?fields=first_name,last_name,profile_pic");
    assert_eq!(path(IG), "/v25.0/4242?fields=name,username,profile_pic");
    let name = |body: &[u8]| read_profile(FB, body).map(|it| it.name);
    assert_eq!(name(br#"{"first_name":"Ana","last_name":"E"}"#).as_deref(), Some("Ana E"));
    assert_eq!(name(br#"{"username":"ana"}"#).as_deref(), Some("ana"));
    assert_eq!(name(br#"{"error":{"code":230}}"#), None);
    let step = refresh_token(&credentials());
    assert!(step.path().expose().ends_with("access_token=SECRET-token"));
    assert!(!step.shown_path().contains("SECRET") && !format!("{step:?}").contains("SECRET"));
    let (token, seconds) =
        read_refreshed(br#"{"access_token":"new","expires_in":5183944}"#).expect("a token");
    assert_eq!((token.expose(), seconds), ("new", 5_183_944));
    assert!(subscribe(FB, &credentials()).shown_path().starts_with("/v25.0/104/"));
}

#[test]
fn health_explains_problems() {
    for provider in [FB, IG] {
        assert_eq!(check(provider, &credentials()).len(), 2);
        let state = |status, page: Value, apps: Value| {
            let bodies = [page.to_string(), apps.to_string()];
            let answers = bodies.each_ref().map(|it| CheckAnswer { status, body: it.as_bytes() });
            health(provider, &answers, None).state
        };
        let page = json!({"id": "104", "name": "Shop", "username": "shop"});
        let apps = json!({"data": [{"id": "1"}]});
        assert_eq!(state(Some(200), page.clone(), apps.clone()), HealthState::Ok);
        let no_apps = json!({"data": []});
        assert_eq!(state(Some(200), page.clone(), no_apps), HealthState::Misconfigured);
        let others = json!({"data": [{"id": "1", "subscribed_fields": ["feed"]}]});
        assert_eq!(state(Some(200), page.clone(), others), HealthState::Misconfigured);
        let ours = json!({"data": [{"id": "1", "subscribed_fields": ["feed", "messages"]}]});
        assert_eq!(state(Some(200), page.clone(), ours), HealthState::Ok);
        let refused = |code: i64| json!({"error": {"code": code, "message": "why"}});
        assert_eq!(state(Some(401), refused(190), Value::Null), HealthState::Unauthorized);
        assert_eq!(state(Some(400), refused(100), Value::Null), HealthState::Misconfigured);
        assert_eq!(state(Some(400), refused(368), Value::Null), HealthState::Limited);
        assert_eq!(state(Some(503), Value::Null, Value::Null), HealthState::Unreachable);
        assert_eq!(state(None, page, apps), HealthState::Unreachable);
    }
}

#[test]
fn the_object_of_a_webhook_identifies_the_provider() {
    let of = |text: &str| meta_provider(text.as_bytes());
    assert_eq!(of(r#"{"object":"page","entry":[]}"#), Some(FB));
    assert_eq!(of(r#"{"object":"instagram"}"#), Some(IG));
    assert_eq!(of(r#"{"object":"whatsapp_business_account"}"#), Some(Provider::Whatsapp));
    for other in ["", "[]", "{}", r#"{"object":7}"#, r#"{"object":"user"}"#] {
        assert_eq!(of(other), None, "{other}");
    }
}

#[test]
fn messenger_and_instagram_replies_need_an_open_window() {
    for provider in [FB, IG] {
        let part = parts(provider, &text_message("hi"), STAFF).remove(0);
        assert!(needs_window(provider, &part) && provider.reports_later());
    }
}

#[test]
fn empty_and_foreign_bodies_yield_no_message() {
    for body in [
        json!({"entry": []}),
        json!({"entry": [{"messaging": []}, {}, null, 5]}),
        json!({"entry": [{"messaging": {}}]}),
    ] {
        assert_eq!(events_of(FB, &body), [], "{body}");
    }
    let test = json!({"object": "instagram", "entry": [{"id": "0", "changes": [
        {"field": "messages", "value": {"sender": {"id": "12334"}, "message": {"mid": "random"}}},
    ]}]});
    let event = events_of(IG, &test).remove(0);
    assert_eq!(
        event.content,
        EventContent::Ignored(IgnoredReason::Unknown("test of messages".to_owned()))
    );
    assert_eq!(event.customer, None);
    for body in [&b"{}"[..], b"[]", b"", b"{\"entry\":1}"] {
        assert!(read(FB, body).is_err());
    }
}
