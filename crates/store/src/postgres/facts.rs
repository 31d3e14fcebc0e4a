//! The facts of all decisions that are written together.
//!
//! [`load`] asks PostgreSQL once for everything the questions name; the rooms stay locked until the
//! commit. [`Found`] answers the questions one after the other and takes up what each decision
//! changes, so that a later one knows of an earlier one that is not written yet.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
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

use super::connection::{Connection, Params};
use super::pipeline::Pipeline;
use super::{rows, values};
use crate::postgres::failure::Failure;
use crate::room_names::RoomNames;
use crate::secrets::sealer::Sealer;
use crate::waiting::Waiting;
use crate::{clients, omnichannel, statements as sql};

/// What was found for the questions, as the decisions so far have left it.
#[derive(Default)]
pub(super) struct Found {
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
    omni: HashMap<usize, Omni>,
}

struct FoundRoom {
    room: Arc<Room>,
    last: Option<LastMessage>,
}

/// Loads what the decisions ask for, within the open transaction.
pub(super) async fn load(
    connection: &Connection,
    locks_one_by_one: bool,
    room_names: &RoomNames,
    sealer: &Sealer,
    decisions: &[Box<dyn Waiting>],
) -> Result<Found, Failure> {
    let mut found = Found::default();
    let names = Names::asked(room_names, decisions);
    found.take_names(&names.rows(connection).await?)?;
    found.names_known(names.known);
    let asked = Asked::by(decisions, &found);
    // Sent in this order without waiting: what follows the locks sees all that was written by those
    // who held them before.
    let answers = tokio::try_join!(
        biased;
        asked.rooms(connection, locks_one_by_one),
        asked.locked_users(connection),
        asked.users(connection),
        asked.members(connection),
        asked.counts(connection),
        asked.client_ids(connection),
        said_at(connection, &asked.places),
        asked.webhooks(connection),
        asked.devices(connection),
    )?;
    let (rooms, locked, users, members, counts, client_ids, said, webhooks, devices) = answers;
    found.take_rooms(&rooms)?;
    found.take_users(&locked)?;
    found.take_users(&users)?;
    found.take_members(&members)?;
    found.take_counts(&counts)?;
    found.take_said(&said)?;
    found.take_webhooks(&webhooks)?;
    found.take_devices(&devices)?;
    let places = found.take_client_ids(&client_ids)?;
    found.take_said(&said_at(connection, &places).await?)?;
    found.remember_names(room_names, decisions);
    found.omni = load_omni(connection, &found, decisions, sealer).await?;
    let devices = devices_of_speakers(connection, &found, decisions).await?;
    found.take_devices(&(Vec::new(), devices))?;
    Ok(found)
}

/// The phones of those who were found for the omnichannel half, where they are asked for.
async fn devices_of_speakers(
    db: &Connection,
    found: &Found,
    decisions: &[Box<dyn Waiting>],
) -> Result<Vec<Row>, Failure> {
    let is_asked = |place: &usize| decisions[*place].question().finds_devices;
    let asked = found.omni.iter().filter(|(place, _)| is_asked(place));
    let speakers = asked.flat_map(|(_, (_, speakers))| speakers.iter().map(|it| it.key.0));
    let keys: HashSet<i64> = speakers.collect();
    let unknown = |key: &i64| !found.devices_of.contains_key(&UserKey(*key));
    let keys: Vec<_> = keys.into_iter().filter(unknown).collect();
    let statement = clients::devices::POSTGRES_DEVICES_OF_KEYS.postgres();
    self::found(db, statement, keys.len(), &[&keys]).await
}

/// What was found for a decision of the omnichannel half.
type Omni = (OmniFacts, Vec<Arc<User>>);

/// Loads what decisions ask of the omnichannel half, each by itself: by its place in the batch.
async fn load_omni(
    db: &Connection,
    found: &Found,
    decisions: &[Box<dyn Waiting>],
    sealer: &Sealer,
) -> Result<HashMap<usize, Omni>, Failure> {
    let mut loaded = HashMap::new();
    // All at once and in one order on all nodes, so that two of them do not wait for each other.
    let locks = decisions.iter().flat_map(|it| omnichannel::locks::others(it.app(), it.question()));
    let locks: BTreeSet<i64> = locks.collect();
    let locks: Vec<_> = locks.into_iter().collect();
    self::found(db, sql::POSTGRES_LOCK_LANES.postgres(), locks.len(), &[&locks]).await?;
    for (place, decision) in decisions.iter().enumerate() {
        let (app, question) = (decision.app(), decision.question());
        let Some(omni) = &question.omni else { continue };
        let rooms: Vec<_> =
            question.rooms.iter().filter_map(|room| found.room(app, room)).collect();
        let rooms: Vec<_> = rooms.iter().map(|found| found.room.id).collect();
        let asks = omnichannel::facts::asks(app, omni, &rooms);
        let mut reads = Pipeline::default();
        for ask in &asks {
            reads.add(values::query(db, ask));
        }
        let answers = reads.answers().await?;
        let answers = answers.iter().map(|rows| values::rows(rows));
        let answers: Result<Vec<_>, _> = answers.collect();
        loaded.insert(place, omnichannel::facts::read(omni, &rooms, answers?, sealer)?);
    }
    Ok(loaded)
}

/// The rooms that the questions name otherwise than by id.
struct Names<'a> {
    known: Vec<(AppId, RoomUniqueId, RoomId)>,
    unknown: HashSet<(AppId, &'a str)>,
}

impl<'a> Names<'a> {
    fn asked(room_names: &RoomNames, decisions: &'a [Box<dyn Waiting>]) -> Self {
        let mut names = Self { known: Vec::new(), unknown: HashSet::new() };
        for decision in decisions {
            let app = decision.app();
            for asked in &decision.question().rooms {
                let (RoomRef::Unique(unique_id) | RoomRef::Either(_, unique_id)) = asked else {
                    continue;
                };
                match (room_names.get(app, asked), asked) {
                    // Known by its integer: the name does not count.
                    (Some(_), RoomRef::Either(..)) => {}
                    (Some(room), _) => names.known.push((app, unique_id.clone(), room)),
                    (None, _) => drop(names.unknown.insert((app, unique_id.as_str()))),
                }
            }
        }
        names
    }

    async fn rows(&self, connection: &Connection) -> Result<Vec<Row>, Failure> {
        by_texts(connection, sql::POSTGRES_ROOMS_BY_UNIQUE_IDS.postgres(), &self.unknown).await
    }
}

/// Everything the questions name, each thing once.
#[derive(Default)]
struct Asked<'a> {
    rooms: BTreeSet<(RoomId, AppId)>,
    users: HashSet<(AppId, &'a str)>,
    locked_users: HashSet<(AppId, &'a str)>,
    members: HashSet<(RoomId, AppId, &'a str)>,
    counted: HashSet<RoomId>,
    places: HashSet<(RoomId, MessageId)>,
    client_ids: HashSet<(AppId, &'a str)>,
    webhooks_of: HashSet<AppId>,
    lanes: HashSet<Lane>,
    devices_in: HashSet<RoomId>,
    devices_of: HashSet<(AppId, &'a str)>,
}

impl<'a> Asked<'a> {
    fn by(decisions: &'a [Box<dyn Waiting>], found: &Found) -> Self {
        let mut asked = Self::default();
        for decision in decisions {
            asked.take(decision.app(), decision.question(), found);
        }
        asked
    }

    fn take(&mut self, app: AppId, question: &'a Question, found: &Found) {
        let rooms: Vec<RoomId> =
            question.rooms.iter().flat_map(|room| found.candidates(app, room)).collect();
        for user in &question.users {
            let users = if question.locks_users { &mut self.locked_users } else { &mut self.users };
            users.insert((app, user.as_str()));
            if question.finds_members {
                self.members.extend(rooms.iter().map(|room| (*room, app, user.as_str())));
            }
        }
        for message in &question.messages {
            match message {
                MessageRef::Id(id) => self.places.extend(rooms.iter().map(|room| (*room, *id))),
                MessageRef::Unique(unique_id) => {
                    self.places.extend(unique_id.place());
                    self.client_ids.insert((app, unique_id.as_str()));
                }
            }
        }
        if question.counts_participants {
            self.counted.extend(&rooms);
        }
        if let Some((lane, _)) = &question.endpoints {
            self.webhooks_of.insert(app);
            self.lanes.insert(*lane);
        }
        if question.finds_devices {
            self.webhooks_of.insert(app);
            self.devices_in.extend(&rooms);
            self.devices_of.extend(question.users.iter().map(|user| (app, user.as_str())));
        }
        self.rooms.extend(rooms.into_iter().map(|room| (room, app)));
    }

    /// Locks the rooms, in the order of their ids.
    async fn rooms(&self, db: &Connection, one_by_one: bool) -> Result<Vec<Row>, Failure> {
        if one_by_one {
            let mut locks = Pipeline::default();
            for (room, app) in &self.rooms {
                locks.add(async move {
                    db.query(sql::POSTGRES_LOCK_ROOM.postgres(), &[&room.0, &app.0]).await
                });
            }
            return Ok(locks.answers().await?.into_iter().flatten().collect());
        }
        let (rooms, apps): (Vec<_>, Vec<_>) = self.rooms.iter().map(|(r, a)| (r.0, a.0)).unzip();
        found(db, sql::POSTGRES_LOCK_ROOMS.postgres(), rooms.len(), &[&rooms, &apps]).await
    }

    async fn locked_users(&self, db: &Connection) -> Result<Vec<Row>, Failure> {
        by_texts(db, sql::POSTGRES_LOCK_USERS.postgres(), &self.locked_users).await
    }

    async fn users(&self, db: &Connection) -> Result<Vec<Row>, Failure> {
        by_texts(db, sql::POSTGRES_USERS.postgres(), &self.users).await
    }

    async fn members(&self, db: &Connection) -> Result<Vec<Row>, Failure> {
        let rooms: Vec<_> = self.members.iter().map(|(room, ..)| room.0).collect();
        let apps: Vec<_> = self.members.iter().map(|(_, app, _)| app.0).collect();
        let users: Vec<_> = self.members.iter().map(|(.., user)| *user).collect();
        let params: Params<'_> = &[&rooms, &apps, &users];
        found(db, sql::POSTGRES_MEMBERS.postgres(), rooms.len(), params).await
    }

    async fn counts(&self, db: &Connection) -> Result<Vec<Row>, Failure> {
        let rooms: Vec<_> = self.counted.iter().map(|room| room.0).collect();
        found(db, sql::POSTGRES_COUNT_PARTICIPANTS.postgres(), rooms.len(), &[&rooms]).await
    }

    /// Endpoints, and how far the lanes are.
    async fn webhooks(&self, db: &Connection) -> Result<(Vec<Row>, Vec<Row>), Failure> {
        let apps: Vec<_> = self.webhooks_of.iter().map(|app| app.0).collect();
        let lanes: Vec<_> = self.lanes.iter().map(|lane| lane.0).collect();
        let is_locked = |lane: &i64| self.rooms.iter().any(|(room, _)| room.0 == *lane);
        let free: Vec<_> = lanes.iter().copied().filter(|lane| !is_locked(lane)).collect();
        let params: (Params<'_>, Params<'_>) = (&[&apps], &[&lanes]);
        let lock: Params<'_> = &[&free];
        let (_, endpoints, lanes) = tokio::try_join!(
            biased;
            found(db, sql::POSTGRES_LOCK_LANES.postgres(), free.len(), lock),
            found(db, sql::POSTGRES_ENDPOINTS.postgres(), apps.len(), params.0),
            found(db, sql::POSTGRES_LANES.postgres(), lanes.len(), params.1),
        )?;
        Ok((endpoints, lanes))
    }

    /// The phones of the rooms' participants, and of the users.
    async fn devices(&self, db: &Connection) -> Result<(Vec<Row>, Vec<Row>), Failure> {
        let rooms: Vec<_> = self.devices_in.iter().map(|room| room.0).collect();
        let of_rooms = clients::devices::POSTGRES_DEVICES_OF_ROOMS.postgres();
        let of_users = clients::devices::POSTGRES_DEVICES_OF_USERS.postgres();
        let params: Params<'_> = &[&rooms];
        tokio::try_join!(
            biased;
            found(db, of_rooms, rooms.len(), params),
            by_texts(db, of_users, &self.devices_of),
        )
    }

    async fn client_ids(&self, db: &Connection) -> Result<Vec<Row>, Failure> {
        by_texts(db, sql::POSTGRES_CLIENT_IDS.postgres(), &self.client_ids).await
    }
}

async fn said_at(
    db: &Connection,
    places: &HashSet<(RoomId, MessageId)>,
) -> Result<Vec<Row>, Failure> {
    let (rooms, ids): (Vec<_>, Vec<_>) = places.iter().map(|(room, id)| (room.0, id.0)).unzip();
    found(db, sql::POSTGRES_SAID.postgres(), rooms.len(), &[&rooms, &ids]).await
}

async fn by_texts(
    db: &Connection,
    statement: &str,
    asked: &HashSet<(AppId, &str)>,
) -> Result<Vec<Row>, Failure> {
    let (apps, texts): (Vec<_>, Vec<_>) = asked.iter().map(|(app, text)| (app.0, *text)).unzip();
    found(db, statement, apps.len(), &[&apps, &texts]).await
}

/// The rows for so many things; nothing is asked for nothing.
async fn found(
    db: &Connection,
    statement: &str,
    count: usize,
    params: Params<'_>,
) -> Result<Vec<Row>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    Ok(db.query(statement, params).await?)
}

impl Found {
    /// The rooms that a caller may mean.
    fn candidates(&self, app: AppId, asked: &RoomRef) -> Vec<RoomId> {
        let named = |unique_id| self.names.get(&app).and_then(|names| names.get(unique_id));
        match asked {
            RoomRef::Id(id) => vec![*id],
            RoomRef::Unique(unique_id) => named(unique_id).copied().into_iter().collect(),
            RoomRef::Either(id, unique_id) => {
                std::iter::once(*id).chain(named(unique_id).copied()).collect()
            }
        }
    }

    fn take_names(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            let unique_id = RoomUniqueId::from_trusted(rows::get(row, 1)?);
            let names = self.names.entry(AppId(rows::get(row, 0)?)).or_default();
            names.insert(unique_id, RoomId(rows::get(row, 2)?));
        }
        Ok(())
    }

    fn names_known(&mut self, known: Vec<(AppId, RoomUniqueId, RoomId)>) {
        for (app, unique_id, room) in known {
            self.names.entry(app).or_default().insert(unique_id, room);
        }
    }

    fn take_rooms(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            let (room, last) = (Arc::new(rows::room(row)?), rows::last_message(row)?);
            self.rooms.insert(room.id, FoundRoom { room, last });
        }
        Ok(())
    }

    fn take_users(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            self.keep_user(Arc::new(rows::user(row)?));
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

    fn take_members(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            let number = |column| rows::get::<i64>(row, column).map(|number| number as u64);
            let participation = Participation {
                read_number: number(2)?,
                received_number: number(3)?,
                cleared_number: number(4)?,
            };
            let place = (RoomId(rows::get(row, 0)?), UserKey(rows::get(row, 1)?));
            self.members.insert(place, participation);
        }
        Ok(())
    }

    fn take_counts(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            let count = rows::get::<i64>(row, 1)? as usize;
            self.participants.insert(RoomId(rows::get(row, 0)?), count);
        }
        Ok(())
    }

    fn take_said(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for said in rows::said(rows)? {
            self.said.insert((said.message.room, said.message.id), said);
        }
        Ok(())
    }

    fn take_webhooks(&mut self, (endpoints, lanes): &(Vec<Row>, Vec<Row>)) -> Result<(), Failure> {
        for row in endpoints {
            self.keep_endpoint(rows::endpoint(row)?);
        }
        for row in lanes {
            let key = (Lane(rows::get(row, 0)?), EndpointId(rows::get(row, 1)?));
            self.sequences.insert(key, rows::get::<i64>(row, 2)? as u64);
        }
        Ok(())
    }

    fn take_devices(&mut self, (in_rooms, of_users): &(Vec<Row>, Vec<Row>)) -> Result<(), Failure> {
        for row in in_rooms {
            let devices = self.devices_in.entry(RoomId(rows::get(row, 0)?)).or_default();
            devices.push(rows::device(row, 1)?);
        }
        for row in of_users {
            let device = rows::device(row, 0)?;
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
    fn take_client_ids(&mut self, rows: &[Row]) -> Result<HashSet<(RoomId, MessageId)>, Failure> {
        let mut places = HashSet::new();
        for row in rows {
            let unique_id = UniqueId::from_stored(rows::get(row, 1)?);
            let place = (RoomId(rows::get(row, 2)?), MessageId(rows::get(row, 3)?));
            let app = AppId(rows::get(row, 0)?);
            self.client_ids.entry(app).or_default().insert(unique_id, place);
            places.insert(place);
        }
        Ok(places)
    }

    fn remember_names(&self, room_names: &RoomNames, decisions: &[Box<dyn Waiting>]) {
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
