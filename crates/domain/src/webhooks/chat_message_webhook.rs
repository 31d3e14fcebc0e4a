//! Chat message webhooks: an app that registers for them receives every message of every room
//! (design/webhooks).
//!
//! The deliveries are derived from the changes that any rule decides, so that no message is missed.
//! They are stored in the same transaction as the message, and stay in order with other deliveries
//! of its room.

use std::collections::HashSet;
use std::sync::Arc;

use crate::decision::change::{Change, MessageChange, RoomChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::stamp::Stamp;
use crate::ids::UserKey;
use crate::json_text::JsonText;
use crate::limits;
use crate::messages::message::PostedMessage;
use crate::people::user::User;
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomKind};
use crate::webhooks::delivery::Lane;
use crate::webhooks::event::{ChatMessage, Event, EventRoom, MessageSource};
use crate::webhooks::fan_out::{self, EventContext, FanOut};

/// Creates the deliveries for all messages that these changes insert, with this message source.
pub fn deliver_chat_message(
    context: &Context,
    facts: &Facts,
    stamp: &Stamp<'_>,
    changes: &[Change],
    message_source: MessageSource,
) -> Result<FanOut, Refusal> {
    let mut fan_out = FanOut::default();
    let mut rooms = HashSet::new();
    for change in changes {
        let Change::Message(MessageChange::Insert { room, .. }) = change else { continue };
        if !rooms.insert(room.id) {
            continue;
        }
        let events = of_room(context, facts, changes, room, message_source);
        let (app, lane) = (context.app.id, Lane(room.id.0));
        let place = EventContext { app, lane, depth_before: context.depth_before };
        let endpoints = facts.chat_message_facts.of_room(room.id);
        let body = context.renderers.webhook_body;
        let of_one_room = fan_out::fan_out_to(&endpoints, stamp, place, &events, body)?;
        fan_out.deliveries.extend(of_one_room.deliveries);
        fan_out.for_listeners.extend(of_one_room.for_listeners);
    }
    Ok(fan_out)
}

/// Returns one event for each message that the changes insert into the room, in order.
fn of_room(
    context: &Context,
    facts: &Facts,
    changes: &[Change],
    room: &Arc<Room>,
    message_source: MessageSource,
) -> Vec<Event> {
    let people = people(facts, changes, room);
    // The newest state of the room among the changes.
    let updated = changes.iter().rev().find_map(|change| match change {
        Change::Room(RoomChange::Update(it)) if it.id == room.id => Some(it),
        _ => None,
    });
    let shown = shown(updated.unwrap_or(room));
    let posted = changes.iter().filter_map(|change| match change {
        Change::Message(MessageChange::Insert { posted, room: its }) if its.id == room.id => {
            Some(posted)
        }
        _ => None,
    });
    posted
        .map(|posted: &Arc<PostedMessage>| {
            Event::ChatMessage(ChatMessage {
                app: context.app.code.clone(),
                message_source,
                sender: posted.sender.clone(),
                message: posted.message.clone(),
                room: shown.clone(),
                people: people.clone(),
            })
        })
        .collect()
}

fn shown(room: &Room) -> EventRoom {
    EventRoom {
        id: room.id,
        kind: room.kind,
        name: room.name.clone(),
        avatar_url: room.avatar_url.clone(),
        options: options(room),
        participants: Vec::new(),
    }
}

/// Returns the room's options as JSON; `{}` if it has none.
fn options(room: &Room) -> JsonText {
    match room.options.is_empty() {
        true => JsonText::empty_object(),
        false => JsonText::from_checked(room.options.clone()),
    }
}

/// Returns the users in the room after the changes; none for public rooms (wire facts 3.8).
fn people(facts: &Facts, changes: &[Change], room: &Room) -> Vec<Arc<User>> {
    if room.kind == RoomKind::Public {
        return Vec::new();
    }
    let there = facts.chat_message_facts.people.iter().filter(|(its, _)| *its == room.id);
    let mut people: Vec<_> = there.map(|(_, user)| user.clone()).collect();
    for change in changes {
        match change {
            Change::Room(RoomChange::AddParticipant { room: its, user, .. }) if *its == room.id => {
                let is_new = people.iter().all(|it| it.key != *user);
                people.extend(found(facts, *user).filter(|_| is_new));
            }
            Change::Room(RoomChange::RemoveParticipant { room: its, user }) if *its == room.id => {
                people.retain(|it| it.key != *user);
            }
            _ => {}
        }
    }
    people.truncate(limits::NOTICE_PARTICIPANTS_MAX);
    people
}

fn found(facts: &Facts, user: UserKey) -> Option<Arc<User>> {
    facts.users.iter().find(|it| it.key == user).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::posted_message;
    use crate::example::{
        CountingStamps, add_endpoint, context, facts as example_facts, make_public,
    };
    use crate::ids::{EndpointId, RoomId};
    use crate::time::Timestamp;
    use crate::webhooks::event_kind::EventKind;

    fn message(facts: &Facts, id: i64) -> Change {
        let room = facts.rooms[0].1.room.clone();
        Change::Message(MessageChange::Insert { posted: Arc::new(posted_message(id)), room })
    }

    fn with_endpoint() -> Facts {
        let mut facts = example_facts();
        add_endpoint(&mut facts, EventKind::ChatMessage, "");
        let room = facts.rooms[0].1.room.id;
        let (endpoint, _) = facts.endpoints.remove(0);
        facts.chat_message_facts.sequences =
            vec![(room, endpoint.id, 4), (RoomId(99), endpoint.id, 9)];
        facts.chat_message_facts.endpoints = vec![endpoint];
        facts
    }

    fn chat_events(facts: &Facts, changes: &[Change], depth_before: u32) -> FanOut {
        let (stamps, context) = (CountingStamps::default(), context());
        let stamp = Stamp::new(&stamps, facts);
        let context = Context { depth_before, ..context };
        deliver_chat_message(&context, facts, &stamp, changes, MessageSource::Client)
            .unwrap_or_default()
    }

    #[test]
    fn every_message_is_delivered_in_its_rooms_lane_and_published_to_listeners() {
        let facts = with_endpoint();
        let fan_out = chat_events(&facts, &[message(&facts, 5), message(&facts, 6)], 0);
        let room = facts.rooms[0].1.room.id;
        let created: Vec<_> =
            fan_out.deliveries.iter().map(|it| (it.lane.0, it.sequence)).collect();
        assert_eq!(created, [(room.0, 5), (room.0, 6)]);
        assert_eq!(fan_out.for_listeners.len(), 2);
        let no_endpoint = Facts { chat_message_facts: Default::default(), ..with_endpoint() };
        let fan_out = chat_events(&no_endpoint, &[message(&no_endpoint, 5)], 0);
        assert_eq!(
            (fan_out.deliveries.len(), fan_out.for_listeners.len()),
            (0, 1),
            "listeners receive it"
        );
        assert_eq!(fan_out.for_listeners[0].endpoint, EndpointId(0));
    }

    #[test]
    fn no_event_is_created_for_other_changes_or_at_the_maximum_webhook_depth() {
        let facts = with_endpoint();
        let (room, user) = (facts.rooms[0].1.room.id, UserKey(7));
        let removal = Change::Room(RoomChange::RemoveParticipant { room, user });
        assert!(chat_events(&facts, &[removal], 0).for_listeners.is_empty());
        assert!(
            chat_events(&facts, &[message(&facts, 5)], limits::WEBHOOK_DEPTH_MAX)
                .for_listeners
                .is_empty()
        );
    }

    #[test]
    fn events_list_the_participants_after_the_changes_except_in_public_rooms() {
        let mut facts = with_endpoint();
        let room = facts.rooms[0].1.room.id;
        let member = facts.users[0].clone();
        let newcomer = facts.users[1].clone();
        facts.chat_message_facts.people =
            vec![(room, member.clone()), (RoomId(99), newcomer.clone())];
        let at = Timestamp(0);
        let changes = [
            Change::Room(RoomChange::AddParticipant {
                room,
                user: newcomer.key,
                read_number: 0,
                at,
            }),
            Change::Room(RoomChange::RemoveParticipant { room, user: member.key }),
        ];
        let named = |facts: &Facts, changes: &[Change]| -> Vec<UserKey> {
            people(facts, changes, &facts.rooms[0].1.room).iter().map(|it| it.key).collect()
        };
        assert_eq!(named(&facts, &[]), [member.key]);
        assert_eq!(named(&facts, &changes), [newcomer.key]);
        make_public(&mut facts);
        assert_eq!(named(&facts, &changes), []);
    }
}
