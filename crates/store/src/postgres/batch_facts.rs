//! What was found for all decisions that are written together: it answers the questions one after
//! the other and takes up what each decision changes, so that a later one knows of an earlier one
//! that is not written yet.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use confab_domain::decision::change::{
    Change, MessageChange, RoomChange, UserChange, WebhookChange,
};
use confab_domain::decision::facts::{Facts, OmniFacts, Participation, RoomFacts};
use confab_domain::decision::question::Question;
use confab_domain::ids::{AppId, EndpointId, MessageId, RoomId, UserKey};
use confab_domain::messages::message::{MessageRef, Said};
use confab_domain::messages::room_event::{RoomEvent, What};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::{User, UserId};
use confab_domain::push::push_facts::{PushDevice, PushFacts};
use confab_domain::rooms::room::{LastMessage, Room, RoomRef, RoomUniqueId};
use confab_domain::webhooks::delivery::Lane;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::notice_kind::NoticeKind;
use tokio_postgres::Row;

use super::pages;
use crate::error::Read;
use crate::postgres::failure::Failure;
use crate::room_names::RoomNames;
use crate::sql::Row as _;
use crate::tables::{devices, endpoints, rooms, users};
use crate::waiting::Waiting;

/// What was found for the questions, as the decisions so far have left it.
#[derive(Default)]
pub(super) struct BatchFacts {
    rooms: HashMap<RoomId, FoundRoom>,
    names: HashMap<AppId, HashMap<RoomUniqueId, RoomId>>,
    /// Everybody of a name, in whichever realm.
    users: HashMap<AppId, HashMap<UserId, Vec<Arc<User>>>>,
    senders: HashMap<UserKey, Arc<User>>,
    members: HashMap<(RoomId, UserKey), Participation>,
    participants: HashMap<RoomId, usize>,
    said: HashMap<(RoomId, MessageId), Said>,
    client_ids: HashMap<AppId, HashMap<UniqueId, (RoomId, MessageId)>>,
    endpoints: HashMap<AppId, HashMap<EndpointId, Arc<Endpoint>>>,
    sequences: HashMap<(Lane, EndpointId), u64>,
    /// As they were when the commit began: a phone that comes with it is pushed to from the next
    /// message on.
    devices_in: HashMap<RoomId, Vec<PushDevice>>,
    devices_of: HashMap<UserKey, Vec<PushDevice>>,
    pub(super) omni: HashMap<usize, FoundForDecision>,
}

struct FoundRoom {
    room: Arc<Room>,
    last: Option<LastMessage>,
}

/// What was found for a single decision, and the users that speak for agents in it.
pub(super) type FoundForDecision = (OmniFacts, Vec<Arc<User>>);

impl BatchFacts {
    /// The rooms that a caller may mean.
    pub(super) fn candidates(&self, app: AppId, asked: &RoomRef) -> Vec<RoomId> {
        let named = |unique_id| self.names.get(&app).and_then(|names| names.get(unique_id));
        match asked {
            RoomRef::Id(id) => vec![*id],
            RoomRef::Unique(unique_id) => named(unique_id).copied().into_iter().collect(),
            RoomRef::Either(id, unique_id) => {
                std::iter::once(*id).chain(named(unique_id).copied()).collect()
            }
        }
    }

    pub(super) fn take_names(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            let unique_id = RoomUniqueId::from_trusted(row.text(1)?);
            let names = self.names.entry(AppId(row.number(0)?)).or_default();
            names.insert(unique_id, RoomId(row.number(2)?));
        }
        Ok(())
    }

    pub(super) fn names_known(&mut self, known: Vec<(AppId, RoomUniqueId, RoomId)>) {
        for (app, unique_id, room) in known {
            self.names.entry(app).or_default().insert(unique_id, room);
        }
    }

    pub(super) fn take_rooms(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            let (room, last) = (Arc::new(rooms::row(row)?), last_message(row)?);
            self.rooms.insert(room.id, FoundRoom { room, last });
        }
        Ok(())
    }

    pub(super) fn take_users(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            self.keep_user(Arc::new(users::row(row)?));
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

    pub(super) fn take_members(&mut self, rows: &[Row]) -> Result<(), Failure> {
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

    pub(super) fn take_counts(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            let count = row.number(1)? as usize;
            self.participants.insert(RoomId(row.number(0)?), count);
        }
        Ok(())
    }

    pub(super) fn take_said(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for said in pages::said(rows)? {
            self.said.insert((said.message.room, said.message.id), said);
        }
        Ok(())
    }

    pub(super) fn take_webhooks(
        &mut self,
        endpoints: &[Row],
        lanes: &[Row],
    ) -> Result<(), Failure> {
        for row in endpoints {
            self.keep_endpoint(endpoints::row(row)?);
        }
        for row in lanes {
            let key = (Lane(row.number(0)?), EndpointId(row.number(1)?));
            self.sequences.insert(key, row.number(2)? as u64);
        }
        Ok(())
    }

    pub(super) fn take_devices(
        &mut self,
        in_rooms: &[Row],
        of_users: &[Row],
    ) -> Result<(), Failure> {
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

    fn keep_endpoint(&mut self, endpoint: Endpoint) {
        let of_app = self.endpoints.entry(endpoint.app).or_default();
        of_app.insert(endpoint.id, Arc::new(endpoint));
    }

    /// One that was there before stays the same one.
    fn put_endpoint(&mut self, mut endpoint: Endpoint) {
        let known = self.endpoints.get(&endpoint.app).into_iter().flat_map(HashMap::values);
        let is_it = |it: &&Arc<Endpoint>| it.kind == endpoint.kind && it.name == endpoint.name;
        if let Some(before) = known.into_iter().find(is_it) {
            (endpoint.id, endpoint.created_at) = (before.id, before.created_at);
        }
        self.keep_endpoint(endpoint);
    }

    fn change_endpoint(&mut self, app: AppId, id: EndpointId, change: impl Fn(&mut Endpoint)) {
        let of_app = self.endpoints.get_mut(&app);
        if let Some(endpoint) = of_app.and_then(|of_app| of_app.get_mut(&id)) {
            change(Arc::make_mut(endpoint));
        }
    }

    /// Gives where the messages are.
    pub(super) fn take_client_ids(
        &mut self,
        rows: &[Row],
    ) -> Result<HashSet<(RoomId, MessageId)>, Failure> {
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

    pub(super) fn remember_names(&self, room_names: &RoomNames, decisions: &[Box<dyn Waiting>]) {
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

    /// Which room of the app a caller means.
    pub(super) fn room_id(&self, app: AppId, asked: &RoomRef) -> Option<RoomId> {
        self.room(app, asked).map(|found| found.room.id)
    }

    pub(super) fn knows_devices_of(&self, user: UserKey) -> bool {
        self.devices_of.contains_key(&user)
    }

    /// Answers a question.
    pub(super) fn facts(&mut self, app: AppId, question: &Question, place: usize) -> Facts {
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
            if let Some(said) = self.said(app, asked, &facts.rooms) {
                facts.messages.push((asked.clone(), said.clone()));
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
        facts
    }

    fn keep_devices(&mut self, is_kept: impl Fn(&PushDevice) -> bool) {
        for devices in self.devices_in.values_mut().chain(self.devices_of.values_mut()) {
            devices.retain(&is_kept);
        }
    }

    fn pushes(&self, app: AppId, facts: &Facts) -> PushFacts {
        let of_app = self.endpoints.get(&app).into_iter().flat_map(HashMap::values);
        let endpoint = of_app.into_iter().find(|it| it.kind == NoticeKind::Push).cloned();
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

    fn endpoints_of(
        &self,
        app: AppId,
        lane: Lane,
        kinds: &[NoticeKind],
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

    /// A message is of its sender's app; another app's message is no message.
    fn said(
        &self,
        app: AppId,
        asked: &MessageRef,
        rooms: &[(RoomRef, RoomFacts)],
    ) -> Option<&Said> {
        let at = |place| self.said.get(&place).filter(|said| said.sender.app == app);
        match asked {
            MessageRef::Id(id) => rooms.iter().find_map(|(_, facts)| at((facts.room.id, *id))),
            MessageRef::Unique(unique_id) => {
                let made_here = |said: &&Said| said.message.client_unique_id.is_none();
                let by_us = unique_id.place().and_then(at).filter(made_here);
                // What is an id made by us for another app may be a client's id in this one.
                by_us.or_else(|| at(*self.client_ids.get(&app)?.get(unique_id)?))
            }
        }
    }

    /// Takes up what a decision changes.
    pub(super) fn take_up(&mut self, app: AppId, change: &Change) {
        match change {
            Change::Message(MessageChange::Insert { said, .. }) => self.post(app, said),
            Change::Message(MessageChange::InsertEvent(event)) => self.happen(event),
            Change::Message(MessageChange::Delete { room, id, .. }) => {
                if let Some(said) = self.said.get_mut(&(*room, *id)) {
                    said.message.is_deleted = true;
                }
            }
            Change::User(UserChange::Insert(new)) => self.keep_user(Arc::new(new.user.clone())),
            Change::User(UserChange::Update { user, .. }) => self.keep_user(Arc::new(user.clone())),
            Change::Message(MessageChange::ForgetEvents { .. }) => {}
            Change::Room(RoomChange::Insert(room)) => {
                let names = self.names.entry(room.app).or_default();
                names.insert(room.unique_id.clone(), room.id);
                let found = FoundRoom { room: Arc::new(room.clone()), last: None };
                self.rooms.insert(room.id, found);
            }
            Change::Room(RoomChange::Update(room)) => {
                if let Some(found) = self.rooms.get_mut(&room.id) {
                    found.room = Arc::new(room.clone());
                }
            }
            Change::Room(RoomChange::AddParticipant { room, user, read_number, .. }) => {
                if let Entry::Vacant(place) = self.members.entry((*room, *user)) {
                    let read_number = *read_number;
                    place.insert(Participation { read_number, ..Participation::default() });
                    *self.participants.entry(*room).or_default() += 1;
                }
                self.change_audience(*room);
            }
            Change::Webhook(WebhookChange::PutEndpoint(endpoint)) => {
                self.put_endpoint(endpoint.clone())
            }
            Change::Webhook(WebhookChange::SetPaused { endpoint, is_paused }) => {
                self.change_endpoint(app, *endpoint, |it| it.is_paused = *is_paused);
            }
            Change::Webhook(WebhookChange::SetHealth { endpoint, failing, is_enabled }) => {
                self.change_endpoint(app, *endpoint, |it| {
                    (it.failing, it.is_enabled) = (*failing, *is_enabled);
                });
            }
            Change::Webhook(WebhookChange::InsertDelivery(delivery)) => {
                let key = (delivery.lane, delivery.endpoint);
                self.sequences.insert(key, delivery.sequence);
            }
            Change::Webhook(WebhookChange::RecordAttempt { .. })
            | Change::Webhook(WebhookChange::Replay { .. }) => {}
            Change::User(UserChange::RemoveDevice { user, token }) => {
                self.keep_devices(|it| it.user != *user || it.token != *token);
            }
            Change::User(UserChange::RemoveDevices { user }) => {
                self.keep_devices(|it| it.user != *user);
            }
            // Whose it is now, is known from the next commit on; whose it was, at once.
            Change::User(UserChange::PutDevice { user, device, .. }) => {
                self.keep_devices(|it| it.user == *user || it.token != device.token);
            }
            // What is asked of the omnichannel half is asked by one decision of a commit only.
            Change::User(_)
            | Change::Agent(_)
            | Change::Service(_)
            | Change::Channel(_)
            | Change::File(_) => {}
            Change::Room(RoomChange::RemoveParticipant { room, user }) => {
                if self.members.remove(&(*room, *user)).is_some() {
                    let count = self.participants.entry(*room).or_default();
                    *count = count.saturating_sub(1);
                }
                self.change_audience(*room);
            }
        }
    }

    fn happen(&mut self, event: &RoomEvent) {
        let mut up_to = |user: UserKey, change: &dyn Fn(&mut Participation)| {
            self.members.get_mut(&(event.room, user)).into_iter().for_each(change);
        };
        let raise = |number: &mut u64, to: u64| *number = (*number).max(to);
        match &event.what {
            What::Edited { said, .. } => {
                self.said.insert((said.message.room, said.message.id), (**said).clone());
            }
            What::Cleared { by, number, .. } => up_to(by.key, &|it| {
                raise(&mut it.cleared_number, *number);
                raise(&mut it.read_number, *number);
            }),
            What::Received(receipt) => {
                up_to(receipt.by.key, &|it| raise(&mut it.received_number, receipt.number));
            }
            What::Read(receipt) => up_to(receipt.by.key, &|it| {
                raise(&mut it.received_number, receipt.number);
                raise(&mut it.read_number, receipt.number);
            }),
            What::Said { .. } | What::Deleted { .. } => {}
        }
    }

    fn change_audience(&mut self, room: RoomId) {
        if let Some(found) = self.rooms.get_mut(&room) {
            Arc::make_mut(&mut found.room).audience += 1;
        }
    }

    fn post(&mut self, app: AppId, said: &Said) {
        let message = &said.message;
        if let Some(found) = self.rooms.get_mut(&message.room) {
            found.last = Some(LastMessage { id: message.id, number: message.number });
        }
        if let Some(sender) = self.members.get_mut(&(message.room, message.sender)) {
            sender.read_number = sender.read_number.max(message.number);
        }
        // Nobody knows the ids that are made here before they are answered.
        let Some(unique_id) = &message.client_unique_id else { return };
        let place = (message.room, message.id);
        self.client_ids.entry(app).or_default().insert(unique_id.clone(), place);
        self.said.insert(place, said.clone());
    }
}

/// What follows a room's columns where it is locked.
fn last_message(row: &Row) -> Read<Option<LastMessage>> {
    let number = row.number(rooms::COLUMNS + 1)? as u64;
    let last = LastMessage { id: MessageId(row.number(rooms::COLUMNS)?), number };
    Ok(Some(last).filter(|last| last.number > 0))
}
