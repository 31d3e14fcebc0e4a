//! Property tests: any body is read or refused without a panic, and each element is read alone as
//! it was read among the others.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

use crate::{CheckAnswer, Credentials};
use crate::{EventContent, Provider, ReplyReference, check, health, read, verdict};

fn keys() -> Vec<&'static str> {
    include_str!("any_body_keys.txt").split_whitespace().collect()
}

const WORDS: [&str; 14] = [
    "private",
    "group",
    "text",
    "hello",
    "77",
    "-1",
    "1e400",
    "",
    "true",
    "user",
    "active",
    "\u{0}\"\\\u{1f600}\u{7f}",
    "confab:1:2",
    "1.2.3",
];

pub(super) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0..200i64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(&WORDS[..]).prop_map(Value::from),
    ];
    leaf.prop_recursive(7, 120, 8, |inner| {
        let entry = (select(keys()), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            prop::collection::vec(entry, 0..8).prop_map(|entries| {
                let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), value));
                Value::Object(entries.collect())
            }),
        ]
    })
}

/// A golden body with some of its values replaced.
fn altered() -> impl Strategy<Value = (Provider, Value)> {
    let bodies: Vec<(Provider, Value)> = golden_bodies();
    (select(bodies), prop::collection::vec((any::<Index>(), any_json()), 0..4)).prop_map(
        |((provider, mut body), changes)| {
            for (at, value) in changes {
                let place = at.index(count(&body));
                replace(&mut body, place, &value);
            }
            (provider, body)
        },
    )
}

fn golden_bodies() -> Vec<(Provider, Value)> {
    let folder = |provider| match provider {
        Provider::Telegram => "telegram",
        Provider::Whatsapp => "whatsapp",
        Provider::Line => "line",
        Provider::Messenger => "messenger",
        Provider::Instagram => "messenger/instagram",
        Provider::Email => "email",
    };
    let mut bodies = Vec::new();
    for provider in Provider::ALL {
        let path = format!("src/{}/golden/received", folder(provider));
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        for entry in std::fs::read_dir(path).expect("golden files") {
            let text = std::fs::read_to_string(entry.expect("a file").path()).expect("text");
            let file: Value = serde_json::from_str(&text).expect("JSON");
            bodies.push((provider, file["came"].clone()));
        }
    }
    bodies
}

/// Counts the values in a value, including itself.
fn count(value: &Value) -> usize {
    let inner: usize = match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 0,
    };
    inner + 1
}

/// Replaces the value at this position in depth-first order.
fn replace(value: &mut Value, at: usize, new: &Value) {
    if at == 0 {
        *value = new.clone();
        return;
    }
    let mut left = at - 1;
    let inner: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(map) => map.values_mut().collect(),
        _ => return,
    };
    for one in inner {
        let inside = count(one);
        if left < inside {
            return replace(one, left, new);
        }
        left -= inside;
    }
}

fn check_body(provider: Provider, raw: &[u8]) {
    for event in read(provider, raw).unwrap_or_default() {
        let again = read(provider, event.body.as_str().as_bytes());
        assert_eq!(again.as_deref(), Ok(std::slice::from_ref(&event)), "alone");
        if let EventContent::Posted(utterance) = &event.content {
            assert!(!utterance.inbound_messages.is_empty(), "a posted event has a message");
            assert!(event.customer.is_some(), "a posted event has a customer");
            for inbound in &utterance.inbound_messages {
                let posted = inbound.posted(&ReplyReference::Nothing, None);
                assert!(posted.text.chars().count() <= 4000 && !posted.text.contains('\0'));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn any_json_is_read_or_refused((provider, body) in altered(), other in any_json()) {
        check_body(provider, body.to_string().as_bytes());
        check_body(provider, other.to_string().as_bytes());
    }

    #[test]
    fn any_bytes_are_read_or_refused(raw in prop::collection::vec(any::<u8>(), 0..200)) {
        for provider in Provider::ALL {
            check_body(provider, &raw);
            verdict(provider, 200, &raw);
        }
    }

    #[test]
    fn any_response_has_a_verdict(status in 0..1000u16, body in any_json()) {
        let body = body.to_string();
        for provider in Provider::ALL {
            verdict(provider, status, body.as_bytes());
            let answer = CheckAnswer { status: Some(status), body: body.as_bytes() };
            let count = check(provider, &Credentials::default()).len();
            health(provider, &vec![answer; count], None);
        }
    }
}

#[test]
fn three_megabytes_and_deep_nesting_are_accepted_or_refused() {
    let long = "x".repeat(3 * 1024 * 1024);
    let deep = format!("{}{}", "{\"entry\":[".repeat(100_000), "]}".repeat(100_000));
    let bodies = golden_bodies();
    for provider in Provider::ALL {
        assert!(read(provider, deep.as_bytes()).is_err());
        let mut bodies = bodies.iter();
        let is_hello =
            |(of, body): &&(Provider, Value)| *of == provider && body.to_string().contains("Hello");
        let (_, body) = bodies.find(is_hello).expect("a body with this text");
        let body = body.to_string().replacen("Hello", &long, 1);
        assert!(body.len() > long.len());
        check_body(provider, body.as_bytes());
    }
}
