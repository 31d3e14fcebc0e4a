//! Tests of WhatsApp (channel facts 3).

use std::time::Duration;

use serde_json::{Value, json};

use super::support::{
    STAFF, check_golden_events, check_golden_requests, destination, events_of, message, request,
    shown, text_message,
};
use crate::whatsapp::{list_templates, spellings, subscribe, typed_number};
use crate::{
    CheckAnswer, Credentials, Destination, EventContent, ExternalId, FileFacts, Head, HealthState,
    IdKind, IgnoredReason, Pause, Proof, Provider, ProviderHost, State, Verdict, acknowledge,
    check, edit_parts, fetch, health, parts, prove, read, steps, typing, verdict,
};

const WA: Provider = Provider::Whatsapp;

fn credentials() -> Credentials {
    Credentials::default()
        .with("access_token", "SECRET-token")
        .with("app_secret", "app-secret")
        .with("verify_token", "verify-me")
        .with("phone_number_id", "106540352242922")
        .with("business_id", "102290129340398")
}

fn ana() -> ExternalId {
    ExternalId { kind: IdKind::Number, value: "6281234567890".to_owned() }
}

#[test]
fn every_kind_of_webhook_is_read() {
    check_golden_events(WA, "whatsapp");
}

#[test]
fn every_kind_of_message_is_sent() {
    check_golden_requests(WA, "whatsapp", &ana(), &credentials());
}

#[test]
fn the_handshake_is_echoed_byte_for_byte() {
    let proof = |query| {
        let head = Head { method: "GET", query, headers: &[] };
        prove(WA, &credentials(), &head, b"")
    };
    let right = "hub.mode=subscribe&hub.verify_token=verify-me&hub.challenge=11%3C58%26";
    assert_eq!(proof(right), Proof::Handshake("11<58&".to_owned()));
    for wrong in [
        "hub.mode=subscribe&hub.verify_token=verify-mf&hub.challenge=1",
        "hub.mode=subscribe&hub.verify_token=&hub.challenge=1",
        "hub.mode=subscribe&hub.challenge=1",
        "hub.mode=unsubscribe&hub.verify_token=verify-me&hub.challenge=1",
        "hub.mode=subscribe&hub.verify_token=verify-me",
        "",
    ] {
        assert_eq!(proof(wrong), Proof::Forged, "{wrong}");
    }
    let head = Head { method: "GET", query: right, headers: &[] };
    assert_eq!(prove(WA, &Credentials::default(), &head, b""), Proof::Forged);
}

#[test]
fn a_signature_covers_the_received_bytes() {
    // printf '{"a":"\u00e9"}' | openssl dgst -sha256 -hmac app-secret
    let raw = br#"{"a":"\u00e9"}"#;
    let signature = "sha256=272058dc9419fc90968501c0ae04277cea380c0a41e7db09884b00d6096e1693";
    let proof = |signature: &str, raw: &[u8]| {
        let headers = [("X-Hub-Signature-256", signature)];
        prove(WA, &credentials(), &Head { method: "POST", query: "", headers: &headers }, raw)
    };
    assert_eq!(proof(signature, raw), Proof::Proven);
    assert_eq!(proof(signature, "{\"a\":\"é\"}".as_bytes()), Proof::Forged);
    assert_eq!(proof(&signature.replace("sha256", "sha1"), raw), Proof::Forged);
    assert_eq!(proof(&signature[..70], raw), Proof::Forged);
    assert_eq!(proof("sha256=", raw), Proof::Forged);
    assert_eq!(proof("sha256=é", raw), Proof::Forged);
    let headers = [("x-hub-signature-256", signature)];
    let head = Head { method: "POST", query: "", headers: &headers };
    assert_eq!(prove(WA, &Credentials::default(), &head, raw), Proof::Forged);
}

/// Returns a webhook with this value.
fn webhook(value: Value) -> Value {
    json!({"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [
        {"field": "messages", "value": value},
    ]}]})
}

fn text(id: &str, from: &str) -> Value {
    let body = format!("I am {from}");
    json!({"id": id, "from": from, "timestamp": "1769853600", "type": "text", "text": {"body": body}})
}

#[test]
fn every_element_of_every_array_is_read_with_its_own_contact() {
    let contact = |id: &str| json!({"wa_id": id, "profile": {"name": format!("Name of {id}")}});
    let value = json!({
        "metadata": {"phone_number_id": "9"},
        // Contacts in a different order from the messages.
        "contacts": [contact("62822"), contact("62811")],
        "messages": [text("a", "62811"), text("b", "62822"), text("c", "62833")],
        "statuses": [
            {"id": "x", "status": "sent", "timestamp": "1", "recipient_id": "62811"},
            {"id": "y", "status": "read", "timestamp": "2", "recipient_id": "62844"},
        ],
    });
    let change = json!({"field": "messages", "value": value});
    let body = json!({"object": "whatsapp_business_account", "entry": [
        {"id": "1", "changes": [change, change]}, {"id": "2", "changes": [change]},
    ]});
    let events = events_of(WA, &body);
    assert_eq!(events.len(), 15);
    let name = |at: usize| events[at].customer.as_ref().and_then(|it| it.name.clone());
    assert_eq!(name(0).as_deref(), Some("Name of 62811"));
    assert_eq!(name(1).as_deref(), Some("Name of 62822"));
    assert_eq!(name(2), None, "the webhook has no contact for this message");
    assert_eq!(events[2].customer.as_ref().expect("a customer").user_id, "62833");
    assert!(events.iter().all(|event| event.account.as_deref() == Some("9")));
    let keys: Vec<_> = events[..5].iter().map(|event| event.key.as_str()).collect();
    assert_eq!(keys, ["a", "b", "c", "status:x:sent", "status:y:read"]);
}

#[test]
fn a_name_with_a_lone_surrogate_is_readable() {
    let raw = webhook(json!({"contacts": [{"wa_id": "62811", "profile": {"name": "NAME"}}],
        "messages": [text("a", "62811")]}));
    let raw =
        raw.to_string().replace("NAME", r"Ana \ud83d").replace("I am", r"\\ud83d \ud83d\ude00");
    let events = read(WA, raw.as_bytes()).expect("readable");
    let contact = events[0].customer.as_ref().expect("Ana");
    assert_eq!(contact.name.as_deref(), Some("Ana \u{fffd}"));
    let shown_event = shown(&events[0]).to_string();
    assert!(shown_event.contains(r"\\ud83d 😀 62811"), "{shown_event}");
}

#[test]
fn empty_and_foreign_bodies_yield_no_message() {
    for body in [
        json!({"entry": []}),
        json!({"entry": [{"changes": []}]}),
        webhook(json!({"messages": [], "statuses": []})),
        json!({"entry": [null, 1, "x", {"changes": {}}]}),
    ] {
        assert_eq!(events_of(WA, &body), [], "{body}");
    }
    for body in [webhook(Value::Null), webhook(json!({})), webhook(json!({"messages": [1, null]}))]
    {
        let events = events_of(WA, &body);
        assert!(
            !events.is_empty()
                && events.iter().all(|it| matches!(it.content, EventContent::Ignored(_)))
        );
    }
    for body in [&b"{}"[..], b"[]", b"1", b"", b"{\"entry\":{}}"] {
        assert!(read(WA, body).is_err());
    }
}

#[test]
fn a_customer_without_a_number_is_identified_by_their_scoped_id() {
    let mut message = text("a", "x");
    message.as_object_mut().expect("an object").remove("from");
    message["from_user_id"] = "ID.1349".into();
    let contacts = json!([{"user_id": "ID.1349", "profile": {"name": "Ana", "username": "ana"}}]);
    let event =
        events_of(WA, &webhook(json!({"contacts": contacts, "messages": [message]}))).remove(0);
    let contact = event.customer.expect("Ana");
    assert_eq!((contact.user_id.as_str(), event.lane.as_str()), ("ID.1349", "ID.1349"));
    assert_eq!(contact.ids[0].kind, IdKind::BusinessScoped);
    let to = &contact.ids[0];
    let part = &parts(WA, &text_message("hello"), STAFF)[0];
    let step = &steps(WA, part, &destination(to), &credentials()).expect("steps")[0];
    let body = request(step)["body"].clone();
    assert_eq!((body["recipient"].as_str(), body.get("to")), (Some("ID.1349"), None));
}

#[test]
fn only_templates_are_sent_after_the_window() {
    let ana = ana();
    let closed = Destination { is_window_open: false, ..destination(&ana) };
    let text = &parts(WA, &text_message("hello"), STAFF)[0];
    assert_eq!(steps(WA, text, &closed, &credentials()).err(), Some(Verdict::WindowClosed));
    let template = json!({"name": "late", "language": {"code": "id"}, "components": []});
    let template =
        message(&json!({"type": "custom", "payload": {"type": "template", "content": template}}));
    let part = &parts(WA, &template, STAFF)[0];
    assert!(steps(WA, part, &closed, &credentials()).is_ok());
}

fn refused(status: u16, error: Value) -> Verdict {
    verdict(WA, status, json!({"error": error}).to_string().as_bytes())
}

#[test]
fn every_error_code_has_its_verdict() {
    let of = |code: i64| refused(400, json!({"code": code, "message": "why"}));
    for code in [0, 190, 3, 10, 200, 250, 299, 131_005] {
        let verdict = of(code);
        let Verdict::BadToken { health: HealthState::Unauthorized, .. } = verdict else {
            panic!("{code}: {verdict:?}")
        };
    }
    for code in [368, 130_497, 131_031, 131_042, 131_045, 131_057, 133_010] {
        let verdict = of(code);
        let Verdict::BadToken { health: HealthState::Misconfigured, .. } = verdict else {
            panic!("{code}: {verdict:?}")
        };
    }
    for code in [1, 2, 4, 80_007, 130_429, 131_016, 131_000] {
        let again = Verdict::Again { after: Pause::TROUBLE, whole_channel: true, instead: None };
        assert_eq!(of(code), again, "{code}");
    }
    for code in [
        131_026, 131_021, 131_030, 131_062, 131_048, 131_049, 131_050, 131_064, 130_472, 131_051,
        131_052, 131_053, 131_008, 131_009, 100, 132_000, 132_001, 132_015, 999_999,
    ] {
        let verdict = of(code);
        let Verdict::Never { code: reported, why } = verdict else { panic!("{code}: {verdict:?}") };
        assert_eq!(reported, code.to_string());
        assert!(why.len() > 10, "{why}");
    }
    assert_eq!(of(131_047), Verdict::WindowClosed);
    let Verdict::Again { after, whole_channel: false, .. } = of(131_056) else {
        panic!("only the lane waits")
    };
    let seconds = [0, 1, 4].map(|before| after.length(before));
    assert_eq!(seconds, [6, 12, 60].map(Duration::from_secs));
    let missing = refused(400, json!({"code": 100, "error_subcode": 33, "message": "why"}));
    assert!(matches!(missing, Verdict::BadToken { .. }), "the number does not belong to the token");
    let again = |verdict| matches!(verdict, Verdict::Again { whole_channel: true, .. });
    assert!(again(refused(400, json!({"code": 5555, "is_transient": true}))));
    assert!(again(refused(503, json!({"code": 5555}))));
    assert!(again(verdict(WA, 502, b"<html>")));
    assert_eq!(verdict(WA, 504, b""), Verdict::Uncertain);
    assert_eq!(verdict(WA, 200, b"{"), Verdict::Uncertain);
}

#[test]
fn an_accepted_message_has_its_id_and_the_customers_ids() {
    let answer = br#"{"messaging_product":"whatsapp","contacts":[{"input":"0812",
        "wa_id":"62812","user_id":"ID.7"}],"messages":[{"id":"wamid.1","message_status":"accepted"}]}"#;
    let Verdict::Sent { ids, also_known_as } = verdict(WA, 200, answer) else { panic!("sent") };
    assert_eq!(ids, ["wamid.1"]);
    let known: Vec<_> = also_known_as.iter().map(|it| (it.kind, it.value.as_str())).collect();
    assert_eq!(known, [(IdKind::Number, "62812"), (IdKind::BusinessScoped, "ID.7")]);
    let read = verdict(WA, 200, br#"{"success":true}"#);
    assert!(matches!(read, Verdict::Sent { ids, .. } if ids.is_empty()));
}

#[test]
fn the_message_type_of_a_file_depends_on_type_and_size() {
    let kind = |name: &str, bytes: u64, caption: &str| {
        let payload = json!({"url": format!("https://files.example/{name}"), "caption": caption});
        let ours = message(&json!({"type": "file_attachment", "payload": payload}));
        let parts = parts(WA, &ours, STAFF);
        let ana = ana();
        let file = Some(FileFacts { is_ours: true, bytes: Some(bytes), mime_type: None });
        let destination = Destination { file, ..destination(&ana) };
        let steps = steps(WA, &parts[0], &destination, &credentials());
        steps.map(|steps| {
            let [upload, say] = &steps[..] else { panic!("two steps") };
            let id = upload.given(br#"{"id":"M1"}"#).expect("an id");
            let body = request(&say.clone().taken(&id))["body"].clone();
            let kind = body["type"].as_str().expect("a type").to_owned();
            assert_eq!(body[&kind]["id"], "M1");
            (kind, parts.len())
        })
    };
    let mb = 1024 * 1024;
    for (name, bytes, caption, wanted, count) in [
        ("a.jpg", 5 * mb, "c", "image", 1),
        ("a.png", 5 * mb + 1, "c", "document", 1),
        ("a.webp", 100 * 1024, "c", "sticker", 2),
        ("a.webp", 100 * 1024 + 1, "", "document", 1),
        ("a.ogg", 16 * mb, "c", "audio", 2),
        ("a.mp3", 16 * mb + 1, "", "document", 1),
        ("a.mp4", 16 * mb, "c", "video", 1),
        ("a.mov", 1, "", "document", 1),
        ("a.pdf", 100 * mb, "c", "document", 1),
    ] {
        assert_eq!(kind(name, bytes, caption), Ok((wanted.to_owned(), count)), "{name} {bytes}");
    }
    assert!(matches!(kind("a.pdf", 100 * mb + 1, ""), Err(Verdict::Never { .. })));
}

#[test]
fn buttons_fit_their_bounds() {
    let sent = |labels: &[String]| {
        let button = |label: &String| json!({"label": label, "type": "postback", "payload": {}});
        let buttons: Vec<_> = labels.iter().map(button).collect();
        let payload = json!({"text": "Which?", "buttons": buttons});
        let ours = message(&json!({"type": "buttons", "payload": payload}));
        let body = |part| {
            let steps = steps(WA, part, &destination(&ana()), &credentials()).expect("steps");
            request(&steps[0])["body"]["interactive"].clone()
        };
        parts(WA, &ours, STAFF).iter().map(body).collect::<Vec<_>>()
    };
    let labels = |count: usize, length: usize| vec!["x".repeat(length); count];
    assert_eq!(sent(&labels(3, 20))[0]["type"], "button");
    let list = &sent(&labels(3, 25))[0];
    assert_eq!(list["type"], "list");
    let row = &list["action"]["sections"][0]["rows"][0];
    assert_eq!(row["title"].as_str().map(|it| it.chars().count()), Some(24));
    assert_eq!(row["description"].as_str().map(str::len), Some(25));
    assert_eq!(sent(&labels(10, 5))[0]["type"], "list");
    let two = sent(&labels(13, 5));
    assert_eq!(two.len(), 2);
    assert_eq!(two[1]["action"]["buttons"][0]["reply"]["id"], "confab:9007199254740991:10");
}

#[test]
fn typed_numbers_are_normalized() {
    for (typed, number) in [
        ("+62 812-3456-789", Some("628123456789")),
        ("0812 3456 789", Some("628123456789")),
        ("8123456789", Some("628123456789")),
        ("(0812) 3456.789", Some("628123456789")),
        ("628123456789", Some("628123456789")),
        ("+81 90 1234 5678", Some("819012345678")),
        ("0049 30 1234567", Some("49301234567")),
        ("0812", None),
        ("+1234567890123456", None),
        ("call me", None),
        ("", None),
    ] {
        assert_eq!(typed_number(typed, "62").as_deref(), number, "{typed}");
    }
    assert_eq!(typed_number("8123456789", "49").as_deref(), Some("8123456789"));
}

#[test]
fn a_number_is_found_by_each_of_its_spellings() {
    let both = |one: &str, other: &str| {
        assert_eq!(spellings(one), [one, other]);
        assert_eq!(spellings(other), [other, one]);
    };
    both("5511988887777", "551188887777");
    both("5491123456789", "541123456789");
    both("5215512345678", "525512345678");
    assert_eq!(spellings("628123456789"), ["628123456789"]);
    assert_eq!(spellings("55é"), ["55é"]);
}

#[test]
fn a_file_is_located_and_fetched_with_the_same_token() {
    let image = json!({"id": "M1", "mime_type": "image/jpeg"});
    let message = json!({"id": "a", "from": "62811", "type": "image", "image": image});
    let events = events_of(WA, &webhook(json!({"messages": [message]})));
    let EventContent::Posted(utterance) = &events[0].content else { panic!("a posted message") };
    let media = utterance.inbound_messages[0].media().expect("a file");
    let [locate, file] = &fetch(WA, media, &credentials())[..] else { panic!("two steps") };
    assert_eq!(request(locate)["to"], "Locate Get /v25.0/M1");
    let url = "https://lookaside.example/?mid=1";
    let file = file
        .clone()
        .taken(&locate.given(json!({"url": url}).to_string().as_bytes()).expect("a url"));
    assert_eq!(file.host, ProviderHost::Given(url.to_owned()));
    assert!(file.bearer.is_some());
    assert!(!format!("{file:?}").contains("SECRET"));
    let [read] = &acknowledge(WA, &events[0], &credentials(), true)[..] else { panic!("one step") };
    assert_eq!(request(read)["body"]["message_id"], "a");
    assert!(acknowledge(WA, &events[0], &credentials(), false).is_empty());
}

#[test]
fn requests_for_typing_webhooks_and_templates_are_built() {
    let ana = ana();
    let last = Destination { target: Some("wamid.9"), ..destination(&ana) };
    let step = &typing(WA, &last, &credentials())[0];
    assert_eq!(request(step)["body"]["typing_indicator"], json!({"type": "text"}));
    assert!(typing(WA, &destination(&ana), &credentials()).is_empty());
    let hook = subscribe("https://chat.example/hook", &credentials()).expect("a step");
    assert_eq!(hook.shown_path(), "/v25.0/102290129340398/subscribed_apps");
    let page = list_templates(Some("a b"), &credentials()).expect("a step");
    assert!(page.shown_path().ends_with("&limit=100&after=a%20b"));
    assert!(list_templates(None, &Credentials::default()).is_none());
    assert!(edit_parts(WA, &text_message("new"), STAFF).is_empty());
}

#[test]
fn health_explains_problems() {
    assert_eq!(check(WA, &credentials()).len(), 2);
    let state = |number: Value, apps: Value, status: u16| {
        let (number, apps) = (number.to_string(), apps.to_string());
        let answers = [
            CheckAnswer { status: Some(status), body: number.as_bytes() },
            CheckAnswer { status: Some(200), body: apps.as_bytes() },
        ];
        health(WA, &answers, None)
    };
    let number = |state: &str, quality: &str| {
        json!({"id": "106", "display_phone_number": "+62 811", "verified_name": "Shop",
               "status": state, "quality_rating": quality})
    };
    let apps = json!({"data": [{"whatsapp_business_api_data": {}}]});
    let fine = state(number("CONNECTED", "GREEN"), apps.clone(), 200);
    assert_eq!(
        (fine.state, fine.account.expect("a number").username.as_str()),
        (HealthState::Ok, "+62 811")
    );
    let is = |number, apps, status| state(number, apps, status).state;
    assert_eq!(is(number("CONNECTED", "RED"), apps.clone(), 200), HealthState::Limited);
    assert_eq!(is(number("BANNED", "RED"), apps.clone(), 200), HealthState::Misconfigured);
    let no_apps = json!({"data": []});
    assert_eq!(is(number("CONNECTED", "GREEN"), no_apps, 200), HealthState::Misconfigured);
    let dead = json!({"error": {"code": 190, "message": "expired"}});
    assert_eq!(is(dead, Value::Null, 401), HealthState::Unauthorized);
    let unpaid = json!({"error": {"code": 131_042, "message": "unpaid"}});
    assert_eq!(is(unpaid, Value::Null, 400), HealthState::Misconfigured);
    assert_eq!(is(Value::Null, Value::Null, 503), HealthState::Unreachable);
    assert_eq!(health(WA, &[], None).state, HealthState::Unreachable);
}

#[test]
fn states_are_ordered_by_progress_and_unknown_ones_ignored() {
    assert!(State::Sent < State::Delivered && State::Delivered < State::Read);
    let status = json!({"id": "x", "status": "warming", "timestamp": "1", "recipient_id": "62"});
    let event = events_of(WA, &webhook(json!({"statuses": [status]}))).remove(0);
    assert_eq!(
        event.content,
        EventContent::Ignored(IgnoredReason::Unknown("status warming".to_owned()))
    );
}
