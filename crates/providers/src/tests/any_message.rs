//! Property tests: any message of ours becomes parts that are serialized, parsed and sent, or
//! refused with a reason, always within a provider's bounds.

use confab_domain::messages::message_kind::MessageKind;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::any_body::any_json;
use super::support::{STAFF, destination, message, request};
use crate::{
    Credentials, Destination, ExternalId, FileFacts, IdKind, Part, PartContent, Provider, Verdict,
    parts, steps,
};

/// Returns the longest text of one message at a provider.
fn text_max(provider: Provider) -> usize {
    match provider {
        Provider::Telegram | Provider::Whatsapp => 4096,
        Provider::Line => 5000,
        Provider::Messenger => 2000,
        Provider::Instagram => 1000,
        Provider::Email => 1_000_000,
    }
}

fn check(provider: Provider, fields: &Value, is_ours: bool) {
    let message = message(fields);
    let parts = parts(provider, &message, STAFF);
    assert_eq!(parts.is_empty(), message.kind == MessageKind::SystemEvent, "{fields}");
    let address = ExternalId { kind: IdKind::User, value: "77".to_owned() };
    for part in &parts {
        assert_eq!(Part::open(&part.frozen()).as_ref(), Some(part), "frozen and opened");
        let file = Some(FileFacts { is_ours, bytes: None, mime_type: None });
        let destination = Destination { file, ..destination(&address) };
        match steps(provider, part, &destination, &Credentials::default()) {
            Ok(steps) => {
                assert!((1..=2).contains(&steps.len()));
                steps.iter().for_each(|step| within(&request(step)["body"]));
            }
            Err(Verdict::Never { why, .. }) => assert!(!why.is_empty()),
            Err(other) => panic!("{other:?}"),
        }
        if let PartContent::Text { text } = &part.say {
            let units: usize = text.chars().map(char::len_utf16).sum();
            assert!(units <= text_max(provider) && !text.trim().is_empty(), "{text:?}");
        }
    }
}

/// Checks the length of button texts and payloads at any depth.
fn within(body: &Value) {
    let Some(map) = body.as_object() else {
        body.as_array().into_iter().flatten().for_each(within);
        return;
    };
    for (key, value) in map {
        let length = value.as_str().map_or(0, |text| text.chars().count());
        let most = match key.as_str() {
            "callback_data" => 64,
            "title" if map.contains_key("id") => 24,
            "label" | "display_text" => 20,
            "title" => 100,
            _ => usize::MAX,
        };
        assert!(length <= most, "{key}: {value}");
        within(value);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn any_message_is_sent_or_refused(
        kind in select(&MessageKind::ALL[..]),
        text in ".{0,40}",
        long in prop_oneof![Just(1usize), 1..3000usize],
        payload in any_json(),
        is_ours: bool,
    ) {
        let text = text.repeat(long).chars().take(4000).collect::<String>();
        let fields = json!({"type": kind.as_str(), "text": text, "payload": payload});
        for provider in Provider::ALL {
            check(provider, &fields, is_ours);
        }
    }
}

#[test]
fn long_labels_and_texts_and_many_buttons_remain_within_bounds() {
    let button = json!({"label": "long label ".repeat(20), "type": "postback", "payload": {}});
    let link =
        json!({"label": "L".repeat(50), "type": "link", "payload": {"url": "https://x.example/"}});
    for count in [1, 3, 4, 11, 14, 20] {
        for buttons in [vec![button.clone(); count], vec![link.clone(); count]] {
            let text = "word ".repeat(1200);
            let card = json!({
                "text": text, "title": text, "description": text, "buttons": buttons,
                "image": "https://files.example/a.png", "cards": [{"buttons": buttons}],
            });
            for kind in ["buttons", "card", "carousel"] {
                for provider in Provider::ALL {
                    check(provider, &json!({"type": kind, "text": "x", "payload": card}), true);
                }
            }
        }
    }
}
