//! Push notifications: each message in a room is sent to the devices of the users in it
//! (design/webhooks).
//!
//! A push is a delivery with a kind of its own, created in the transaction that stores the message.
//! Connected users need no push; whether a user is connected is checked only when the push is sent.

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

/// The content of one push notification.
pub struct Push<'a> {
    pub posted: &'a PostedMessage,
    pub room: &'a Room,
    pub device: &'a PushDevice,
}

/// Creates the pushes of the messages in `changes`: one per device of each participant after the
/// changes, except the sender. `url` is the current address of the push service.
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
        let Change::Message(MessageChange::Insert { posted, room }) = change else { continue };
        let devices = devices(&facts.pushes, changes, room.id);
        let others = devices.into_iter().filter(|device| device.user != posted.sender.key);
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
                body: body(&Push { posted, room, device }).into(),
            })));
        }
    }
    if !pushes.is_empty() && known.is_none_or(|known| known.url != url) {
        let endpoint = put(known, app, url, stamp);
        pushes.insert(0, Change::Webhook(WebhookChange::PutEndpoint(endpoint)));
    }
    pushes
}

/// Returns the user to whose device a push is sent; `None` if the delivery is not a push.
pub fn recipient(delivery: &Delivery) -> Option<UserKey> {
    (delivery.kind == EventKind::Push).then_some(UserKey(delivery.lane.0))
}

/// Returns the id of an app's new push endpoint, which is the integer id of the app. No other
/// endpoint has this id, and nodes that create the endpoint concurrently use the same one.
fn endpoint_of(app: AppId) -> EndpointId {
    EndpointId(app.0)
}

fn put(known: Option<&Endpoint>, app: AppId, url: &str, stamp: &Stamp<'_>) -> Endpoint {
    // A device that cannot be reached blocks its user's other devices for only a minute.
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

/// Returns the devices of the users who are in the room after the changes.
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
    use crate::example::{CountingStamps, facts as example_facts, posted_message};
    use crate::time::Timestamp;
    use std::sync::Arc;

    const URL: &str = "https://push.example";

    fn device(user: i64, token: &str) -> PushDevice {
        PushDevice { user: UserKey(user), token: token.to_owned(), is_development: false }
    }

    fn message(facts: &Facts, sender: i64) -> Change {
        let mut posted = posted_message(5);
        let mut speaker = (*posted.sender).clone();
        speaker.key = UserKey(sender);
        (posted.message.sender, posted.sender) = (speaker.key, Arc::new(speaker));
        Change::Message(MessageChange::Insert {
            posted: Arc::new(posted),
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
                _ => panic!("a push is a delivery or its endpoint"),
            }
        }
        (endpoints, pushes)
    }

    #[test]
    fn every_device_in_the_room_gets_a_push_except_the_senders() {
        let facts = with_devices(&[device(7, "a"), device(8, "b"), device(8, "c")], &[]);
        let (endpoints, pushes) = pushed(&facts, &[message(&facts, 7)]);
        assert_eq!(pushes, [(8, "b".to_owned()), (8, "c".to_owned())]);
        let [endpoint] = &endpoints[..] else { panic!("the first push creates the endpoint") };
        assert_eq!((endpoint.id, endpoint.url.as_str()), (EndpointId(1), URL));
    }

    #[test]
    fn users_who_join_with_a_message_get_a_push_and_users_who_leave_do_not() {
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
    fn without_a_message_or_a_device_no_push_is_created() {
        let facts = with_devices(&[device(8, "b")], &[]);
        let room = facts.rooms[0].1.room.id;
        let removal = Change::Room(RoomChange::RemoveParticipant { room, user: UserKey(7) });
        assert_eq!(pushed(&facts, &[removal]), (vec![], vec![]));
        let no_device = with_devices(&[], &[device(9, "d")]);
        assert_eq!(pushed(&no_device, &[message(&no_device, 7)]), (vec![], vec![]));
    }

    #[test]
    fn an_existing_endpoint_is_used_and_its_url_updated() {
        let mut facts = with_devices(&[device(8, "b")], &[]);
        let post = [message(&facts, 7)];
        let mut known = pushed(&facts, &post).0.remove(0);
        (known.id, known.is_paused) = (EndpointId(55), true);
        facts.pushes.endpoint = Some(Arc::new(known.clone()));
        assert_eq!(pushed(&facts, &post).0, [], "the endpoint is up to date");
        known.url = "https://old.example".to_owned();
        facts.pushes.endpoint = Some(Arc::new(known.clone()));
        let moved = pushed(&facts, &post).0.remove(0);
        assert_eq!((moved.id, moved.url.as_str(), moved.is_paused), (EndpointId(55), URL, true));
        known.is_enabled = false;
        facts.pushes.endpoint = Some(Arc::new(known));
        assert_eq!(pushed(&facts, &post), (vec![], vec![]));
    }

    #[test]
    fn the_number_of_pushes_per_message_is_limited() {
        let many: Vec<_> = (0..1_500).map(|it| device(100 + it, "t")).collect();
        let facts = with_devices(&many, &[]);
        let (_, pushes) = pushed(&facts, &[message(&facts, 7)]);
        assert_eq!(pushes.len(), limits::PUSHES_PER_MESSAGE_MAX);
    }

    #[test]
    fn debug_output_hides_the_token() {
        assert!(!format!("{:?}", device(7, "hidden")).contains("hidden"));
    }
}
