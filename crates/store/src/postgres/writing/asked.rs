//! Merges the questions of all decisions of a batch, so that one statement reads each kind of fact.
//!
//! For Citus, the statements have an additional condition that the keys are among the parameters,
//! so that only the shards of these keys are queried. Without Citus, the condition would only give
//! the planner a second, slower way to the rows, so it is left out.

use std::collections::{BTreeSet, HashSet};

use confab_domain::decision::question::Question;
use confab_domain::ids::{AppId, MessageId, RoomId};
use confab_domain::limits;
use confab_domain::messages::message::MessageRef;
use confab_domain::webhooks::delivery::Lane;

use super::batch_facts::BatchFacts;
use super::failure::DatabaseFailure;
use crate::postgres::connections::pipeline::{Pipeline, PipelineAnswers, Slots, params};
use crate::sql::{Statement, on_shards, prepared};
use crate::tables::devices::{POSTGRES_DEVICES_OF_ROOMS, POSTGRES_DEVICES_OF_USERS};
use crate::tables::endpoints::POSTGRES_ENDPOINTS_OF_APPS;
use crate::tables::lanes::{POSTGRES_LANES, POSTGRES_LOCK_LANES};
use crate::tables::messages::message_columns;
use crate::tables::participants::POSTGRES_PEOPLE_IN_ROOMS;
use crate::tables::rooms::room_columns;
use crate::tables::users::user_columns;
use crate::writing::waiting::QueuedDecision;

prepared! {
    ROOMS_BY_UNIQUE_IDS = concat!("SELECT n.app, n.unique_id, n.room \
        FROM unnest($1::bigint[], $2::text[]) asked (app, unique_id) \
        JOIN room_names n ON n.unique_id = asked.unique_id AND n.app = asked.app",
        on_shards!(" WHERE n.unique_id = ANY ($2)"));
    // Ordered by id, so that two nodes never deadlock.
    LOCK_ROOMS = concat!("SELECT ", room_columns!("r."), ", r.last_message, r.last_number, \
        r.version FROM unnest($1::bigint[], $2::bigint[]) asked (id, app) \
        JOIN rooms r ON r.id = asked.id AND r.app = asked.app ORDER BY r.id FOR UPDATE OF r");
    // Citus locks rows of only one shard at a time.
    LOCK_ROOM = concat!("SELECT ", room_columns!(""), ", last_message, last_number, version \
        FROM rooms WHERE id = $1 AND app = $2 FOR UPDATE");
    USERS = concat!("SELECT ", user_columns!("u."), ", u.version \
        FROM unnest($1::bigint[], $2::text[]) asked (app, user_id) \
        JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id");
    // Versions that prove that the cached users are current, and all users with their id.
    USER_VERSIONS = "SELECT u.id, u.version \
        FROM unnest($1::bigint[], $2::text[]) asked (app, user_id) \
        JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id";
    LOCK_USERS = concat!("SELECT ", user_columns!("u."), ", u.version \
        FROM unnest($1::bigint[], $2::text[]) asked (app, user_id) \
        JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id \
        ORDER BY u.id FOR UPDATE OF u");
    MEMBERS = concat!("SELECT p.room, p.user_key, p.read_number, p.received_number, \
        p.cleared_number \
        FROM unnest($1::bigint[], $2::bigint[], $3::text[]) asked (room, app, user_id) \
        JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id \
        JOIN participants p ON p.room = asked.room AND p.user_key = u.id",
        on_shards!(" WHERE p.room = ANY ($1)"));
    COUNT_PARTICIPANTS = "SELECT room, count(*) FROM participants \
        WHERE room = ANY ($1) GROUP BY room";
    SAID = concat!("SELECT ", message_columns!("m."), ", ", user_columns!("u."), ", \
        coalesce(e.message, 0) FROM unnest($1::bigint[], $2::bigint[]) asked (room, id) \
        JOIN messages m ON m.room = asked.room AND m.id = asked.id \
        JOIN users u ON u.id = m.sender \
        LEFT JOIN edits e ON e.room = m.room AND e.message = m.id",
        on_shards!(" AND e.room = ANY ($1) WHERE m.room = ANY ($1)"));
    CLIENT_IDS = concat!("SELECT c.app, c.unique_id, c.room, c.message \
        FROM unnest($1::bigint[], $2::text[]) asked (app, unique_id) \
        JOIN client_ids c ON c.unique_id = asked.unique_id AND c.app = asked.app",
        on_shards!(" WHERE c.unique_id = ANY ($2)"));
}

/// Everything that the questions of a batch name, without duplicates.
#[derive(Default)]
pub(crate) struct BatchQuestions<'a> {
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
    chat_message_facts: HashSet<RoomId>,
}

impl<'a> BatchQuestions<'a> {
    pub(crate) fn by(decisions: &'a [Box<dyn QueuedDecision>], found: &BatchFacts) -> Self {
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
        if question.wants_chat_messages {
            self.webhooks_of.insert(app);
            self.lanes.extend(rooms.iter().map(|room| Lane(room.0)));
            self.chat_message_facts.extend(&rooms);
        }
        self.rooms.extend(rooms.into_iter().map(|room| (room, app)));
    }

    /// Sends the statements. The locks come first, so that later statements see everything written
    /// by the previous holders of the locks.
    pub(crate) fn send(&self, sent: &mut Pipeline<'a>, is_sharding: bool) -> AskedSlots {
        AskedSlots {
            rooms: self.lock_rooms(sent, is_sharding),
            locked_users: by_texts(sent, &LOCK_USERS, &self.locked_users),
            users: by_texts(sent, &USERS, &self.users),
            members: self.members(sent),
            counts: by_numbers(sent, &COUNT_PARTICIPANTS, numbers(&self.counted, |room| room.0)),
            client_ids: by_texts(sent, &CLIENT_IDS, &self.client_ids),
            posted: message_texts_at(sent, &self.places),
            endpoints: self.endpoints(sent),
            lanes: by_numbers(sent, &POSTGRES_LANES, numbers(&self.lanes, |lane| lane.0)),
            devices_in: {
                let rooms = numbers(&self.devices_in, |room| room.0);
                by_numbers(sent, &POSTGRES_DEVICES_OF_ROOMS, rooms)
            },
            devices_of: by_texts(sent, &POSTGRES_DEVICES_OF_USERS, &self.devices_of),
            people: self.people(sent),
        }
    }

    /// Locks the rooms in the order of their ids.
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

    fn people(&self, sent: &mut Pipeline<'a>) -> Slots {
        if self.chat_message_facts.is_empty() {
            return sent.nothing();
        }
        let rooms = numbers(&self.chat_message_facts, |room| room.0);
        let max = limits::NOTICE_PARTICIPANTS_MAX as i64;
        sent.query(&POSTGRES_PEOPLE_IN_ROOMS, params![rooms, max])
    }

    /// Locks the lanes whose rooms are not locked, and reads the endpoints.
    fn endpoints(&self, sent: &mut Pipeline<'a>) -> Slots {
        let is_locked = |lane: &i64| self.rooms.iter().any(|(room, _)| room.0 == *lane);
        let mut free = numbers(&self.lanes, |lane| lane.0);
        free.retain(|lane| !is_locked(lane));
        by_numbers(sent, &POSTGRES_LOCK_LANES, free);
        by_numbers(sent, &POSTGRES_ENDPOINTS_OF_APPS, numbers(&self.webhooks_of, |app| app.0))
    }
}

/// Positions of the answers to the [`BatchQuestions`] in the answers of a pipeline.
pub(crate) struct AskedSlots {
    rooms: Slots,
    locked_users: Slots,
    users: Slots,
    members: Slots,
    counts: Slots,
    client_ids: Slots,
    posted: Slots,
    endpoints: Slots,
    lanes: Slots,
    devices_in: Slots,
    devices_of: Slots,
    people: Slots,
}

impl AskedSlots {
    /// Adds the answers to `found`. Returns room and id of each message that a question names by a
    /// client's unique id.
    pub(crate) fn take(
        self,
        found: &mut BatchFacts,
        answers: &mut PipelineAnswers,
    ) -> Result<HashSet<(RoomId, MessageId)>, DatabaseFailure> {
        found.take_rooms(&answers.rows(self.rooms))?;
        found.take_users(&answers.rows(self.locked_users))?;
        found.take_users(&answers.rows(self.users))?;
        found.take_members(&answers.rows(self.members))?;
        found.take_counts(&answers.rows(self.counts))?;
        found.read_messages(&answers.rows(self.posted))?;
        found.take_webhooks(&answers.rows(self.endpoints), &answers.rows(self.lanes))?;
        found.take_devices(&answers.rows(self.devices_in), &answers.rows(self.devices_of))?;
        found.take_people(&answers.rows(self.people))?;
        found.take_client_ids(&answers.rows(self.client_ids))
    }
}

pub(crate) fn message_texts_at(
    sent: &mut Pipeline<'_>,
    places: &HashSet<(RoomId, MessageId)>,
) -> Slots {
    if places.is_empty() {
        return sent.nothing();
    }
    let (rooms, ids): (Vec<_>, Vec<_>) = places.iter().map(|(room, id)| (room.0, id.0)).unzip();
    sent.query(&SAID, params![rooms, ids])
}

pub(crate) fn by_texts<'a>(
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

/// Adds a statement with these numbers as its parameter to the pipeline, unless there are none.
pub(crate) fn by_numbers(
    sent: &mut Pipeline<'_>,
    statement: &'static Statement,
    asked: Vec<i64>,
) -> Slots {
    if asked.is_empty() {
        return sent.nothing();
    }
    sent.query(statement, params![asked])
}

fn numbers<T>(all: &HashSet<T>, number: impl Fn(&T) -> i64) -> Vec<i64> {
    all.iter().map(number).collect()
}
