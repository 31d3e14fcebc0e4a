//! Loading the facts of all decisions that are written together.
//!
//! PostgreSQL is a round trip away: one statement finds what all waiting decisions ask for, and all
//! statements are sent at once. The rooms stay locked until the commit.

use std::collections::{BTreeSet, HashMap, HashSet};

use confab_domain::decision::question::Question;
use confab_domain::ids::{AppId, MessageId, RoomId, UserKey};
use confab_domain::messages::message::MessageRef;
use confab_domain::rooms::room::{RoomRef, RoomUniqueId};
use confab_domain::webhooks::delivery::Lane;
use tokio_postgres::Row;

use super::batch_facts::{BatchFacts, FoundForDecision};
use super::connection::Connection;
use super::node::Node;
use super::pipeline::{Pipeline, PipelineAnswers, Slots, params};
use super::values;
use crate::postgres::failure::Failure;
use crate::room_names::RoomNames;
use crate::secrets::sealer::Sealer;
use crate::sql::{Statement, prepared};
use crate::tables::devices::{
    POSTGRES_DEVICES_OF_KEYS, POSTGRES_DEVICES_OF_ROOMS, POSTGRES_DEVICES_OF_USERS,
};
use crate::tables::endpoints::POSTGRES_ENDPOINTS_OF_APPS;
use crate::tables::lanes::{POSTGRES_LANES, POSTGRES_LOCK_LANES};
use crate::tables::messages::message_columns;
use crate::tables::rooms::room_columns;
use crate::tables::users::user_columns;
use crate::waiting::Waiting;
use crate::{locks, omni_facts};

prepared! {
    ROOMS_BY_UNIQUE_IDS = "SELECT n.app, n.unique_id, n.room \
        FROM unnest($1::bigint[], $2::text[]) asked (app, unique_id) \
        JOIN room_names n ON n.unique_id = asked.unique_id AND n.app = asked.app";
    // In the order of ids, so that two nodes never wait for each other.
    LOCK_ROOMS = concat!("SELECT ", room_columns!("r."), ", r.last_message, r.last_number \
        FROM unnest($1::bigint[], $2::bigint[]) asked (id, app) JOIN rooms r ON r.id = asked.id \
        AND r.app = asked.app ORDER BY r.id FOR UPDATE OF r");
    // A sharding PostgreSQL locks rows of one shard at a time only.
    LOCK_ROOM = concat!("SELECT ", room_columns!(""), ", last_message, last_number FROM rooms \
        WHERE id = $1 AND app = $2 FOR UPDATE");
    USERS = concat!("SELECT ", user_columns!("u."), " FROM unnest($1::bigint[], $2::text[]) asked \
        (app, user_id) JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id");
    LOCK_USERS = concat!("SELECT ", user_columns!("u."), " \
        FROM unnest($1::bigint[], $2::text[]) asked (app, user_id) \
        JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id \
        ORDER BY u.id FOR UPDATE OF u");
    MEMBERS = "SELECT p.room, p.user_key, p.read_number, p.received_number, \
        p.cleared_number \
        FROM unnest($1::bigint[], $2::bigint[], $3::text[]) asked (room, app, user_id) \
        JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id \
        JOIN participants p ON p.room = asked.room AND p.user_key = u.id";
    COUNT_PARTICIPANTS = "SELECT room, count(*) FROM participants \
        WHERE room = ANY ($1) GROUP BY room";
    SAID = concat!("SELECT ", message_columns!("m."), ", ", user_columns!("u."), " \
        FROM unnest($1::bigint[], $2::bigint[]) asked (room, id) \
        JOIN messages m ON m.room = asked.room AND m.id = asked.id \
        JOIN users u ON u.id = m.sender");
    CLIENT_IDS = "SELECT c.app, c.unique_id, c.room, c.message \
        FROM unnest($1::bigint[], $2::text[]) asked (app, unique_id) \
        JOIN client_ids c ON c.unique_id = asked.unique_id AND c.app = asked.app";
}

/// Opens a transaction of this node and loads what the decisions ask for; `None` if the node's
/// number is not its own any more.
pub(super) async fn load(
    db: &Connection,
    node: &mut Node,
    locks_one_by_one: bool,
    (room_names, sealer): (&RoomNames, &Sealer),
    decisions: &[Box<dyn Waiting>],
) -> Result<Option<BatchFacts>, Failure> {
    let mut found = BatchFacts::default();
    let names = Names::asked(room_names, decisions);
    let mut sent = Pipeline::new(db);
    sent.run("BEGIN");
    let (mut marked, mut marks) = (node.mark(&mut sent), 0);
    if !names.unknown.is_empty() {
        let rooms = by_texts(&mut sent, &ROOMS_BY_UNIQUE_IDS, &names.unknown);
        let mut answers = sent.answers().await?;
        marks += answers.changed(marked);
        found.take_names(&answers.rows(rooms))?;
        sent = Pipeline::new(db);
        marked = sent.nothing();
    }
    found.names_known(names.known);
    let asked = Asked::by(decisions, &found);
    let slots = asked.send(&mut sent, locks_one_by_one);
    let mut answers = sent.answers().await?;
    marks += answers.changed(marked);
    if marks != 1 {
        return Ok(None);
    }
    let places = slots.take(&mut found, &mut answers)?;
    let mut sent = Pipeline::new(db);
    let said = said_at(&mut sent, &places);
    found.take_said(&sent.answers().await?.rows(said))?;
    found.remember_names(room_names, decisions);
    found.omni = load_omni(db, &found, decisions, sealer).await?;
    let devices = devices_of_speakers(db, &found, decisions).await?;
    found.take_devices(&[], &devices)?;
    Ok(Some(found))
}

/// The phones of those who were found for single decisions, where they are asked for.
async fn devices_of_speakers(
    db: &Connection,
    found: &BatchFacts,
    decisions: &[Box<dyn Waiting>],
) -> Result<Vec<Row>, Failure> {
    let is_asked = |place: &usize| decisions[*place].question().finds_devices;
    let asked = found.omni.iter().filter(|(place, _)| is_asked(place));
    let speakers = asked.flat_map(|(_, (_, speakers))| speakers.iter().map(|it| it.key.0));
    let keys: HashSet<i64> = speakers.collect();
    let keys = keys.into_iter().filter(|key| !found.knows_devices_of(UserKey(*key)));
    let mut sent = Pipeline::new(db);
    let devices = by_numbers(&mut sent, &POSTGRES_DEVICES_OF_KEYS, keys.collect());
    Ok(sent.answers().await?.rows(devices))
}

/// Loads what is asked for single decisions, each by itself: by its place in the batch.
async fn load_omni(
    db: &Connection,
    found: &BatchFacts,
    decisions: &[Box<dyn Waiting>],
    sealer: &Sealer,
) -> Result<HashMap<usize, FoundForDecision>, Failure> {
    let mut loaded = HashMap::new();
    // All at once and in one order on all nodes, so that two of them do not wait for each other.
    let keys = decisions.iter().flat_map(|it| locks::others(it.app(), it.question()));
    let keys: BTreeSet<i64> = keys.collect();
    let mut sent = Pipeline::new(db);
    by_numbers(&mut sent, &POSTGRES_LOCK_LANES, keys.into_iter().collect());
    sent.answers().await?;
    for (place, decision) in decisions.iter().enumerate() {
        let (app, question) = (decision.app(), decision.question());
        let Some(omni) = &question.omni else { continue };
        let rooms: Vec<_> =
            question.rooms.iter().filter_map(|room| found.room_id(app, room)).collect();
        let asks = omni_facts::asks(app, omni, &rooms);
        let mut sent = Pipeline::new(db);
        let slots: Vec<_> = asks.iter().map(|ask| sent.query_ask(ask)).collect();
        let mut answers = sent.answers().await?;
        let rows = slots.into_iter().map(|slot| values::rows(&answers.rows(slot)));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        loaded.insert(place, omni_facts::read(omni, &rooms, rows, sealer)?);
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
    fn by(decisions: &'a [Box<dyn Waiting>], found: &BatchFacts) -> Self {
        let mut asked = Self::default();
        for decision in decisions {
            asked.take(decision.app(), decision.question(), found);
        }
        asked
    }

    fn take(&mut self, app: AppId, question: &'a Question, found: &BatchFacts) {
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

    /// Sent in this order: what follows the locks sees all that was written by those who held them
    /// before.
    fn send(&self, sent: &mut Pipeline<'a>, locks_one_by_one: bool) -> AskedSlots {
        AskedSlots {
            rooms: self.lock_rooms(sent, locks_one_by_one),
            locked_users: by_texts(sent, &LOCK_USERS, &self.locked_users),
            users: by_texts(sent, &USERS, &self.users),
            members: self.members(sent),
            counts: by_numbers(sent, &COUNT_PARTICIPANTS, numbers(&self.counted, |room| room.0)),
            client_ids: by_texts(sent, &CLIENT_IDS, &self.client_ids),
            said: said_at(sent, &self.places),
            endpoints: self.endpoints(sent),
            lanes: by_numbers(sent, &POSTGRES_LANES, numbers(&self.lanes, |lane| lane.0)),
            devices_in: {
                let rooms = numbers(&self.devices_in, |room| room.0);
                by_numbers(sent, &POSTGRES_DEVICES_OF_ROOMS, rooms)
            },
            devices_of: by_texts(sent, &POSTGRES_DEVICES_OF_USERS, &self.devices_of),
        }
    }

    /// Locks the rooms, in the order of their ids.
    fn lock_rooms(&self, sent: &mut Pipeline<'a>, one_by_one: bool) -> Slots {
        if self.rooms.is_empty() {
            return sent.nothing();
        }
        if one_by_one {
            let first = sent.nothing().start;
            for (room, app) in &self.rooms {
                sent.query(&LOCK_ROOM, params![room.0, app.0]);
            }
            return first..sent.nothing().end;
        }
        let (rooms, apps): (Vec<_>, Vec<_>) = self.rooms.iter().map(|(r, a)| (r.0, a.0)).unzip();
        sent.query(&LOCK_ROOMS, params![rooms, apps])
    }

    fn members(&self, sent: &mut Pipeline<'a>) -> Slots {
        if self.members.is_empty() {
            return sent.nothing();
        }
        let rooms: Vec<_> = self.members.iter().map(|(room, ..)| room.0).collect();
        let apps: Vec<_> = self.members.iter().map(|(_, app, _)| app.0).collect();
        let users: Vec<_> = self.members.iter().map(|(.., user)| *user).collect();
        sent.query(&MEMBERS, params![rooms, apps, users])
    }

    /// Locks the lanes that are no locked room, and asks for the endpoints.
    fn endpoints(&self, sent: &mut Pipeline<'a>) -> Slots {
        let is_locked = |lane: &i64| self.rooms.iter().any(|(room, _)| room.0 == *lane);
        let mut free = numbers(&self.lanes, |lane| lane.0);
        free.retain(|lane| !is_locked(lane));
        by_numbers(sent, &POSTGRES_LOCK_LANES, free);
        by_numbers(sent, &POSTGRES_ENDPOINTS_OF_APPS, numbers(&self.webhooks_of, |app| app.0))
    }
}

/// Where the answers are to what was [`Asked`].
struct AskedSlots {
    rooms: Slots,
    locked_users: Slots,
    users: Slots,
    members: Slots,
    counts: Slots,
    client_ids: Slots,
    said: Slots,
    endpoints: Slots,
    lanes: Slots,
    devices_in: Slots,
    devices_of: Slots,
}

impl AskedSlots {
    /// Takes up the answers; gives where the messages are that clients named.
    fn take(
        self,
        found: &mut BatchFacts,
        answers: &mut PipelineAnswers,
    ) -> Result<HashSet<(RoomId, MessageId)>, Failure> {
        found.take_rooms(&answers.rows(self.rooms))?;
        found.take_users(&answers.rows(self.locked_users))?;
        found.take_users(&answers.rows(self.users))?;
        found.take_members(&answers.rows(self.members))?;
        found.take_counts(&answers.rows(self.counts))?;
        found.take_said(&answers.rows(self.said))?;
        found.take_webhooks(&answers.rows(self.endpoints), &answers.rows(self.lanes))?;
        found.take_devices(&answers.rows(self.devices_in), &answers.rows(self.devices_of))?;
        found.take_client_ids(&answers.rows(self.client_ids))
    }
}

fn said_at(sent: &mut Pipeline<'_>, places: &HashSet<(RoomId, MessageId)>) -> Slots {
    if places.is_empty() {
        return sent.nothing();
    }
    let (rooms, ids): (Vec<_>, Vec<_>) = places.iter().map(|(room, id)| (room.0, id.0)).unzip();
    sent.query(&SAID, params![rooms, ids])
}

fn by_texts<'a>(
    sent: &mut Pipeline<'a>,
    statement: &'static Statement,
    asked: &HashSet<(AppId, &'a str)>,
) -> Slots {
    if asked.is_empty() {
        return sent.nothing();
    }
    let (apps, texts): (Vec<_>, Vec<_>) = asked.iter().map(|(app, text)| (app.0, *text)).unzip();
    sent.query(statement, params![apps, texts])
}

/// The rows for these; nothing is asked for nothing.
fn by_numbers(sent: &mut Pipeline<'_>, statement: &'static Statement, asked: Vec<i64>) -> Slots {
    if asked.is_empty() {
        return sent.nothing();
    }
    sent.query(statement, params![asked])
}

fn numbers<T>(all: &HashSet<T>, number: impl Fn(&T) -> i64) -> Vec<i64> {
    all.iter().map(number).collect()
}
