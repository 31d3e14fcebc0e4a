//! Loads the facts of all decisions of a batch.
//!
//! To save round trips, one statement reads all facts of one kind for the whole batch, and all
//! statements are sent at once. The rooms stay locked until the commit.

use std::collections::{BTreeSet, HashMap, HashSet};

use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::rooms::room::{RoomRef, RoomUniqueId};
use tokio_postgres::Row;

use super::asked::{BatchQuestions, ROOMS_BY_UNIQUE_IDS, by_numbers, by_texts, message_texts_at};
use super::batch_facts::{BatchFacts, FoundForDecision};
use super::failure::DatabaseFailure;
use crate::postgres::connections::connection::Connection;
use crate::postgres::connections::pipeline::Pipeline;
use crate::postgres::connections::values;
use crate::postgres::nodes::node::Node;
use crate::reading::room_names::RoomNames;
use crate::secrets::sealer::Sealer;
use crate::tables::devices::POSTGRES_DEVICES_OF_KEYS;
use crate::tables::lanes::POSTGRES_LOCK_LANES;
use crate::writing::waiting::QueuedDecision;
use crate::writing::{locks, omni_facts};

/// Opens a transaction of this node and loads the facts of the decisions; `None` if the node has
/// lost its number.
pub(crate) async fn load(
    db: &Connection,
    node: &mut Node,
    (room_names, sealer): (&RoomNames, &Sealer),
    decisions: &[Box<dyn QueuedDecision>],
) -> Result<Option<BatchFacts>, DatabaseFailure> {
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
    let asked = BatchQuestions::by(decisions, &found);
    let slots = asked.send(&mut sent, db.is_sharding());
    let mut answers = sent.answers().await?;
    marks += answers.changed(marked);
    if marks != 1 {
        return Ok(None);
    }
    let places = slots.take(&mut found, &mut answers)?;
    let mut sent = Pipeline::new(db);
    let posted = message_texts_at(&mut sent, &places);
    found.read_messages(&sent.answers().await?.rows(posted))?;
    found.remember_names(room_names, decisions);
    found.omni = load_omni(db, &found, decisions, sealer).await?;
    let devices = devices_of_speakers(db, &found, decisions).await?;
    found.take_devices(&[], &devices)?;
    Ok(Some(found))
}

/// Loads the devices of users that post on behalf of agents, for decisions that need devices.
async fn devices_of_speakers(
    db: &Connection,
    found: &BatchFacts,
    decisions: &[Box<dyn QueuedDecision>],
) -> Result<Vec<Row>, DatabaseFailure> {
    let is_asked = |place: &usize| decisions[*place].question().finds_devices;
    let asked = found.omni.iter().filter(|(place, _)| is_asked(place));
    let speakers = asked.flat_map(|(_, (_, speakers))| speakers.iter().map(|it| it.key.0));
    let keys: HashSet<i64> = speakers.collect();
    let keys = keys.into_iter().filter(|key| !found.knows_devices_of(UserKey(*key)));
    let mut sent = Pipeline::new(db);
    let devices = by_numbers(&mut sent, &POSTGRES_DEVICES_OF_KEYS, keys.collect());
    Ok(sent.answers().await?.rows(devices))
}

/// Loads the facts about support and staff for each decision that needs them, by the decision's
/// position in the batch.
async fn load_omni(
    db: &Connection,
    found: &BatchFacts,
    decisions: &[Box<dyn QueuedDecision>],
    sealer: &Sealer,
) -> Result<HashMap<usize, FoundForDecision>, DatabaseFailure> {
    let mut loaded = HashMap::new();
    // All at once, and in the same order on all nodes, so that two of them never deadlock.
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
        let slots: Vec<_> = asks.iter().map(|ask| sent.push_query(ask)).collect();
        let mut answers = sent.answers().await?;
        let rows = slots.into_iter().map(|slot| values::rows(&answers.rows(slot)));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        loaded.insert(place, omni_facts::read(omni, &rooms, rows, sealer)?);
    }
    Ok(loaded)
}

/// Rooms that the questions name by unique id: those whose id is cached, and the others.
struct Names<'a> {
    known: Vec<(AppId, RoomUniqueId, RoomId)>,
    unknown: HashSet<(AppId, &'a str)>,
}

impl<'a> Names<'a> {
    fn asked(room_names: &RoomNames, decisions: &'a [Box<dyn QueuedDecision>]) -> Self {
        let mut names = Self { known: Vec::new(), unknown: HashSet::new() };
        for decision in decisions {
            let app = decision.app();
            for asked in &decision.question().rooms {
                let (RoomRef::Unique(unique_id) | RoomRef::Either(_, unique_id)) = asked else {
                    continue;
                };
                match (room_names.get(app, asked), asked) {
                    // The room is known by its id, which takes precedence over the unique id.
                    (Some(_), RoomRef::Either(..)) => {}
                    (Some(room), _) => names.known.push((app, unique_id.clone(), room)),
                    (None, _) => drop(names.unknown.insert((app, unique_id.as_str()))),
                }
            }
        }
        names
    }
}
