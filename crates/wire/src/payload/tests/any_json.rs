//! Property tests: any JSON payload is read or refused without a panic, and accepted payloads lose
//! nothing.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

use super::{examples, read};
use crate::reading::json_string;

const KEYS: [&str; 24] = [
    "text",
    "buttons",
    "label",
    "type",
    "payload",
    "url",
    "method",
    "postback_text",
    "image",
    "image_url",
    "title",
    "cards",
    "default_action",
    "caption",
    "size",
    "content",
    "name",
    "value",
    "latitude",
    "longitude",
    "map_url",
    "params",
    "replied_comment_id",
    "",
];

const WORDS: [&str; 10] = [
    "postback",
    "link",
    "phone",
    "https://x.example",
    "javascript:x",
    "{}",
    "[1",
    "41",
    "null",
    "\u{0}\"\\\u{1f600}\u{7f}",
];

/// Returns the keys that the server adds if they are absent.
fn filled_keys(kind: &str) -> &'static [&'static str] {
    match kind {
        "card" => &["image", "postback_text"],
        "carousel" => &["postback_text"],
        "file_attachment" => &["caption"],
        "contact_person" => &["type"],
        _ => &[],
    }
}

fn any_string() -> impl Strategy<Value = String> {
    prop_oneof![select(&WORDS[..]).prop_map(str::to_owned), ".{0,12}"]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-200.0..200.0f64).prop_map(Value::from),
        any_string().prop_map(Value::from),
    ];
    let key = prop_oneof![4 => select(&KEYS[..]).prop_map(str::to_owned), 1 => any_string()];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        let entries = prop::collection::vec((key.clone(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            entries.prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Any type with any JSON as payload.
fn any_payload() -> impl Strategy<Value = (&'static str, Value)> {
    (any_kind(), any_json()).prop_map(|((kind, _), payload)| (kind, payload))
}

/// Any type with its example payload, in which one value is replaced by any JSON.
fn nearly_right_payload() -> impl Strategy<Value = (&'static str, Value)> {
    (any_kind(), any::<Index>(), any_json()).prop_map(|((kind, example), at, value)| {
        let mut payload: Value = serde_json::from_str(&example).expect("JSON");
        let mut pointers = Vec::new();
        collect_pointers(&payload, "", &mut pointers);
        if !pointers.is_empty() {
            *payload.pointer_mut(at.get(&pointers).as_str()).expect("collected") = value;
        }
        (kind, payload)
    })
}

fn any_kind() -> impl Strategy<Value = (&'static str, String)> {
    select(examples::all())
}

fn collect_pointers(value: &Value, path: &str, pointers: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
        }
        _ => return,
    };
    for (key, child) in children {
        let path = format!("{path}/{key}");
        collect_pointers(child, &path, pointers);
        pointers.push(path);
    }
}

/// Whether everything sent is returned, and nothing else except keys that the server adds.
fn is_preserved(sent: &Value, got: &Value, filled: &[&str]) -> bool {
    match (sent, got) {
        (Value::Object(sent), Value::Object(got)) => {
            let is_filled = |key: &str| filled.contains(&key);
            let is_there = |(key, value): (&String, &Value)| match got.get(key) {
                Some(answer) => {
                    is_preserved(value, answer, filled) || (value.is_null() && is_filled(key))
                }
                None => false,
            };
            let is_known = |key: &String| sent.contains_key(key) || is_filled(key);
            sent.iter().all(is_there) && got.keys().all(is_known)
        }
        (Value::Array(sent), Value::Array(got)) => {
            let mut pairs = sent.iter().zip(got);
            sent.len() == got.len() && pairs.all(|(sent, got)| is_preserved(sent, got, filled))
        }
        _ => sent == got,
    }
}

/// Reads a payload both as JSON and as a string that contains it, and checks the result.
fn check(kind: &str, payload: &Value) -> Result<(), TestCaseError> {
    let text = payload.to_string();
    let answer = read(kind, Some("Hello"), &text);
    if payload.is_object() {
        prop_assert_eq!(&read(kind, Some("Hello"), &json_string(&text)), &answer);
    }
    match answer {
        Ok(answer) if kind == "text" => prop_assert_eq!(answer.payload, "nothing"),
        Ok(answer) => {
            // The parser may round a float, so the payload is parsed once before the comparison.
            let parsed: Value = serde_json::from_str(&text).expect("JSON");
            let opened = parsed.as_str().and_then(|text| serde_json::from_str(text).ok());
            let sent = opened.unwrap_or(parsed);
            let sent = if is_absent(&sent) { serde_json::json!({}) } else { sent };
            let got: Value = serde_json::from_str(&answer.payload).expect("JSON");
            prop_assert!(got.is_object());
            prop_assert!(is_preserved(&sent, &got, filled_keys(kind)), "{} gave {}", sent, got);
        }
        Err(problems) => {
            prop_assert!(!problems.is_empty());
            for problem in &problems {
                prop_assert!(problem.starts_with("payload"), "{}", problem);
            }
        }
    }
    Ok(())
}

fn is_absent(payload: &Value) -> bool {
    payload.is_null() || payload.as_str() == Some("")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_payload_is_returned_whole_or_refused((kind, payload) in any_payload()) {
        check(kind, &payload)?;
    }

    #[test]
    fn an_almost_valid_payload_is_returned_whole_or_refused(
        (kind, payload) in nearly_right_payload()
    ) {
        check(kind, &payload)?;
    }
}

#[test]
fn the_comparison_detects_lost_and_added_keys() {
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let sent = json(r#"{"a":[{"b":1},{"image":null}]}"#);
    let is_preserved = |got: &str| is_preserved(&sent, &json(got), &["image"]);
    assert!(is_preserved(r#"{"a":[{"b":1,"image":""},{"image":"/x"}]}"#));
    assert!(!is_preserved(r#"{"a":[{"b":2},{"image":null}]}"#));
    assert!(!is_preserved(r#"{"a":[{"b":1},{}]}"#));
    assert!(!is_preserved(r#"{"a":[{"b":1}]}"#));
    assert!(!is_preserved(r#"{"a":[{"b":1},{"image":null}],"c":null}"#));
}
