//! Loads the facts of a question within the writer's transaction.

use std::sync::Arc;

use confab_domain::decision::facts::{Facts, Participation, RoomFacts};
use confab_domain::decision::question::Question;
use confab_domain::ids::{AppId, EndpointId, MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::{MessageRef, PostedMessage};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::{User, UserId};
use confab_domain::push::push_facts::PushFacts;
use confab_domain::rooms::room::{LastMessage, Room, RoomRef};
use confab_domain::webhooks::chat_message_facts::ChatMessageFacts;
use confab_domain::webhooks::delivery::Lane;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::event_kind::EventKind;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::batch::Batch;
use super::memory::{Memory, Namesakes, Sequences};
use crate::error::StoreError;
use crate::secrets::sealer::Sealer;
use crate::sql::texts;
use crate::sqlite::connections::values;
use crate::sqlite::message_index::places::MessagePlaces;
use crate::sqlite::message_index::places_on_disk;
use crate::sqlite::reading::lookups::{message_by_id, room_by_ref, user_by_key, users_named};
use crate::sqlite::reading::participants::COUNT_PARTICIPANTS;
use crate::tables::devices::{self, SQLITE_DEVICES_OF_ROOM, SQLITE_DEVICES_OF_USER};
use crate::tables::edits::EDITED;
use crate::tables::endpoints::{self, ENDPOINTS};
use crate::tables::lanes::SQLITE_LANE;
use crate::tables::participants::{PARTICIPATION, PEOPLE_IN_ROOM};
use crate::tables::users;
use crate::writing::omni_facts;

// SQLite runs in this process: consecutive small lookups have no latency, and memory answers most
// of them.
texts! {
    IS_PARTICIPANT = "SELECT 1 FROM participants WHERE room = $1 AND user_key = $2";
    MESSAGE_OF_CLIENT_ID = "SELECT message FROM client_ids \
        WHERE app = $1 AND unique_id = $2";
}

/// The database, caches and uncommitted changes from which the writer loads facts.
pub(crate) struct Sources<'a> {
    pub(crate) db: &'a Connection,
    pub(crate) memory: &'a mut Memory,
    pub(crate) places: &'a MessagePlaces,
    pub(crate) batch: &'a Batch,
    pub(crate) sealer: &'a Sealer,
}

impl Sources<'_> {
    pub(crate) fn facts(&mut self, app: AppId, question: &Question) -> Result<Facts> {
        let mut facts = Facts::default();
        for user_id in &question.users {
            facts.users.extend(self.users_named(app, user_id)?.iter().cloned());
        }
        for asked in &question.rooms {
            if let Some(room) = self.room(app, asked)? {
                let room_facts = self.room_facts(room, &facts.users, question)?;
                facts.rooms.push((asked.clone(), room_facts));
            }
        }
        for asked in &question.messages {
            if let Some(posted) = self.message_of(app, asked)? {
                if self.is_edited(posted.message.room, posted.message.id)? {
                    facts.edited.push(posted.message.id);
                }
                facts.messages.push((asked.clone(), posted));
            }
        }
        if let Some((lane, kinds)) = &question.endpoints {
            facts.endpoints = self.endpoints(app, *lane, kinds)?;
        }
        if let Some(omni) = &question.omni {
            let rooms: Vec<_> = facts.rooms.iter().map(|(_, it)| it.room.id).collect();
            let asks = omni_facts::asks(app, omni, &rooms);
            let answers: Result<Vec<_>> =
                asks.iter().map(|ask| values::query(self.db, ask)).collect();
            let read = omni_facts::read(omni, &rooms, answers?, self.sealer);
            let (found, speakers) = read.map_err(|error| unreadable(&error))?;
            facts.omni = found;
            facts.users.extend(speakers);
        }
        if question.finds_devices {
            facts.pushes = self.pushes(app, &facts)?;
        }
        if question.wants_chat_messages {
            facts.chat_message_facts = self.chat_message_facts(app, &facts)?;
        }
        Ok(facts)
    }

    fn endpoints(
        &mut self,
        app: AppId,
        lane: Lane,
        kinds: &[EventKind],
    ) -> Result<Vec<(Arc<Endpoint>, u64)>> {
        let endpoints = self.endpoints_of(app)?;
        if self.memory.lane(lane).is_none() {
            self.memory.keep_lane(lane, sequences(self.db, lane)?);
        }
        let sequences = self.memory.lane(lane);
        let with_sequence = |endpoint: &Arc<Endpoint>| {
            let last = sequences.and_then(|last| last.get(&endpoint.id));
            (endpoint.clone(), last.copied().unwrap_or(0))
        };
        let wanted = endpoints.iter().filter(|endpoint| kinds.contains(&endpoint.kind));
        Ok(wanted.map(with_sequence).collect())
    }

    fn endpoints_of(&mut self, app: AppId) -> Result<Arc<[Arc<Endpoint>]>> {
        if let Some(endpoints) = self.memory.endpoints(app) {
            return Ok(endpoints);
        }
        let mut statement = self.db.prepare_cached(ENDPOINTS.sqlite())?;
        let found = statement.query_map([app.0], |row| endpoints::row(row))?;
        let endpoints = found.map(|it| it.map(Arc::new)).collect::<Result<_>>()?;
        self.memory.keep_endpoints(app, &endpoints);
        Ok(endpoints)
    }

    fn pushes(&mut self, app: AppId, facts: &Facts) -> Result<PushFacts> {
        let endpoints = self.endpoints_of(app)?;
        let endpoint = endpoints.iter().find(|it| it.kind == EventKind::Push).cloned();
        let mut pushes = PushFacts { endpoint, ..PushFacts::default() };
        let max = limits::PUSHES_PER_MESSAGE_MAX as i64 + 1;
        for (_, RoomFacts { room, .. }) in &facts.rooms {
            let mut statement = self.db.prepare_cached(SQLITE_DEVICES_OF_ROOM.sqlite())?;
            for device in statement.query_map([room.id.0, max], |row| devices::row_from(row, 0))? {
                pushes.in_rooms.push((room.id, device?));
            }
        }
        for user in &facts.users {
            let mut statement = self.db.prepare_cached(SQLITE_DEVICES_OF_USER.sqlite())?;
            for device in statement.query_map([user.key.0], |row| devices::row_from(row, 0))? {
                pushes.of_users.push(device?);
            }
        }
        Ok(pushes)
    }

    fn chat_message_facts(&mut self, app: AppId, facts: &Facts) -> Result<ChatMessageFacts> {
        let all = self.endpoints_of(app)?;
        let hears = |it: &&Arc<Endpoint>| it.kind == EventKind::ChatMessage;
        let endpoints = all.iter().filter(hears).cloned().collect();
        let mut chat_message_facts = ChatMessageFacts { endpoints, ..ChatMessageFacts::default() };
        let max = limits::NOTICE_PARTICIPANTS_MAX as i64;
        for (_, RoomFacts { room, .. }) in &facts.rooms {
            let in_lane = self.endpoints(app, Lane(room.id.0), &[EventKind::ChatMessage])?;
            chat_message_facts
                .sequences
                .extend(in_lane.iter().map(|(it, last)| (room.id, it.id, *last)));
            let mut statement = self.db.prepare_cached(PEOPLE_IN_ROOM.sqlite())?;
            for user in statement.query_map([room.id.0, max], |row| users::row(row))? {
                chat_message_facts.people.push((room.id, Arc::new(user?)));
            }
        }
        Ok(chat_message_facts)
    }

    fn room_facts(
        &mut self,
        room: Arc<Room>,
        users: &[Arc<User>],
        question: &Question,
    ) -> Result<RoomFacts> {
        let mut members = Vec::new();
        for user in users.iter().filter(|_| question.finds_members) {
            if self.is_participant(room.id, user.key)? {
                members.push(user.key);
            }
        }
        let participants = match question.counts_participants {
            true => self.count_participants(room.id)?,
            false => 0,
        };
        let mut participations = Vec::new();
        for user in members.iter().filter(|_| question.finds_participations) {
            let found = self.participation(room.id, *user)?;
            participations.extend(found.map(|it| (*user, it)));
        }
        let last = self.last(room.id)?;
        Ok(RoomFacts { last, room, members, participations, participants })
    }

    /// Returns the users with this id in all realms.
    fn users_named(&mut self, app: AppId, user_id: &UserId) -> Result<Namesakes> {
        if let Some(users) = self.memory.users_named(app, user_id) {
            return Ok(users);
        }
        let found = users_named(self.db, app, user_id)?;
        let found: Namesakes = found.into_iter().map(Arc::new).collect();
        self.memory.keep_users_named(app, user_id, &found);
        Ok(found)
    }

    fn room(&mut self, app: AppId, asked: &RoomRef) -> Result<Option<Arc<Room>>> {
        let remembered = match asked {
            RoomRef::Id(id) => self.memory.room(*id),
            RoomRef::Unique(unique_id) => self.memory.room_named(app, unique_id),
            RoomRef::Either(id, _) => self.memory.room(*id),
        };
        if let Some(room) = remembered.filter(|room| room.app == app) {
            return Ok(Some(room));
        }
        let found = room_by_ref(self.db, app, asked)?.map(Arc::new);
        if let Some(room) = &found {
            self.memory.keep_room(room);
        }
        Ok(found)
    }

    fn is_participant(&mut self, room: RoomId, user: UserKey) -> Result<bool> {
        if self.memory.is_participant(room, user) {
            return Ok(true);
        }
        let mut statement = self.db.prepare_cached(IS_PARTICIPANT.sqlite())?;
        let found = statement.exists([room.0, user.0])?;
        if found {
            self.memory.keep_participant(room, user);
        }
        Ok(found)
    }

    /// Returns a participant's positions: each is the maximum of those on disk, in memory and in
    /// the running commit.
    fn participation(&self, room: RoomId, user: UserKey) -> Result<Option<Participation>> {
        let mut statement = self.db.prepare_cached(PARTICIPATION.sqlite())?;
        let number =
            |row: &rusqlite::Row<'_>, column| row.get::<_, i64>(column).map(|it| it as u64);
        let found = statement.query_row([room.0, user.0], |row| {
            Ok(Participation {
                read_number: number(row, 0)?,
                received_number: number(row, 1)?,
                cleared_number: number(row, 2)?,
            })
        });
        let Some(mut found) = found.optional()? else { return Ok(None) };
        let is_own = |posted: &&Arc<PostedMessage>| {
            posted.message.room == room && posted.message.sender == user
        };
        let posting = self.batch.posted.iter().rev().find(is_own).map_or(0, |it| it.message.number);
        let posted = self.places.own_post(room, user).max(posting);
        found.read_number = found.read_number.max(posted);
        Ok(Some(found))
    }

    fn count_participants(&self, room: RoomId) -> Result<usize> {
        let mut statement = self.db.prepare_cached(COUNT_PARTICIPANTS.sqlite())?;
        statement.query_row([room.0], |row| row.get::<_, i64>(0)).map(|count| count as usize)
    }

    /// Returns a room's newest message: from the running commit, otherwise from memory, otherwise
    /// from disk.
    fn last(&self, room: RoomId) -> Result<Option<LastMessage>> {
        if let Some(last) = self.batch.last(room) {
            return Ok(Some(last));
        }
        if let Some(last) = self.places.last(room) {
            return Ok(last);
        }
        let tail = places_on_disk::load(self.db, room)?;
        let last = tail.last();
        self.places.keep(room, tail);
        Ok(last)
    }

    fn message_of(&self, app: AppId, asked: &MessageRef) -> Result<Option<PostedMessage>> {
        match asked {
            MessageRef::Id(id) => self.message_by_id(app, *id),
            MessageRef::Unique(unique_id) => self.message_by_unique_id(app, unique_id),
        }
    }

    fn is_edited(&self, room: RoomId, id: MessageId) -> Result<bool> {
        self.db.prepare_cached(EDITED.sqlite())?.exists([room.0, id.0, id.0])
    }

    fn message_by_id(&self, app: AppId, id: MessageId) -> Result<Option<PostedMessage>> {
        let Some(message) = message_by_id(self.db, id)? else { return Ok(None) };
        let sender = user_by_key(self.db, message.sender)?;
        // A message belongs to its sender's app; messages of other apps do not exist for this one.
        Ok(sender
            .filter(|sender| sender.app == app)
            .map(|sender| PostedMessage { message, sender: Arc::new(sender) }))
    }

    fn message_by_unique_id(
        &self,
        app: AppId,
        unique_id: &UniqueId,
    ) -> Result<Option<PostedMessage>> {
        if let Some((room, id)) = unique_id.place() {
            let is_it = |posted: &PostedMessage| {
                posted.message.room == room && posted.message.client_unique_id.is_none()
            };
            // An id that the server made for another app may be a client's unique id in this app.
            if let Some(posted) = self.message_by_id(app, id)?.filter(is_it) {
                return Ok(Some(posted));
            }
        }
        let id: Option<i64> = self
            .db
            .prepare_cached(MESSAGE_OF_CLIENT_ID.sqlite())?
            .query_row(params![app.0, unique_id.as_str()], |row| row.get(0))
            .optional()?;
        id.map_or(Ok(None), |id| self.message_by_id(app, MessageId(id)))
    }
}

fn sequences(db: &Connection, lane: Lane) -> Result<Sequences> {
    let mut statement = db.prepare_cached(SQLITE_LANE.sqlite())?;
    let found = statement
        .query_map([lane.0], |row| Ok((EndpointId(row.get(0)?), row.get::<_, i64>(1)? as u64)));
    found?.collect()
}

fn unreadable(error: &StoreError) -> rusqlite::Error {
    let (kind, why) = (rusqlite::types::Type::Text, error.source.to_string());
    rusqlite::Error::FromSqlConversionFailure(0, kind, why.into())
}
