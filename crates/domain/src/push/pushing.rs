//! Pushing: what is said in a room goes to the phones of those who are in it (D-0051).
//!
//! A push is a delivery like any other, of a kind of its own, made in the transaction that stores
//! the message. Whether somebody is connected, and needs no push, is known only when it is sent.

use std::collections::HashSet;

use crate::decision::change::{Change, MessageChange, RoomChange, WebhookChange};
use crate::decision::facts::Facts;
use crate::decision::stamp::Stamp;
use crate::ids::{AppId, DeliveryId, EndpointId, RoomId, UserKey};
use crate::limits;
use crate::messages::message::PostedMessage;
use crate::push::push_facts::{PushDevice, PushFacts};
use crate::rooms::room::Room;
use crate::webhooks::delivery::{Delivery, Lane};
use crate::webhooks::endpoint::{DeliveryPolicy, Endpoint};
use crate::webhooks::event_kind::EventKind;

/// What a phone is to show.
pub struct Push<'a> {
    /// The message.
    pub said: &'a PostedMessage,
    /// Where it was said.
    pub room: &'a Room,
    /// On which phone.
    pub device: &'a PushDevice,
}

/// The deliveries that follow from changes: each message among them goes to every phone of those
/// who are in its room then, except to those of its sender. `url` is where pushes go now.
pub fn push(
    facts: &Facts,
    stamp: &Stamp<'_>,
    app: AppId,
    url: &str,
    changes: &[Change],
    body: impl Fn(&Push<'_>) -> String,
) -> Vec<Change> {
    let known = facts.pushes.endpoint.as_deref();
    if known.is_some_and(|endpoint| !endpoint.is_enabled) {
        return Vec::new();
    }
    let endpoint = known.map_or(endpoint_of(app), |known| known.id);
    let mut pushes = Vec::new();
    for change in changes {
        let Change::Message(MessageChange::Insert { said, room }) = change else { continue };
        let devices = devices(&facts.pushes, changes, room.id);
        let others = devices.into_iter().filter(|device| device.user != said.sender.key);
        for device in others.take(limits::PUSHES_PER_MESSAGE_MAX) {
            let id = DeliveryId(stamp.next_id());
            pushes.push(Change::Webhook(WebhookChange::InsertDelivery(Delivery {
                id,
                app,
                endpoint,
                kind: EventKind::Push,
                lane: Lane(device.user.0),
                sequence: id.0 as u64,
                created_at: stamp.now,
                depth: 1,
                body: body(&Push { said, room, device }).into(),
            })));
        }
    }
    if !pushes.is_empty() && known.is_none_or(|known| known.url != url) {
        let endpoint = put(known, app, url, stamp);
        pushes.insert(0, Change::Webhook(WebhookChange::PutEndpoint(endpoint)));
    }
    pushes
}

/// The user whose phones a push is for.
pub fn recipient(delivery: &Delivery) -> Option<UserKey> {
    (delivery.kind == EventKind::Push).then_some(UserKey(delivery.lane.0))
}

/// The app's integer is no other endpoint's, and two nodes that make it at once make the same.
fn endpoint_of(app: AppId) -> EndpointId {
    EndpointId(app.0)
}

fn put(known: Option<&Endpoint>, app: AppId, url: &str, stamp: &Stamp<'_>) -> Endpoint {
    // A phone that cannot be reached holds up its user's others for a minute only.
    let policy = DeliveryPolicy { block_s: 60, ..DeliveryPolicy::default() };
    let new = || Endpoint {
        id: endpoint_of(app),
        app,
        kind: EventKind::Push,
        name: String::new(),
        url: String::new(),
        is_enabled: true,
        is_paused: false,
        failing: None,
        policy,
        created_at: stamp.now,
        updated_at: stamp.now,
    };
    let before = known.cloned().unwrap_or_else(new);
    Endpoint { url: url.to_owned(), updated_at: stamp.now, ..before }
}

/// The phones of those who are in the room once the changes are made.
fn devices<'a>(found: &'a PushFacts, changes: &[Change], room: RoomId) -> Vec<&'a PushDevice> {
    let (mut come, mut gone) = (HashSet::new(), HashSet::new());
    for change in changes {
        match change {
            Change::Room(RoomChange::AddParticipant { room: its, user, .. }) if *its == room => {
                come.insert(*user);
                gone.remove(user);
            }
            Change::Room(RoomChange::RemoveParticipant { room: its, user }) if *its == room => {
                come.remove(user);
                gone.insert(*user);
            }
            _ => {}
        }
    }
    let there = found.in_rooms.iter().filter(|(its, _)| *its == room).map(|(_, device)| device);
    let stay = there.filter(|device| !gone.contains(&device.user));
    let new = found.of_users.iter().filter(|device| come.contains(&device.user));
    let mut seen = HashSet::new();
    stay.chain(new).filter(|device| seen.insert((device.user, device.token.as_str()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{CountingStamps, facts as example_facts, said};
    use crate::time::Timestamp;
    use std::sync::Arc;

    const URL: &str = "https://push.example";

    fn device(user: i64, token: &str) -> PushDevice {
        PushDevice { user: UserKey(user), token: token.to_owned(), is_development: false }
    }

    fn message(facts: &Facts, sender: i64) -> Change {
        let mut said = said(5);
        let mut speaker = (*said.sender).clone();
        speaker.key = UserKey(sender);
        (said.message.sender, said.sender) = (speaker.key, Arc::new(speaker));
        Change::Message(MessageChange::Insert {
            said: Arc::new(said),
            room: facts.rooms[0].1.room.clone(),
        })
    }

    fn with_devices(in_room: &[PushDevice], of_users: &[PushDevice]) -> Facts {
        let mut facts = example_facts();
        let room = facts.rooms[0].1.room.id;
        facts.pushes.in_rooms = in_room.iter().map(|it| (room, it.clone())).collect();
        facts.pushes.of_users = of_users.to_vec();
        facts
    }

    fn pushed(facts: &Facts, changes: &[Change]) -> (Vec<Endpoint>, Vec<(i64, String)>) {
        let stamps = CountingStamps::default();
        let stamp = Stamp::new(&stamps, facts);
        let body = |push: &Push<'_>| push.device.token.clone();
        let (mut endpoints, mut pushes) = (Vec::new(), Vec::new());
        for change in push(facts, &stamp, AppId(1), URL, changes, body) {
            match change {
                Change::Webhook(WebhookChange::PutEndpoint(endpoint)) => endpoints.push(endpoint),
                Change::Webhook(WebhookChange::InsertDelivery(it)) => {
                    assert_eq!((it.sequence, it.kind), (it.id.0 as u64, EventKind::Push));
                    assert_eq!(recipient(&it), Some(UserKey(it.lane.0)));
                    pushes.push((it.lane.0, it.body.to_string()));
                }
                _ => panic!("pushing makes nothing else"),
            }
        }
        (endpoints, pushes)
    }

    #[test]
    fn every_phone_in_the_room_is_pushed_to_except_those_of_the_sender() {
        let facts = with_devices(&[device(7, "a"), device(8, "b"), device(8, "c")], &[]);
        let (endpoints, pushes) = pushed(&facts, &[message(&facts, 7)]);
        assert_eq!(pushes, [(8, "b".to_owned()), (8, "c".to_owned())]);
        let [endpoint] = &endpoints[..] else { panic!("it is made with the first push") };
        assert_eq!((endpoint.id, endpoint.url.as_str()), (EndpointId(1), URL));
    }

    #[test]
    fn who_comes_with_the_message_is_pushed_to_and_who_goes_is_not() {
        let facts = with_devices(&[device(8, "b")], &[device(7, "a"), device(9, "d")]);
        let room = facts.rooms[0].1.room.id;
        let at = Timestamp(0);
        let changes = [
            message(&facts, 7),
            Change::Room(RoomChange::AddParticipant { room, user: UserKey(9), read_number: 0, at }),
            Change::Room(RoomChange::RemoveParticipant { room, user: UserKey(8) }),
        ];
        assert_eq!(pushed(&facts, &changes).1, [(9, "d".to_owned())]);
    }

    #[test]
    fn without_a_message_or_a_phone_nothing_is_made() {
        let facts = with_devices(&[device(8, "b")], &[]);
        let room = facts.rooms[0].1.room.id;
        let gone = Change::Room(RoomChange::RemoveParticipant { room, user: UserKey(7) });
        assert_eq!(pushed(&facts, &[gone]), (vec![], vec![]));
        let nobody = with_devices(&[], &[device(9, "d")]);
        assert_eq!(pushed(&nobody, &[message(&nobody, 7)]), (vec![], vec![]));
    }

    #[test]
    fn a_known_endpoint_is_used_moved_and_obeyed() {
        let mut facts = with_devices(&[device(8, "b")], &[]);
        let post = [message(&facts, 7)];
        let mut known = pushed(&facts, &post).0.remove(0);
        (known.id, known.is_paused) = (EndpointId(55), true);
        facts.pushes.endpoint = Some(Arc::new(known.clone()));
        assert_eq!(pushed(&facts, &post).0, [], "it is as it shall be");
        known.url = "https://old.example".to_owned();
        facts.pushes.endpoint = Some(Arc::new(known.clone()));
        let moved = pushed(&facts, &post).0.remove(0);
        assert_eq!((moved.id, moved.url.as_str(), moved.is_paused), (EndpointId(55), URL, true));
        known.is_enabled = false;
        facts.pushes.endpoint = Some(Arc::new(known));
        assert_eq!(pushed(&facts, &post), (vec![], vec![]));
    }

    #[test]
    fn there_is_a_bound_to_the_phones_of_one_message() {
        let many: Vec<_> = (0..1_500).map(|it| device(100 + it, "t")).collect();
        let facts = with_devices(&many, &[]);
        let (_, pushes) = pushed(&facts, &[message(&facts, 7)]);
        assert_eq!(pushes.len(), limits::PUSHES_PER_MESSAGE_MAX);
    }

    #[test]
    fn a_token_is_not_shown() {
        assert!(!format!("{:?}", device(7, "hidden")).contains("hidden"));
    }
}
