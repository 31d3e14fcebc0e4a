//! Writes and commits the changes of a batch in one round trip.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use confab_domain::decision::change::{
    Change, MessageChange, RoomChange, SupportChange, UserChange, WebhookChange,
};
use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::messages::room_event::RoomEventKind;
use confab_domain::rooms::room::LastMessage;
use confab_domain::support::assignment::tally::{Tally, TallyKey};
use confab_domain::time::Timestamp;
use tokio_postgres::Error;

use super::deliveries::{Deliveries, RecordedAttempt};
use crate::postgres::connections::connection::Connection;
use crate::postgres::connections::pipeline::{OwnedParams, Pipeline, params};
use crate::postgres::nodes::commit_proof::CommitProof;
use crate::postgres::nodes::node::Node;
use crate::postgres::sharding;
use crate::secrets::sealer::{Sealer, SecretLocation};
use crate::sql::Ask;
use crate::tables::analytics_quarters::{self, POSTGRES_ADD_TALLIES};
use crate::tables::customer_rooms;
use crate::tables::messages::{
    POSTGRES_INSERT_CLIENT_IDS, POSTGRES_INSERT_MESSAGE, POSTGRES_INSERT_MESSAGES,
    POSTGRES_SET_LAST_MESSAGES, POSTGRES_SET_READ_NUMBERS,
};
use crate::tables::rooms::{self, POSTGRES_RAISE_ROOMS};
use crate::tables::users::POSTGRES_RAISE_USERS;
use crate::tables::writes::writes;

/// All writes of one commit, collected from its decisions.
#[derive(Default)]
pub(crate) struct Changes {
    messages: Vec<(AppId, Arc<PostedMessage>)>,
    deliveries: Deliveries,
    /// Writes of rooms, users, endpoints and deletions, in the order of decisions.
    first: Vec<Ask>,
    /// Writes that may refer to rows written by `first`, in the order of decisions.
    then: Vec<Ask>,
    last: HashMap<RoomId, LastMessage>,
    own_posts: HashMap<(RoomId, UserKey), u64>,
    newest_event: i64,
    /// Ids of rooms whose cached copies become stale (D-0165).
    changed_rooms: BTreeSet<i64>,
    changed_users: BTreeSet<i64>,
    proof: Option<CommitProof>,
    /// Counters of support events that the commit increases, summed over its decisions (D-0140).
    tallies: BTreeMap<(AppId, TallyKey), i64>,
}

impl Changes {
    pub(crate) fn add(&mut self, app: AppId, change: Change, sealer: &Sealer) {
        self.proof = self.proof.or_else(|| CommitProof::of(&change));
        self.changed_rooms.extend(changed_room(&change).map(|room| room.0));
        self.changed_users.extend(changed_user(&change).map(|user| user.0));
        match change {
            Change::Message(MessageChange::Insert { posted, room }) => {
                self.then.extend(room.customer.map(|_| customer_rooms::touch(room.id)));
                self.add_message(app, posted);
            }
            Change::Webhook(WebhookChange::InsertDelivery(mut delivery)) => {
                if delivery.kind.holds_key() {
                    let place = SecretLocation::DeliveryBody(delivery.id.0);
                    delivery.body = sealer.seal(place, &delivery.body).into();
                }
                self.deliveries.made.push(delivery);
            }
            Change::Webhook(WebhookChange::RecordAttempt { delivery, lane, attempt, progress }) => {
                let recorded = RecordedAttempt { delivery, lane, attempt, progress };
                self.deliveries.recorded.push(recorded);
            }
            Change::Webhook(WebhookChange::Replay { delivery, lane, at, .. }) => {
                self.deliveries.replayed.push((lane, delivery, at));
            }
            Change::Service(SupportChange::Tally(Tally { key, count })) => {
                *self.tallies.entry((app, key)).or_default() += count;
            }
            other => self.add_statements(app, &other, sealer),
        }
    }

    fn add_message(&mut self, app: AppId, posted: Arc<PostedMessage>) {
        let message = &posted.message;
        let last = LastMessage { id: message.id, number: message.number };
        self.last.insert(message.room, last);
        self.own_posts.insert((message.room, message.sender), message.number);
        self.messages.push((app, posted));
    }

    fn add_statements(&mut self, app: AppId, change: &Change, sealer: &Sealer) {
        let list = if comes_first(change) { &mut self.first } else { &mut self.then };
        list.extend(writes(app, change, sealer));
        match change {
            Change::Room(RoomChange::Insert(room)) => list.push(rooms::insert_name(room)),
            Change::Message(MessageChange::InsertEvent(event)) => {
                self.newest_event = self.newest_event.max(event.id.0);
            }
            _ => {}
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
            && self.deliveries.is_empty()
            && self.first.is_empty()
            && self.then.is_empty()
            && self.tallies.is_empty()
    }

    /// Returns the messages that the commit posts.
    pub(crate) fn posted(&self) -> Vec<Arc<PostedMessage>> {
        self.messages.iter().map(|(_, posted)| posted.clone()).collect()
    }

    /// Returns a row whose existence proves that the commit took place, if the commit writes such a
    /// row.
    pub(crate) fn proof(&self) -> Option<CommitProof> {
        self.proof
    }

    /// Returns the newest id of the commit's messages, events and deliveries; 0 if it has none.
    pub(crate) fn newest_id(&self) -> i64 {
        let message = self.messages.iter().map(|(_, posted)| posted.message.id.0).max();
        message.unwrap_or(0).max(self.newest_event).max(self.deliveries.newest())
    }

    /// Whether the commit only posts messages, and no client gave any of them a unique id.
    pub(crate) fn only_posts(&self) -> bool {
        let is_named =
            |(_, posted): &(AppId, Arc<PostedMessage>)| posted.message.client_unique_id.is_some();
        !self.messages.is_empty()
            && !self.messages.iter().any(is_named)
            && self.deliveries.is_empty()
            && self.first.is_empty()
            && self.then.is_empty()
            && self.tallies.is_empty()
    }

    /// Returns the last message of each room that the commit posts to, ordered by room: the order
    /// in which all nodes lock rooms.
    pub(crate) fn last_in_rooms(&self) -> BTreeMap<RoomId, LastMessage> {
        self.last.iter().map(|(room, last)| (*room, *last)).collect()
    }

    /// Sends the messages of a commit that only posts messages. The rooms must already be locked
    /// and updated.
    pub(crate) fn send_posts<'a>(&'a self, writes: &mut Pipeline<'a>) {
        writes.execute(&POSTGRES_INSERT_MESSAGES, self.message_rows());
        writes.execute(&POSTGRES_SET_READ_NUMBERS, self.read_numbers());
    }

    /// Sends all writes and the COMMIT. Messages are inserted first, because another decision may
    /// delete one of them; rows of rooms and participants that refer to messages are written last.
    pub(crate) async fn write_and_commit(
        &self,
        db: &Connection,
        node: &Node,
        newest_id: i64,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut writes = Pipeline::new(db);
        if sharding::inserts_one_by_one(
            db,
            self.messages.iter().map(|(_, posted)| posted.message.room.0),
        ) {
            for (_, posted) in &self.messages {
                writes.execute(&POSTGRES_INSERT_MESSAGE, message_row(&posted.message));
            }
        } else if !self.messages.is_empty() {
            writes.execute(&POSTGRES_INSERT_MESSAGES, self.message_rows());
        }
        if self.messages.iter().any(|(_, posted)| posted.message.client_unique_id.is_some()) {
            writes.execute(&POSTGRES_INSERT_CLIENT_IDS, self.client_id_rows());
        }
        for ask in self.first.iter().chain(&self.then) {
            writes.execute_ask(ask);
        }
        if !self.tallies.is_empty() {
            writes.execute(&POSTGRES_ADD_TALLIES, self.tally_rows(node));
        }
        self.deliveries.write(db, &mut writes);
        if !self.messages.is_empty() {
            writes.execute(&POSTGRES_SET_LAST_MESSAGES, self.last_messages());
            writes.execute(&POSTGRES_SET_READ_NUMBERS, self.read_numbers());
        }
        if !self.changed_rooms.is_empty() {
            let rooms: Vec<_> = self.changed_rooms.iter().copied().collect();
            writes.execute(&POSTGRES_RAISE_ROOMS, params![rooms, now.0]);
        }
        if !self.changed_users.is_empty() {
            let users: Vec<_> = self.changed_users.iter().copied().collect();
            writes.execute(&POSTGRES_RAISE_USERS, params![users, now.0]);
        }
        if self.newest_id() > 0 {
            node.note(&mut writes, newest_id);
        }
        writes.run("COMMIT");
        writes.answers().await.map(drop)
    }

    fn message_rows(&self) -> OwnedParams<'_> {
        let messages = || self.messages.iter().map(|(_, posted)| &posted.message);
        let ids: Vec<_> = messages().map(|message| message.id.0).collect();
        let rooms: Vec<_> = messages().map(|message| message.room.0).collect();
        let numbers: Vec<_> = messages().map(|message| message.number as i64).collect();
        let before: Vec<_> = messages().map(|message| message.before.map(|id| id.0)).collect();
        let senders: Vec<_> = messages().map(|message| message.sender.0).collect();
        let times: Vec<_> = messages().map(|message| message.posted_at.0).collect();
        let kinds: Vec<_> = messages().map(|message| message.kind.as_str()).collect();
        let texts: Vec<_> = messages().map(|message| message.text.as_str()).collect();
        let payloads: Vec<_> = messages().map(|message| json(&message.payload)).collect();
        let extras: Vec<_> = messages().map(|message| json(&message.extras)).collect();
        let unique_ids: Vec<_> = messages().map(client_unique_id).collect();
        params![
            ids, rooms, numbers, before, senders, times, kinds, texts, payloads, extras,
            unique_ids,
        ]
    }

    fn client_id_rows(&self) -> OwnedParams<'_> {
        let messages = self.messages.iter().map(|(app, posted)| (app, &posted.message));
        let mut given: Vec<_> = messages.filter(|(_, it)| it.client_unique_id.is_some()).collect();
        // The same order on all nodes, so that two of them never deadlock.
        given.sort_by_key(|(_, message)| client_unique_id(message));
        let unique_ids: Vec<_> = given.iter().map(|(_, it)| client_unique_id(it)).collect();
        let apps: Vec<_> = given.iter().map(|(app, _)| app.0).collect();
        let rooms: Vec<_> = given.iter().map(|(_, message)| message.room.0).collect();
        let ids: Vec<_> = given.iter().map(|(_, message)| message.id.0).collect();
        params![unique_ids, apps, rooms, ids]
    }

    /// Returns the rows to increase: each node has rows of its own, so that nodes never wait for
    /// each other's locks.
    fn tally_rows(&self, node: &Node) -> OwnedParams<'_> {
        let column = |place: usize| -> Vec<i64> {
            self.tallies.keys().map(|(_, key)| analytics_quarters::columns(key)[place]).collect()
        };
        let apps: Vec<_> = self.tallies.keys().map(|(app, _)| app.0).collect();
        let nodes = vec![node.number; self.tallies.len()];
        let counts: Vec<_> = self.tallies.values().copied().collect();
        params![apps, column(0), column(1), column(2), column(3), nodes, counts]
    }

    fn last_messages(&self) -> OwnedParams<'_> {
        let rooms: Vec<_> = self.last.keys().map(|room| room.0).collect();
        let ids: Vec<_> = self.last.values().map(|last| last.id.0).collect();
        let numbers: Vec<_> = self.last.values().map(|last| last.number as i64).collect();
        params![rooms, ids, numbers]
    }

    fn read_numbers(&self) -> OwnedParams<'_> {
        let rooms: Vec<_> = self.own_posts.keys().map(|(room, _)| room.0).collect();
        let users: Vec<_> = self.own_posts.keys().map(|(_, user)| user.0).collect();
        let numbers: Vec<_> = self.own_posts.values().map(|number| *number as i64).collect();
        params![rooms, users, numbers]
    }
}

fn message_row(message: &Message) -> OwnedParams<'_> {
    params![
        message.id.0,
        message.room.0,
        message.number as i64,
        message.before.map(|id| id.0),
        message.sender.0,
        message.posted_at.0,
        message.kind.as_str(),
        message.text.as_str(),
        json(&message.payload),
        json(&message.extras),
        client_unique_id(message),
    ]
}

/// Whether a change must be written before all changes that may refer to its row, regardless of the
/// order of decisions.
fn comes_first(change: &Change) -> bool {
    match change {
        Change::Room(_) | Change::Webhook(_) => true,
        Change::User(change) => matches!(
            change,
            UserChange::Insert(_) | UserChange::Update { .. } | UserChange::SetToken { .. }
        ),
        Change::Message(change) => {
            matches!(change, MessageChange::Delete { .. } | MessageChange::Hide { .. })
        }
        Change::Agent(_)
        | Change::Service(_)
        | Change::Channel(_)
        | Change::File(_)
        | Change::Search(_)
        | Change::App(_)
        | Change::Audit(_)
        | Change::PurgeAuditLog { .. } => false,
    }
}

/// Returns the room whose cached copy a change makes stale. A new message returns `None`: caches
/// detect it by the room's last message.
fn changed_room(change: &Change) -> Option<RoomId> {
    match change {
        Change::Message(MessageChange::Delete { room, .. }) => Some(*room),
        Change::Message(MessageChange::InsertEvent(event)) => match event.what {
            RoomEventKind::Edited { .. } => Some(event.room),
            RoomEventKind::Posted { .. }
            | RoomEventKind::Deleted { .. }
            | RoomEventKind::Cleared { .. }
            | RoomEventKind::Received(_)
            | RoomEventKind::Read(_) => None,
        },
        Change::Room(RoomChange::Update(room)) => Some(room.id),
        Change::Room(
            RoomChange::AddParticipant { room, .. } | RoomChange::RemoveParticipant { room, .. },
        ) => Some(*room),
        Change::Message(
            MessageChange::Insert { .. }
            | MessageChange::PurgeEvents { .. }
            | MessageChange::Hide { .. },
        )
        | Change::Room(RoomChange::Insert(_))
        | Change::User(_)
        | Change::Webhook(_)
        | Change::Agent(_)
        | Change::Service(_)
        | Change::Channel(_)
        | Change::File(_)
        | Change::Search(_)
        | Change::App(_)
        | Change::Audit(_)
        | Change::PurgeAuditLog { .. } => None,
    }
}

/// Returns the user whose profile a change modifies.
fn changed_user(change: &Change) -> Option<UserKey> {
    match change {
        Change::User(UserChange::Update { user, .. } | UserChange::Erase { user }) => {
            Some(user.key)
        }
        _ => None,
    }
}

fn json(text: &Option<JsonText>) -> Option<&str> {
    text.as_ref().map(JsonText::as_str)
}

fn client_unique_id(message: &Message) -> Option<&str> {
    message.client_unique_id.as_ref().map(|id| id.as_str())
}

#[cfg(test)]
mod tests {
    use crate::postgres::shard_shapes;

    /// All statements that write to cached tables, grouped by the reason why cached copies become
    /// stale or remain valid.
    const WRITES: &[(&str, &[&str])] = &[
        (
            "the same commit raises the version of the room",
            &[
                "messages::EDIT_MESSAGE",
                "messages::EMPTY_MESSAGE",
                "participants::ADD_PARTICIPANT",
                "participants::REMOVE_PARTICIPANT",
                "rooms::CHANGE_AUDIENCE",
                "rooms::UPDATE_ROOM",
            ],
        ),
        (
            "the same commit raises the version of the user",
            &["users::ERASE_USER", "users::UPDATE_USER"],
        ),
        (
            "these statements raise the versions",
            &["rooms::POSTGRES_RAISE_ROOMS", "users::POSTGRES_RAISE_USERS"],
        ),
        (
            "the last message of the room shows the change",
            &[
                "messages::POSTGRES_INSERT_MESSAGE",
                "messages::POSTGRES_INSERT_MESSAGES",
                "messages::POSTGRES_SET_LAST_IF_SAME",
                "messages::POSTGRES_SET_LAST_MESSAGES",
            ],
        ),
        (
            "absence is not cached, and a write checks that all users with its ids are cached",
            &["rooms::INSERT_ROOM", "users::INSERT_USER"],
        ),
        (
            "positions of participants and tokens are not cached",
            &[
                "messages::POSTGRES_SET_READ_NUMBERS",
                "participants::SET_CLEARED",
                "participants::SET_READ",
                "participants::SET_RECEIVED",
                "statements::PUT_USER",
                "users::SET_TOKEN",
            ],
        ),
    ];

    #[test]
    fn every_statement_that_writes_cached_data_is_listed() {
        let is_write = |text: &str| {
            let text = text.to_lowercase();
            ["messages", "participants", "rooms", "users"].iter().any(|table| {
                let writes = ["update ", "insert into ", "delete from "];
                writes.iter().any(|verb| text.contains(&format!("{verb}{table} ")))
            })
        };
        let found = shard_shapes::all().into_iter().filter(|(_, text)| is_write(text));
        let found: Vec<String> = found.map(|(name, _)| name).collect();
        let mut known: Vec<&str> = WRITES.iter().flat_map(|(_, names)| *names).copied().collect();
        known.sort_unstable();
        assert_eq!(found, known, "state why cached data stays valid (D-0165)");
    }
}
