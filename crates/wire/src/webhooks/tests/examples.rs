//! Compares the whole body of every example with a golden file.

use confab_domain::webhooks::event_kind::EventKind;
use serde_json::Value;

use super::{an_example, text, value};

#[test]
fn the_example_of_the_bot_webhook_matches_its_golden_file() {
    check(EventKind::Bot, include_str!("../golden/bot.json"));
}

#[test]
fn the_example_of_the_agent_allocation_webhook_matches_its_golden_file() {
    check(EventKind::AgentAllocation, include_str!("../golden/agent_allocation.json"));
}

#[test]
fn the_example_of_the_custom_button_webhook_matches_its_golden_file() {
    check(EventKind::CustomButton, include_str!("../golden/custom_button.json"));
}

#[test]
fn the_example_of_the_mark_as_resolved_webhook_matches_its_golden_file() {
    check(EventKind::Resolved, include_str!("../golden/mark_as_resolved.json"));
}

#[test]
fn the_example_of_the_new_session_webhook_matches_its_golden_file() {
    check(EventKind::NewSession, include_str!("../golden/new_session.json"));
}

#[test]
fn the_example_of_the_logout_webhook_matches_its_golden_file() {
    check(EventKind::LoggedOut, include_str!("../golden/logout.json"));
}

#[test]
fn the_example_of_the_endpoint_state_webhook_matches_its_golden_file() {
    check(EventKind::EndpointState, include_str!("../golden/endpoint_state.json"));
}

#[test]
fn the_example_of_the_channel_message_webhook_matches_its_golden_file() {
    check(EventKind::ChannelMessage, include_str!("../golden/channel_message.json"));
}

#[test]
fn the_example_of_the_chat_message_webhook_matches_its_golden_file() {
    check(EventKind::ChatMessage, include_str!("../golden/chat_message.json"));
}

#[test]
fn examples_are_of_the_requested_kind_and_deterministic() {
    for kind in EventKind::webhooks() {
        assert_eq!(an_example(kind).kind(), kind);
        assert_eq!(text(&an_example(kind)), text(&an_example(kind)));
    }
}

/// Only the bodies of these kinds are encrypted in the database (D-0086).
#[test]
fn only_kinds_declared_to_hold_a_key_have_one_in_their_body() {
    for kind in EventKind::webhooks() {
        let body = text(&an_example(kind));
        assert_eq!(body.contains("sdk_key"), kind.holds_key(), "{}", kind.as_str());
        assert!(!body.contains("identifier_key") && !body.contains("secret_key"));
    }
}

#[track_caller]
fn check(kind: EventKind, golden: &str) {
    let event = an_example(kind);
    let expected: Value = serde_json::from_str(golden).expect("JSON");
    assert_eq!(value(&event), expected);
    assert_eq!(text(&event), compact(golden));
}

/// Removes whitespace outside of strings.
fn compact(pretty: &str) -> String {
    let (mut is_in_string, mut is_escaped) = (false, false);
    let stays = |c: &char| {
        let is_quote = *c == '"' && !is_escaped;
        is_escaped = is_in_string && *c == '\\' && !is_escaped;
        is_in_string ^= is_quote;
        is_in_string || !c.is_ascii_whitespace()
    };
    pretty.chars().filter(stays).collect()
}

#[test]
fn every_kind_has_a_documentation_page_with_its_body() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/webhooks");
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/src/webhooks/golden");
    for kind in EventKind::webhooks().map(EventKind::as_str) {
        let page = std::fs::read_to_string(format!("{docs}/{kind}.md")).expect("a page");
        let body = std::fs::read_to_string(format!("{golden}/{kind}.json")).expect("a file");
        assert!(page.contains(body.trim_end()), "the page of {kind} must show the golden body");
        for heading in ["## When", "## Body", "## Next steps"] {
            assert!(page.contains(heading), "the page of {kind} lacks {heading:?}");
        }
    }
}
