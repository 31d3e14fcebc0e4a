//! Facts for all decisions of a batch. Answers their questions one after the other and applies the
//! changes of each decision, so that later decisions see earlier ones that are not written yet.

pub(crate) mod memory;
mod taking_up;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use confab_domain::decision::facts::{Facts, OmnichannelFacts, Participation, RoomFacts};
use confab_domain::decision::question::Question;
use confab_domain::ids::{AppId, EndpointId, MessageId, RoomId, UserKey};
use confab_domain::messages::message::{MessageRef, PostedMessage};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::{User, UserId};
use confab_domain::push::push_facts::{PushDevice, PushFacts};
use confab_domain::rooms::room::{LastMessage, Room, RoomRef, RoomUniqueId};
use confab_domain::webhooks::chat_message_facts::ChatMessageFacts;
use confab_domain::webhooks::delivery::Lane;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::event_kind::EventKind;
use tokio_postgres::Row;

use super::failure::DatabaseFailure;
use crate::error::Read;
use crate::postgres::reading::pages;
use crate::reading::room_names::RoomNames;
use crate::sql::Row as _;
use crate::tables::{devices, endpoints, messages, rooms, users};
use crate::writing::waiting::QueuedDecision;

/// Facts loaded for a batch, with the changes of the decisions so far.
#[derive(Default)]
pub(crate) struct BatchFacts {
    rooms: HashMap<RoomId, FoundRoom>,
    names: HashMap<AppId, HashMap<RoomUniqueId, RoomId>>,
    /// Users by id, of all realms.
    users: HashMap<AppId, HashMap<UserId, Vec<Arc<User>>>>,
    senders: HashMap<UserKey, Arc<User>>,
    user_versions: HashMap<UserKey, i64>,
    members: HashMap<(RoomId, UserKey), Participation>,
    participants: HashMap<RoomId, usize>,
    posted: HashMap<(RoomId, MessageId), PostedMessage>,
    edited: HashSet<MessageId>,
    client_ids: HashMap<AppId, HashMap<UniqueId, (RoomId, MessageId)>>,
    endpoints: HashMap<AppId, HashMap<EndpointId, Arc<Endpoint>>>,
    sequences: HashMap<(Lane, EndpointId), u64>,
    /// Devices as of the start of the transaction: a device registered in this batch gets pushes
    /// from the next message on.
    devices_in: HashMap<RoomId, Vec<PushDevice>>,
    devices_of: HashMap<UserKey, Vec<PushDevice>>,
    /// Participants of those rooms whose app has a webhook for every message.
    people: HashMap<RoomId, Vec<Arc<User>>>,
    pub(crate) omni: HashMap<usize, FoundForDecision>,
}

struct FoundRoom {
    room: Arc<Room>,
    last: Option<LastMessage>,
    version: i64,
}

/// Facts loaded for a single decision, and the users that post on behalf of agents in them.
pub(crate) type FoundForDecision = (OmnichannelFacts, Vec<Arc<User>>);

impl BatchFacts {
    /// Returns the rooms to which a reference may resolve.
    pub(crate) fn candidates(&self, app: AppId, asked: &RoomRef) -> Vec<RoomId> {
        let named = |unique_id| self.names.get(&app).and_then(|names| names.get(unique_id));
        match asked {
            RoomRef::Id(id) => vec![*id],
            RoomRef::Unique(unique_id) => named(unique_id).copied().into_iter().collect(),
            RoomRef::Either(id, unique_id) => {
                std::iter::once(*id).chain(named(unique_id).copied()).collect()
            }
        }
    }

    pub(crate) fn take_names(&mut self, rows: &[Row]) -> Result<(), DatabaseFailure> {
        for row in rows {
            let unique_id = RoomUniqueId::from_trusted(row.text(1)?);
            let names = self.names.entry(AppId(row.number(0)?)).or_default();
            names.insert(unique_id, RoomId(row.number(2)?));
        }
        Ok(())
    }

    pub(crate) fn names_known(&mut self, known: Vec<(AppId, RoomUniqueId, RoomId)>) {
        for (app, unique_id, room) in known {
            self.names.entry(app).or_default().insert(unique_id, room);
        }
    }

    pub(crate) fn take_rooms(&mut self, rows: &[Row]) -> Result<(), DatabaseFailure> {
        for row in rows {
            let (room, last) = (Arc::new(rooms::row(row)?), last_message(row)?);
            let version = row.number(rooms::COLUMNS + 2)?;
            self.rooms.insert(room.id, FoundRoom { room, last, version });
        }
        Ok(())
    }

    pub(crate) fn take_users(&mut self, rows: &[Row]) -> Result<(), DatabaseFailure> {
        for row in rows {
            let user = Arc::new(users::row(row)?);
            self.user_versions.insert(user.key, row.number(users::COLUMNS)?);
            self.keep_user(user);
        }
        Ok(())
    }

    fn keep_user(&mut self, user: Arc<User>) {
        self.senders.insert(user.key, user.clone());
        let of_app = self.users.entry(user.app).or_default();
        let named = of_app.entry(user.user_id.clone()).or_default();
        match named.iter_mut().find(|known| known.key == user.key) {
            Some(known) => *known = user,
            None => named.push(user),
        }
    }

    pub(crate) fn take_members(&mut self, rows: &[Row]) -> Result<(), DatabaseFailure> {
        for row in rows {
            let number = |column| row.number(column).map(|number| number as u64);
            let participation = Participation {
                read_number: number(2)?,
                received_number: number(3)?,
                cleared_number: number(4)?,
            };
            let place = (RoomId(row.number(0)?), UserKey(row.number(1)?));
            self.members.insert(place, participation);
        }
        Ok(())
    }

    pub(crate) fn take_counts(&mut self, rows: &[Row]) -> Result<(), DatabaseFailure> {
        for row in rows {
            let count = row.number(1)? as usize;
            self.participants.insert(RoomId(row.number(0)?), count);
        }
        Ok(())
    }

    pub(crate) fn read_messages(&mut self, rows: &[Row]) -> Result<(), DatabaseFailure> {
        for (posted, row) in pages::read_posted(rows)?.into_iter().zip(rows) {
            if row.number(messages::COLUMNS + users::COLUMNS)? != 0 {
                self.edited.insert(posted.message.id);
            }
            self.posted.insert((posted.message.room, posted.message.id), posted);
        }
        Ok(())
    }

    pub(crate) fn take_webhooks(
        &mut self,
        endpoints: &[Row],
        lanes: &[Row],
    ) -> Result<(), DatabaseFailure> {
        for row in endpoints {
            self.keep_endpoint(endpoints::row(row)?);
        }
        for row in lanes {
            let key = (Lane(row.number(0)?), EndpointId(row.number(1)?));
            self.sequences.insert(key, row.number(2)? as u64);
        }
        Ok(())
    }

    pub(crate) fn take_devices(
        &mut self,
        in_rooms: &[Row],
        of_users: &[Row],
    ) -> Result<(), DatabaseFailure> {
        for row in in_rooms {
            let devices = self.devices_in.entry(RoomId(row.number(0)?)).or_default();
            devices.push(devices::row_from(row, 1)?);
        }
        for row in of_users {
            let device = devices::row_from(row, 0)?;
            self.devices_of.entry(device.user).or_default().push(device);
        }
        Ok(())
    }

    pub(crate) fn take_people(&mut self, rows: &[Row]) -> Result<(), DatabaseFailure> {
        for row in rows {
            let people = self.people.entry(RoomId(row.number(0)?)).or_default();
            people.push(Arc::new(users::row_from(row, 1)?));
        }
        Ok(())
    }

    fn keep_endpoint(&mut self, endpoint: Endpoint) {
        let of_app = self.endpoints.entry(endpoint.app).or_default();
        of_app.insert(endpoint.id, Arc::new(endpoint));
    }

    /// Adds clients' unique ids, and returns room and id of their messages.
    pub(crate) fn take_client_ids(
        &mut self,
        rows: &[Row],
    ) -> Result<HashSet<(RoomId, MessageId)>, DatabaseFailure> {
        let mut places = HashSet::new();
        for row in rows {
            let unique_id = UniqueId::from_stored(row.text(1)?);
            let place = (RoomId(row.number(2)?), MessageId(row.number(3)?));
            let app = AppId(row.number(0)?);
            self.client_ids.entry(app).or_default().insert(unique_id, place);
            places.insert(place);
        }
        Ok(places)
    }

    pub(crate) fn remember_names(
        &self,
        room_names: &RoomNames,
        decisions: &[Box<dyn QueuedDecision>],
    ) {
        for decision in decisions {
            for asked in &decision.question().rooms {
                if room_names.get(decision.app(), asked).is_none()
                    && let Some(found) = self.room(decision.app(), asked)
                {
                    room_names.keep(decision.app(), asked, &found.room);
                }
            }
        }
    }

    /// Resolves a reference to a room of the app.
    pub(crate) fn room_id(&self, app: AppId, asked: &RoomRef) -> Option<RoomId> {
        self.room(app, asked).map(|found| found.room.id)
    }

    pub(crate) fn knows_devices_of(&self, user: UserKey) -> bool {
        self.devices_of.contains_key(&user)
    }

    /// Returns the facts for a question. `place` is the position of its decision in the batch.
    pub(crate) fn facts(&mut self, app: AppId, question: &Question, place: usize) -> Facts {
        let known = self.users.get(&app);
        let named = |id: &UserId| known.and_then(|users| users.get(id)).into_iter().flatten();
        let users: Vec<Arc<User>> = question.users.iter().flat_map(named).cloned().collect();
        let mut facts = Facts { users, ..Facts::default() };
        for asked in &question.rooms {
            if let Some(found) = self.room(app, asked) {
                let room_facts = self.room_facts(found, &facts.users, question);
                facts.rooms.push((asked.clone(), room_facts));
            }
        }
        for asked in &question.messages {
            if let Some(posted) = self.message_of(app, asked, &facts.rooms) {
                facts.edited.extend(self.edited.get(&posted.message.id));
                facts.messages.push((asked.clone(), posted.clone()));
            }
        }
        if let Some((lane, kinds)) = &question.endpoints {
            facts.endpoints = self.endpoints_of(app, *lane, kinds);
        }
        if let Some((omni, speakers)) = self.omni.remove(&place) {
            facts.omni = omni;
            facts.users.extend(speakers);
        }
        if question.finds_devices {
            facts.pushes = self.pushes(app, &facts);
        }
        if question.wants_chat_messages {
            facts.chat_message_facts = self.chat_message_facts(app, &facts);
        }
        facts
    }

    fn pushes(&self, app: AppId, facts: &Facts) -> PushFacts {
        let of_app = self.endpoints.get(&app).into_iter().flat_map(HashMap::values);
        let endpoint = of_app.into_iter().find(|it| it.kind == EventKind::Push).cloned();
        let in_room = |(_, facts): &(RoomRef, RoomFacts)| {
            let (room, devices) = (facts.room.id, self.devices_in.get(&facts.room.id));
            devices.into_iter().flatten().map(move |device| (room, device.clone()))
        };
        let of_user = |user: &Arc<User>| self.devices_of.get(&user.key).into_iter().flatten();
        PushFacts {
            endpoint,
            in_rooms: facts.rooms.iter().flat_map(in_room).collect(),
            of_users: facts.users.iter().flat_map(of_user).cloned().collect(),
        }
    }

    fn chat_message_facts(&self, app: AppId, facts: &Facts) -> ChatMessageFacts {
        let mut chat_message_facts = ChatMessageFacts::default();
        for (_, RoomFacts { room, .. }) in &facts.rooms {
            let in_lane = self.endpoints_of(app, Lane(room.id.0), &[EventKind::ChatMessage]);
            chat_message_facts
                .sequences
                .extend(in_lane.iter().map(|(it, last)| (room.id, it.id, *last)));
            let people = self.people.get(&room.id).into_iter().flatten();
            chat_message_facts.people.extend(people.map(|user| (room.id, user.clone())));
        }
        let hearing = self.endpoints_of(app, Lane(0), &[EventKind::ChatMessage]);
        chat_message_facts.endpoints = hearing.into_iter().map(|(endpoint, _)| endpoint).collect();
        chat_message_facts
    }

    fn endpoints_of(
        &self,
        app: AppId,
        lane: Lane,
        kinds: &[EventKind],
    ) -> Vec<(Arc<Endpoint>, u64)> {
        let of_app = self.endpoints.get(&app).into_iter().flat_map(HashMap::values);
        let mut found: Vec<_> = of_app
            .filter(|endpoint| kinds.contains(&endpoint.kind))
            .map(|it| (it.clone(), self.sequences.get(&(lane, it.id)).copied().unwrap_or(0)))
            .collect();
        found.sort_by(|(a, _), (b, _)| (a.kind.as_str(), &a.name).cmp(&(b.kind.as_str(), &b.name)));
        found
    }

    fn room(&self, app: AppId, asked: &RoomRef) -> Option<&FoundRoom> {
        let of_app = |id| self.rooms.get(&id).filter(|found| found.room.app == app);
        self.candidates(app, asked).into_iter().find_map(of_app)
    }

    fn room_facts(&self, found: &FoundRoom, users: &[Arc<User>], question: &Question) -> RoomFacts {
        let room = found.room.id;
        let is_member = |user: &&Arc<User>| self.members.contains_key(&(room, user.key));
        let members: Vec<UserKey> = match question.finds_members {
            true => users.iter().filter(is_member).map(|user| user.key).collect(),
            false => Vec::new(),
        };
        let up_to = |user: &UserKey| Some((*user, *self.members.get(&(room, *user))?));
        let participations = match question.finds_participations {
            true => members.iter().filter_map(up_to).collect(),
            false => Vec::new(),
        };
        let participants = match question.counts_participants {
            true => self.participants.get(&room).copied().unwrap_or(0),
            false => 0,
        };
        let room = found.room.clone();
        RoomFacts { room, last: found.last, members, participations, participants }
    }

    /// Finds a message of the app. A message belongs to the app of its sender.
    fn message_of(
        &self,
        app: AppId,
        asked: &MessageRef,
        rooms: &[(RoomRef, RoomFacts)],
    ) -> Option<&PostedMessage> {
        let at = |place| self.posted.get(&place).filter(|posted| posted.sender.app == app);
        match asked {
            MessageRef::Id(id) => rooms.iter().find_map(|(_, facts)| at((facts.room.id, *id))),
            MessageRef::Unique(unique_id) => {
                let made_here = |posted: &&PostedMessage| posted.message.client_unique_id.is_none();
                let by_us = unique_id.place().and_then(at).filter(made_here);
                // An id that the server made for another app may be a client's unique id in this
                // app.
                by_us.or_else(|| at(*self.client_ids.get(&app)?.get(unique_id)?))
            }
        }
    }
}

/// Reads a room's last message, whose columns follow those of the room in the locking statements.
fn last_message(row: &Row) -> Read<Option<LastMessage>> {
    let number = row.number(rooms::COLUMNS + 1)? as u64;
    let last = LastMessage { id: MessageId(row.number(rooms::COLUMNS)?), number };
    Ok(Some(last).filter(|last| last.number > 0))
}
