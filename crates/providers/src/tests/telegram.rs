//! Tests of Telegram (channel facts 4.1).

use std::time::Duration;

use serde_json::{Value, json};

use super::support::{
    STAFF, check_golden_events, check_golden_requests, destination, events_of, message, request,
    text_message,
};
use crate::telegram::{Poll, poll, read_poll, remove_hook, set_hook};
use crate::{
    CheckAnswer, Credentials, Destination, EventContent, ExternalId, FileFacts, Head, HealthState,
    IdKind, IgnoredReason, Instead, Part, PartContent, Pause, Proof, Provider, ReplyReference,
    Step, StepBody, Verdict, acknowledge, check, credential_names, delete_parts, edit_parts, fetch,
    health, parts, pressed, prove, read, steps, typing, verdict,
};

const BOT: Provider = Provider::Telegram;
const TOKEN: &str = "123:SECRET-of-the-bot";

fn credentials() -> Credentials {
    Credentials::default().with("bot_token", TOKEN).with("webhook_secret", "hook-secret")
}

fn ana() -> ExternalId {
    ExternalId { kind: IdKind::Chat, value: "77".to_owned() }
}

fn sent(part: &Part, to: &Destination<'_>) -> Vec<Step> {
    steps(BOT, part, to, &credentials()).expect("steps")
}

#[test]
fn every_kind_of_update_is_read() {
    check_golden_events(BOT, "telegram");
}

#[test]
fn every_kind_of_message_is_sent() {
    check_golden_requests(BOT, "telegram", &ana(), &credentials());
}

#[test]
fn only_the_webhook_secret_proves_an_update() {
    let proof = |credentials: &Credentials, method, secret| {
        let headers = [("X-Telegram-Bot-Api-Secret-Token", secret)];
        let head = Head { method, query: "", headers: &headers };
        prove(BOT, credentials, &head, b"{}")
    };
    assert_eq!(proof(&credentials(), "POST", "hook-secret"), Proof::Proven);
    assert_eq!(proof(&credentials(), "GET", "hook-secret"), Proof::Forged);
    assert_eq!(proof(&credentials(), "POST", "hook-secres"), Proof::Forged);
    assert_eq!(proof(&credentials(), "POST", ""), Proof::Forged);
    assert_eq!(
        proof(&Credentials::default(), "POST", ""),
        Proof::Forged,
        "nothing is proven without a secret"
    );
    let head = Head { method: "POST", query: "", headers: &[] };
    assert_eq!(prove(BOT, &credentials(), &head, b"{}"), Proof::Forged);
}

#[test]
fn the_token_is_in_the_sent_path_but_in_no_loggable_form() {
    let parts = parts(BOT, &text_message("hello"), STAFF);
    let step = &sent(&parts[0], &destination(&ana()))[0];
    assert_eq!(step.path().expose(), format!("/bot{TOKEN}/sendMessage"));
    assert_eq!(step.shown_path(), "/bot{token}/sendMessage");
    assert!(!format!("{step:?}").contains("SECRET"));
    assert!(!format!("{step:?}").contains("hello"), "message content is not logged");
    let names: Vec<_> = credential_names(BOT).iter().map(|it| it.name).collect();
    assert_eq!(names, ["bot_token", "webhook_secret"]);
}

#[test]
fn a_file_is_located_and_then_fetched_below_its_folder() {
    let update = json!({"update_id": 1, "message": {
        "message_id": 5, "date": 1, "chat": {"id": 77, "type": "private"},
        "voice": {"file_id": "F1", "duration": 3},
    }});
    let EventContent::Posted(utterance) = &events_of(BOT, &update)[0].content else {
        panic!("a posted message")
    };
    let media = utterance.inbound_messages[0].media().expect("a file");
    let [locate, file] = &fetch(BOT, media, &credentials())[..] else { panic!("two steps") };
    assert_eq!(request(locate)["to"], "Locate Post /bot{token}/getFile");
    let answer = br#"{"ok":true,"result":{"file_id":"F1","file_path":"voice/file 1.oga"}}"#;
    let given = locate.given(answer).expect("a path");
    let file = file.clone().taken(&given);
    assert_eq!(file.path().expose(), format!("/file/bot{TOKEN}/voice/file%201.oga"));
    let [_, file] = &fetch(BOT, media, &credentials())[..] else { panic!("two steps") };
    let away = file.clone().taken("../../botX/../getMe?a=b");
    assert_eq!(away.shown_path(), "/file/bot{token}/botX/getMe%3Fa%3Db");
    assert_eq!(locate.given(br#"{"ok":false}"#), None);
}

#[test]
fn a_button_press_posts_the_buttons_text_and_is_acknowledged() {
    let ours = message(&json!({"type": "buttons", "payload": {"text": "Which?", "buttons": [
        {"label": "Red", "type": "postback", "payload": {}},
        {"label": "Blue", "type": "postback", "postback_text": "I take blue",
         "payload": {"url": "https://shop.example/", "method": "get", "payload": null}},
    ]}}));
    let parts = parts(BOT, &ours, STAFF);
    let shown = request(&sent(&parts[0], &destination(&ana()))[0]);
    let key = &shown["body"]["reply_markup"]["inline_keyboard"][1][0];
    assert!(key["callback_data"].as_str().expect("a key").len() <= 64);
    let update = json!({"update_id": 9, "callback_query": {
        "id": "q1", "from": {"id": 77, "first_name": "Ana"}, "data": key["callback_data"],
        "message": {"message_id": 4, "date": 1, "chat": {"id": 77, "type": "private"}},
    }});
    let event = &events_of(BOT, &update)[0];
    let EventContent::Pressed(press) = &event.content else { panic!("a pressed button") };
    let posted = pressed(press, Some(&ours), |_| None);
    assert_eq!(posted.text, "I take blue");
    let payload = posted.payload.json().expect("JSON").as_str();
    assert_eq!(payload, r#"{"method":"get","payload":null,"url":"https://shop.example/"}"#);
    let [answer] = &acknowledge(BOT, event, &credentials(), false)[..] else { panic!("one step") };
    assert_eq!(request(answer)["body"], json!({"callback_query_id": "q1"}));
    // The message was deleted, or it has no such button.
    assert_eq!(pressed(press, None, |_| None).text, "…");
    assert_eq!(pressed(press, Some(&text_message("other")), |_| None).text, "…");
}

#[test]
fn every_response_has_its_verdict() {
    let refused = |code: u16, description: &str, parameters: Value| {
        let body = json!({
            "ok": false, "error_code": code, "description": description, "parameters": parameters,
        });
        verdict(BOT, code, body.to_string().as_bytes())
    };
    let again = |after, whole_channel| Verdict::Again { after, whole_channel, instead: None };
    let exactly = |seconds| Pause::Exactly(Duration::from_secs(seconds));
    let sent = br#"{"ok":true,"result":{"message_id":41,"date":1,"chat":{"id":77}}}"#;
    let sent_as = |ids| Verdict::Sent { ids, also_known_as: Vec::new() };
    assert_eq!(verdict(BOT, 200, sent), sent_as(vec!["77:41".to_owned()]));
    assert_eq!(verdict(BOT, 200, br#"{"ok":true,"result":true}"#), sent_as(Vec::new()));
    let limit = refused(429, "Too Many Requests: retry after 7", json!({"retry_after": 7}));
    assert_eq!(limit, again(exactly(7), true));
    assert!(matches!(refused(401, "Unauthorized", Value::Null), Verdict::BadToken { .. }));
    assert!(matches!(refused(404, "Not Found", Value::Null), Verdict::BadToken { .. }));
    let never = |code: u16, description: &str| match refused(code, description, Value::Null) {
        Verdict::Never { why, .. } => why,
        verdict => panic!("{verdict:?}"),
    };
    let blocked = never(403, "Forbidden: bot was blocked by the user");
    assert_eq!(blocked, "The customer blocked the bot.");
    never(403, "Forbidden: user is deactivated");
    never(400, "Bad Request: chat not found");
    never(413, "Request Entity Too Large");
    assert_eq!(never(400, "Bad Request: odd"), "Telegram refused it: Bad Request: odd");
    let moved = refused(400, "upgraded", json!({"migrate_to_chat_id": -1001}));
    let Verdict::Again { instead: Some(Instead::Address(address)), .. } = moved else {
        panic!("moved")
    };
    assert_eq!(address, "-1001");
    for done in ["message is not modified", "message to delete not found", "query is too old"] {
        let done = refused(400, &format!("Bad Request: {done}"), Value::Null);
        assert_eq!(done, sent_as(Vec::new()));
    }
    assert_eq!(refused(500, "Internal Server Error", Value::Null), again(Pause::TROUBLE, true));
    assert_eq!(refused(504, "Gateway Timeout", Value::Null), Verdict::Uncertain);
}

#[test]
fn a_response_of_a_proxy_is_not_a_refusal() {
    let page = b"<html>502 Bad Gateway</html>";
    for status in [301, 403, 407, 502, 503] {
        assert!(matches!(verdict(BOT, status, page), Verdict::Again { whole_channel: true, .. }));
    }
    for status in [200, 504] {
        assert_eq!(verdict(BOT, status, page), Verdict::Uncertain, "it may have been sent");
    }
    assert_eq!(verdict(BOT, 200, b""), Verdict::Uncertain);
}

#[test]
fn texts_and_captions_are_split_at_their_bounds() {
    let part_count = |text: &str| parts(BOT, &text_message(text), STAFF).len();
    assert_eq!(part_count(&"a".repeat(4096)), 1);
    assert_eq!(part_count(&"a".repeat(4097)), 2);
    assert_eq!(part_count(&"😀".repeat(2048)), 1, "the length is counted in UTF-16");
    assert_eq!(part_count(&"😀".repeat(2049)), 2);
    let file = |caption: String| {
        let payload = json!({"url": "https://files.example/a.png", "caption": caption});
        parts(BOT, &message(&json!({"type": "file_attachment", "payload": payload})), STAFF)
    };
    assert_eq!(file("c".repeat(1024)).len(), 1);
    let [
        Part { say: PartContent::File { caption, .. }, .. },
        Part { say: PartContent::Text { text }, .. },
    ] = &file("c".repeat(1025))[..]
    else {
        panic!("the caption follows")
    };
    assert_eq!((caption.as_str(), text.len()), ("", 1025));
}

#[test]
fn the_method_for_a_file_depends_on_type_size_and_location() {
    let part = |name: &str| {
        let payload = json!({"url": format!("https://files.example/{name}")});
        parts(BOT, &message(&json!({"type": "file_attachment", "payload": payload})), STAFF)
            .remove(0)
    };
    let method = |name: &str, bytes: u64, is_ours| {
        let file = Some(FileFacts { is_ours, bytes: Some(bytes), mime_type: None });
        let ana = ana();
        let destination = Destination { file, ..destination(&ana) };
        steps(BOT, &part(name), &destination, &credentials()).map(|steps| {
            let is_upload = matches!(steps[0].body, StepBody::Multipart { .. });
            assert_eq!(is_upload, is_ours);
            steps[0].shown_path().replace("/bot{token}/", "")
        })
    };
    let mb = 1024 * 1024;
    for (name, bytes, wanted) in [
        ("a.jpg", 10 * mb, "sendPhoto"),
        ("a.jpg", 10 * mb + 1, "sendDocument"),
        ("a.gif", 1, "sendAnimation"),
        ("a.mp4", 50 * mb, "sendVideo"),
        ("a.mp3", 1, "sendAudio"),
        ("a.ogg", 1, "sendVoice"),
        ("a.pdf", 1, "sendDocument"),
        ("noending", 1, "sendDocument"),
    ] {
        assert_eq!(method(name, bytes, true), Ok(wanted.to_owned()), "{name}");
        assert_eq!(method(name, bytes, false), Ok(wanted.to_owned()), "{name}");
    }
    let too_large = method("a.pdf", 50 * mb + 1, true);
    assert!(matches!(too_large, Err(Verdict::Never { code, .. }) if code == "too_large"));
}

#[test]
fn sent_messages_are_edited_and_deleted() {
    let ana = ana();
    let destination = Destination { target: Some("77:41"), ..destination(&ana) };
    let edit = &edit_parts(BOT, &text_message("better"), STAFF)[0];
    let shown = request(&sent(edit, &destination)[0]);
    assert_eq!(shown["to"], "Say Post /bot{token}/editMessageText");
    assert_eq!(shown["body"], json!({"chat_id": 77, "message_id": 41, "text": "better"}));
    let delete = &delete_parts(BOT, &text_message(""), STAFF)[0];
    let shown = request(&sent(delete, &destination)[0]);
    assert_eq!(shown["body"], json!({"chat_id": 77, "message_id": 41}));
    let nowhere = Destination { target: None, ..destination };
    let refused = steps(BOT, delete, &nowhere, &credentials());
    assert!(matches!(refused, Err(Verdict::Never { code, .. }) if code == "not_sent"));
    let card = message(&json!({"type": "card", "text": "a card", "payload": {}}));
    assert!(edit_parts(BOT, &card, STAFF).is_empty(), "only texts can be edited");
    let [step] = &typing(BOT, &destination, &credentials())[..] else { panic!("one step") };
    assert_eq!(request(step)["body"], json!({"chat_id": 77, "action": "typing"}));
}

#[test]
fn polling_continues_after_unreadable_updates() {
    let step = poll(Some(12), &credentials());
    assert_eq!(request(&step)["body"]["offset"], 12);
    assert_eq!(request(&poll(None, &credentials()))["body"].get("offset"), None);
    let body = br#"{"ok":true,"result":[
        {"update_id":12,"message":{"message_id":5,"date":1,"chat":{"id":77,"type":"private"},
         "text":"deep","x":DEEP}},
        {"update_id":13,"message":{"message_id":6,"date":2,"chat":{"id":77,"type":"private"},
         "text":"whole"}}]}"#;
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let body = String::from_utf8_lossy(body).replace("DEEP", &deep);
    let Poll::Updates { events, next_offset } = read_poll(200, body.as_bytes()) else {
        panic!("updates")
    };
    assert_eq!((events.len(), next_offset), (2, Some(14)));
    assert_eq!(events[0].key, "update:12");
    assert!(matches!(events[0].content, EventContent::Ignored(IgnoredReason::Unknown(_))));
    assert!(matches!(events[1].content, EventContent::Posted(_)));
    let empty = read_poll(200, br#"{"ok":true,"result":[]}"#);
    assert_eq!(empty, Poll::Updates { events: Vec::new(), next_offset: None });
}

#[test]
fn polling_fails_with_a_reason() {
    let refused = |code: u16, why: &str| {
        let body = json!({"ok": false, "error_code": code, "description": why});
        read_poll(code, body.to_string().as_bytes())
    };
    let hook = "Conflict: can't use getUpdates method while webhook is active";
    assert_eq!(refused(409, hook), Poll::HookIsSet);
    let other = "Conflict: terminated by other getUpdates request";
    assert_eq!(refused(409, other), Poll::OtherPoller);
    let dead = refused(401, "Unauthorized");
    assert!(matches!(dead, Poll::Failed(Verdict::BadToken { .. })));
    assert!(matches!(read_poll(200, b"<html>"), Poll::Failed(Verdict::Again { .. })));
}

#[test]
fn the_webhook_is_set_and_removed_without_dropping_updates() {
    let set = request(&set_hook("https://chat.example/hook", &credentials()));
    assert_eq!(set["body"]["drop_pending_updates"], false);
    assert_eq!(set["body"]["secret_token"], "hook-secret");
    assert!(set["body"]["allowed_updates"].to_string().contains("message_reaction"));
    assert_eq!(request(&remove_hook(&credentials()))["body"]["drop_pending_updates"], false);
}

#[test]
fn health_explains_problems() {
    const URL: &str = "https://chat.example/hook";
    let me = json!({"ok": true, "result": {"id": 9, "first_name": "Shop", "username": "shop_bot"}});
    let hook = |url: &str, more: Value| {
        let mut result = json!({"url": url, "pending_update_count": 0});
        more.as_object().into_iter().flatten().for_each(|(k, v)| result[k] = v.clone());
        json!({"ok": true, "result": result}).to_string()
    };
    let me = me.to_string();
    let state = |hook: &str, wanted| {
        let answer = |body: &'static str| CheckAnswer { status: Some(200), body: body.as_bytes() };
        let (me, hook) = (me.clone().leak(), hook.to_owned().leak());
        health(BOT, &[answer(me), answer(hook)], wanted)
    };
    assert_eq!(check(BOT, &credentials()).len(), 2);
    let fine = state(&hook(URL, Value::Null), Some(URL));
    assert_eq!(fine.state, HealthState::Ok);
    assert_eq!(fine.account.expect("a bot").username, "shop_bot");
    assert_eq!(state(&hook("", Value::Null), None).state, HealthState::Ok);
    let elsewhere = hook("https://other.example/", Value::Null);
    for wanted in [Some(URL), None] {
        assert_eq!(state(&elsewhere, wanted).state, HealthState::Misconfigured);
    }
    let late = json!({"pending_update_count": 3, "last_error_message": "Connection timed out"});
    assert_eq!(state(&hook(URL, late), Some(URL)).state, HealthState::Limited);
    let answer = |status, body| [CheckAnswer { status, body }];
    let dead = br#"{"ok":false,"error_code":401,"description":"Unauthorized"}"#;
    let dead = health(BOT, &answer(Some(401), dead), None);
    assert_eq!(dead.state, HealthState::Unauthorized);
    let silent = health(BOT, &answer(None, b""), None);
    assert_eq!(silent.state, HealthState::Unreachable);
    assert_eq!(health(BOT, &[], None).state, HealthState::Unreachable);
}

#[test]
fn a_long_text_is_truncated_and_attached_as_a_file() {
    let update = |text: String| {
        let chat = json!({"id": 77, "type": "private"});
        json!({"update_id": 1, "message": {"message_id": 1, "chat": chat, "text": text}})
    };
    let inbound_messages = |text: String| match &events_of(BOT, &update(text))[0].content {
        EventContent::Posted(utterance) => utterance.inbound_messages.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(inbound_messages("é".repeat(4000)).len(), 1);
    let [shown, whole] = &inbound_messages("é".repeat(4096))[..] else { panic!("two messages") };
    assert_eq!(shown.posted(&ReplyReference::Nothing, None).text.chars().count(), 4000);
    assert_eq!(whole.long_text().map(|text| text.chars().count()), Some(4096));
}

#[test]
fn groups_yield_no_message() {
    for kind in ["group", "supergroup", "channel", "new"] {
        let chat = json!({"id": -5, "type": kind});
        let message = json!({"message_id": 1, "date": 1, "chat": chat, "text": "hello"});
        for key in ["message", "edited_message"] {
            let event = events_of(BOT, &json!({"update_id": 1, key: message})).remove(0);
            assert_eq!(event.content, EventContent::Ignored(IgnoredReason::Group));
            assert_eq!(event.customer, None);
        }
    }
}

#[test]
fn only_an_object_is_readable_as_an_update() {
    for body in ["", "[]", "1", "{", "\u{feff}{}", "null", "\"text\""] {
        assert!(read(BOT, body.as_bytes()).is_err(), "{body}");
    }
    assert!(read(BOT, b"{\"a\":\"\xff\"}").is_err());
    assert!(read(BOT, format!("{}1{}", "[".repeat(5000), "]".repeat(5000)).as_bytes()).is_err());
    for update in [json!({}), json!({"update_id": 3}), json!({"update_id": 3, "poll": {}})] {
        assert!(matches!(
            events_of(BOT, &update)[0].content,
            EventContent::Ignored(IgnoredReason::Unknown(_))
        ));
    }
}
