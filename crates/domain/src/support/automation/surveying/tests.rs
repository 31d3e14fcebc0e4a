//! Tests of rating questions and answers.

use super::*;
use crate::agents::role::Role;
use crate::decision::change::{Change, MessageChange};
use crate::decision::rule::Decision;
use crate::example::{
    add_endpoint, candidate, customer_facts, decided, delivered_kinds, draft, stored_customer_room,
};
use crate::ids::{AgentId, RoomId, SessionId};
use crate::json_text::JsonText;
use crate::messages::message_kind::MessageKind;
use crate::messages::rating::RatingPress;
use crate::support::conversations::receiving::{RECEIVED_KINDS, ReceiveMessage, ReceivingOutcome};
use crate::support::conversations::resolving::{Resolution, Resolve};
use crate::webhooks::event::{MessageSource, Session};
use crate::webhooks::event_kind::EventKind;

/// Returns facts of an app that asks for ratings. Agent 9 serves.
fn facts() -> Facts {
    let mut facts = customer_facts();
    facts.omni.settings = Settings::default().with(Settings::ASKS_RATING, "true");
    facts.omni.agents.push(candidate(Role::Agent));
    add_endpoint(&mut facts, EventKind::ChannelMessage, "30");
    RECEIVED_KINDS.into_iter().for_each(|kind| add_endpoint(&mut facts, kind, ""));
    let service = &mut facts.omni.services[0];
    service.agents.push(candidate(Role::Agent).profile);
    service.customer_room.waits_since = None;
    session(&mut facts).served_by = Some(AgentId(9));
    facts
}

fn session(facts: &mut Facts) -> &mut Session {
    facts.omni.services[0].customer_room.session.as_mut().expect("a session")
}

fn resolved(facts: &Facts, is_by_person: bool) -> Decision<Session> {
    let by = candidate(Role::Admin).profile;
    let ending = Resolution::default();
    let resolve = Resolve { room: RoomId(10), by, is_by_person, ending };
    decided(facts, &resolve).unwrap_or_else(|refusal| panic!("resolved: {refusal}"))
}

fn kinds(changes: &[Change]) -> Vec<MessageKind> {
    let posted = changes.iter().filter_map(|change| match change {
        Change::Message(MessageChange::Insert { posted, .. }) => Some(posted.message.kind),
        _ => None,
    });
    posted.collect()
}

fn is_asked(facts: &Facts, is_by_person: bool) -> bool {
    let decision = resolved(facts, is_by_person);
    let is_asked = kinds(&decision.changes).contains(&MessageKind::Buttons);
    assert!(!is_asked || decision.outcome.rating_asked_at.is_some());
    assert_eq!(delivered_kinds(&decision).contains(&EventKind::ChannelMessage), is_asked);
    is_asked
}

#[test]
fn a_served_customer_is_asked_for_a_rating_once_through_their_channel() {
    let mut facts = facts();
    let decision = resolved(&facts, true);
    assert_eq!(kinds(&decision.changes), [MessageKind::Buttons, MessageKind::SystemEvent]);
    assert!(is_asked(&facts, true));
    session(&mut facts).rating_asked_at = Some(Timestamp(1));
    assert!(!is_asked(&facts, true), "the question was asked before the reopening");
}

#[test]
fn unserved_or_unreachable_customers_are_not_asked_for_a_rating() {
    assert!(!is_asked(&facts(), false), "no person resolved it");
    let mut unset = facts();
    unset.omni.settings = Settings::default();
    assert!(!is_asked(&unset, true));
    let mut unserved = facts();
    session(&mut unserved).served_by = None;
    assert!(!is_asked(&unserved, true));
    session(&mut unserved).first_reply_by = Some(AgentId(9));
    assert!(is_asked(&unserved, true), "an admin answered without serving");
    let mut blocked = facts();
    let customer = &mut blocked.omni.services[0].customer;
    *customer = crate::people::user::User { is_active: false, ..(**customer).clone() }.into();
    assert!(!is_asked(&blocked, true));
    let mut off = facts();
    off.omni.services[0].channel.is_active = false;
    assert!(!is_asked(&off, true));
}

/// Returns facts after the resolution, with the question asked.
fn asked() -> Facts {
    let mut facts = facts();
    let now = session(&mut facts).created_at;
    let session = session(&mut facts);
    session.resolved_at = Some(now);
    session.rating_asked_at = Some(now);
    facts.omni.services[0].agents.clear();
    facts
}

fn answer_by_text(facts: &Facts, text: &str) -> Decision<ReceivingOutcome> {
    receive(facts, Draft { text: text.to_owned(), ..draft("ana") })
}

fn answer_by_button(facts: &Facts, session: i64, rating: Rating) -> Decision<ReceivingOutcome> {
    let press = RatingPress { session: SessionId(session), rating };
    let json = JsonText::empty_object();
    let payload = Payload::ButtonPostbackResponse { rating: Some(press), json };
    receive(facts, Draft { payload, ..draft("ana") })
}

fn receive(facts: &Facts, draft: Draft) -> Decision<ReceivingOutcome> {
    let rule = ReceiveMessage { room: RoomId(10), draft, message_source: MessageSource::Client };
    decided(facts, &rule).unwrap_or_else(|refusal| panic!("received: {refusal}"))
}

fn rated(decision: &Decision<ReceivingOutcome>) -> Option<i64> {
    let room = &decision.outcome.customer_room;
    let session = room.session.as_ref().expect("a session");
    if session.rating.is_some() {
        assert!(room.is_resolved() && session.id == SessionId(20), "no session is opened");
        assert_eq!(delivered_kinds(decision), [], "no event is sent");
        assert!(!decision.is_allocating && room.waits_since.is_none());
    }
    session.rating.map(Rating::number)
}

#[test]
fn a_rating_is_stored_with_the_conversation_and_sends_no_event() {
    for (text, rating) in [("Good", 5), (" okay ", 3), ("BAD", 1), ("1", 1), ("4", 4), ("5", 5)] {
        let decision = answer_by_text(&asked(), text);
        assert_eq!(rated(&decision), Some(rating), "{text}");
        let stored = stored_customer_room(&decision.changes)
            .and_then(|it| it.session.clone())
            .expect("stored");
        assert_eq!(stored.rated_at, Some(decision.outcome.posted.message.posted_at));
    }
    assert_eq!(rated(&answer_by_button(&asked(), 20, Rating::OKAY)), Some(3));
}

#[test]
fn a_message_that_is_no_rating_opens_a_session() {
    for text in ["0", "6", "55", "good morning", "", "1.0"] {
        let decision = answer_by_text(&asked(), text);
        assert_eq!(rated(&decision), None, "{text}");
        assert!(decision.outcome.customer_room.is_open(), "{text}");
    }
    let mut open = asked();
    session(&mut open).resolved_at = None;
    assert_eq!(rated(&answer_by_text(&open, "5")), None, "the session is open");
    let mut late = asked();
    let asked_at = session(&mut late).created_at.0 - (limits::RATING_PERIOD_S + 1) * 1_000_000;
    session(&mut late).rating_asked_at = Some(Timestamp(asked_at));
    assert!(
        answer_by_text(&late, "5").outcome.customer_room.is_open(),
        "the time to answer is over"
    );
}

#[test]
fn a_pressed_button_changes_the_rating_and_an_expired_one_opens_no_session() {
    let mut facts = asked();
    session(&mut facts).rating = Some(Rating::BAD);
    assert_eq!(rated(&answer_by_button(&facts, 20, Rating::GOOD)), Some(5));
    assert!(answer_by_text(&facts, "5").outcome.customer_room.is_open(), "a text does not");
    let decision = answer_by_button(&facts, 19, Rating::GOOD);
    assert_eq!(rated(&decision), Some(1), "the button of another conversation");
    session(&mut facts).rating_asked_at = Some(Timestamp(0));
    assert_eq!(
        rated(&answer_by_button(&facts, 20, Rating::GOOD)),
        Some(1),
        "the time to answer is over"
    );
    assert_eq!(
        kinds(&decision.changes),
        [MessageKind::ButtonPostbackResponse],
        "the message is posted"
    );
}

#[test]
fn rating_answers_must_differ_from_each_other_and_from_digits() {
    let with = |name, value| Settings::default().with(name, value);
    assert!(SurveyTexts::of(&Settings::default()).are_distinct());
    assert!(SurveyTexts::of(&with(Settings::RATING_BAD, "Buruk")).are_distinct());
    assert!(!SurveyTexts::of(&with(Settings::RATING_BAD, "good ")).are_distinct());
    assert!(!SurveyTexts::of(&with(Settings::RATING_BAD, "1")).are_distinct());
}
