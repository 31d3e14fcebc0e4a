//! Checks all statements for Citus, and fails on those that Citus rejects or plans over every shard
//! (D-0014). It needs no Citus cluster.
//!
//! Exceptions are listed below, each with the reason why the statement may query all shards. No
//! exception is used to post a message, read a page, delete a message, lease buckets or record
//! deliveries.

mod shapes;
mod sql_tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use shapes::{Layout, Shape};

use crate::sql::{Statement, for_shards};

/// The script that distributes the tables.
const LAYOUT: &str = include_str!("../migrations/citus.sql");

/// Statements that may query all shards, grouped by the reason.
const COLD: &[(&str, &[&str])] = &[
    (
        "data of one user's rooms, which are on all shards (D-0014); read when the user connects \
         or opens a list",
        &[
            "catching_up::HAPPENED",
            "catching_up::KEYS_AFTER",
            "catching_up::LATE_KEYS",
            "messages::POSTGRES_PLACE_OF_MESSAGE",
            "participants::UNREAD_IN_ALL",
            "participants::UNREAD_ROOMS",
            "rooms::COUNT_ROOMS_OF_USER",
            "rooms::POSTGRES_NEWEST_OF_USER",
            "rooms::ROOMS_OF_USER",
            "rooms::ROOM_PAGE",
            "user_search::POSTGRES_HIDDEN_USERS",
            "user_search::POSTGRES_KEYS_OF_USERS",
        ],
    ),
    (
        "lists and counts of an app's conversations, for the dashboard",
        &[
            "customer_room_lists::COUNT_OPEN",
            "customer_room_lists::COUNT_ROOMS",
            "customer_room_lists::COUNT_ROOMS_BY_END",
            "customer_room_lists::COUNT_ROOMS_LEFT",
            "customer_room_lists::COUNT_ROOMS_ONCE_SERVED",
            "customer_room_lists::COUNT_ROOMS_SERVED_BY",
            "customer_room_lists::COUNT_SERVED_ONCE",
            "customer_room_lists::COUNT_SERVED_ROOMS",
            "customer_room_lists::COUNT_TAGGED_ROOMS",
            "customer_room_lists::COUNT_UNSERVED_ROOMS",
            "customer_room_lists::COUNT_WAITING",
            "customer_room_lists::CUSTOMER_ROOMS",
            "customer_room_lists::EARLIER_ROOMS",
            "customer_room_lists::EARLIER_ROOMS_BY_END",
            "customer_room_lists::EARLIER_ROOMS_LEFT",
            "customer_room_lists::EARLIER_ROOMS_LEFT_OF_MANY",
            "customer_room_lists::EARLIER_ROOMS_ONCE_SERVED",
            "customer_room_lists::EARLIER_ROOMS_ONCE_SERVED_OF_MANY",
            "customer_room_lists::EARLIER_ROOMS_SERVED_BY",
            "customer_room_lists::EARLIER_SERVED_ROOMS",
            "customer_room_lists::EARLIER_TAGGED_ROOMS",
            "customer_room_lists::EARLIER_UNSERVED_ROOMS",
            "customer_room_lists::ROOMS_BY_END",
            "customer_room_lists::ROOMS_LEFT",
            "customer_room_lists::ROOMS_LEFT_OF_MANY",
            "customer_room_lists::ROOMS_ONCE_SERVED",
            "customer_room_lists::ROOMS_ONCE_SERVED_OF_MANY",
            "customer_room_lists::ROOMS_SERVED_BY",
            "customer_room_lists::SERVED_ROOMS",
            "customer_room_lists::TAGGED_ROOMS",
            "customer_room_lists::UNSERVED_ROOMS",
            "customer_room_lists::WAITING_ROOMS",
            "customer_rooms::POSTGRES_ROOMS_OF_CONTACTS",
            "customer_rooms::ROOMS_OF_CONTACT",
            "customer_rooms::WAITING_COUNT",
            "rooms::CHANNELS_OF_APP",
            "search::POSTGRES_FIND_CONTACTS",
            "search::POSTGRES_FIND_CONTACTS_NEAR",
            "search::POSTGRES_FIND_MESSAGES",
            "search::POSTGRES_FIND_MESSAGES_NEAR",
            "sessions::SESSIONS_OF_APP",
            "tags::COUNT_TAGGED",
        ],
    ),
    (
        "number of rooms that an agent serves: they are on all shards, and a table of the numbers \
         would be written on every worker with each assignment; read for every message of a \
         customer, for the agent whom its webhook proposes (D-0014)",
        &[
            "agents::AGENT",
            "agents::AGENTS",
            "agents::ALL_AGENTS",
            "agents::CANDIDATES",
            "agents::STAFF",
        ],
    ),
    (
        "rooms found by their customer or agent, so that no room is known before; read for each \
         event of a customer that a channel reports, and otherwise when conversations start, are \
         allocated or end (D-0014)",
        &[
            "agents::AWAY_AGENTS",
            "agents::DELETED_AGENTS",
            "customer_rooms::IDLE_ROOMS",
            "customer_rooms::IS_CUSTOMER",
            "customer_rooms::QUEUE",
            "customer_rooms::ROOM_OF_CUSTOMER",
            "room_agents::ROOMS_OF_AGENT",
        ],
    ),
    (
        "external ids of messages, which are distributed by that id and read by room when an agent \
         answers there",
        &[
            "channel_messages::FORGET_CHANNEL_MESSAGES",
            "channel_messages::LAST_AT",
            "channel_messages::LAST_HEARD",
            "channel_messages::NAMES_OF_MESSAGE",
            "channel_messages::OUTGOING_UNTIL",
        ],
    ),
    (
        "lists of an app's deliveries, for administrators of its webhooks",
        &[
            "attempts::POSTGRES_ATTEMPTS_OF_APP",
            "deliveries::BACKLOGS",
            "deliveries::GIVEN_UP_EVENTS",
            "deliveries::POSTGRES_NEWEST_DELIVERIES",
            "deliveries::POSTGRES_OLDEST_DELIVERIES",
        ],
    ),
    (
        "renaming, merging or deleting a tag changes all its rooms",
        &["tags::CLEAR_ROOM_TAGS", "tags::MERGE_ROOM_TAGS", "tags::RENAME_ROOM_TAGS"],
    ),
    (
        "background work of one node, a few rows at a time: search index, doubted files, purges",
        &[
            "direct_sends::FORGET_DIRECT_SENDS",
            "files::FIRST_DOUBTED",
            "files::NAMED_BY_ROOM",
            "files::POSTGRES_CONTENTS_AFTER",
            "room_events::FORGET_EVENTS",
            "room_events::OLDEST_EVENTS",
            "search::POSTGRES_CUSTOMERS_BETWEEN",
            "search::POSTGRES_LOOKED_AT",
            "search::POSTGRES_NEXT_MESSAGE",
        ],
    ),
    ("read once at each start", &["node::NEWEST_ID"]),
    (
        "commands of the operator",
        &[
            "analytics_rebuild::POSTGRES_DIFFERENCE",
            "app_snapshot::EXPORTED_PARTICIPANTS",
            "app_snapshot::EXPORTED_ROOMS",
            "app_snapshot::EXPORTED_SESSIONS",
            "app_snapshot::POSTGRES_EXPORTED_MESSAGES",
            "rooms::NEWEST_ROOM",
            "check::BROKEN_CHAINS",
            "statements::COUNT_DELIVERIES",
            "statements::POSTGRES_DELIVERIES",
        ],
    ),
];

/// Statements that are never sent to Citus, with the reason.
const NEVER_SENT: &[(&str, &str)] = &[
    ("asked::LOCK_ROOMS", "on Citus, LOCK_ROOM locks rooms one by one"),
    ("messages::POSTGRES_SET_LAST_IF_SAME", "on Citus, no post is decided on cached facts"),
];

/// Path of a source file, with the names and texts of its statements.
type Texts = (&'static str, Vec<(&'static str, &'static Statement)>);

macro_rules! prepared_by {
    ($($($part:ident)::+,)+) => {
        vec![$({
            let names = $($part)::+::PREPARED_NAMES.iter().copied();
            let texts = $($part)::+::PREPARED.iter().copied();
            (concat!($("/", stringify!($part)),+), names.zip(texts).collect())
        }),+]
    };
}

macro_rules! others_of {
    ($($($part:ident)::+,)+) => {
        vec![$((concat!($("/", stringify!($part)),+), $($part)::+::STATEMENTS.to_vec())),+]
    };
}

/// Returns the statements that are prepared when a writer's connection is opened.
fn prepared() -> Vec<Texts> {
    prepared_by![
        crate::postgres::writing::asked,
        crate::postgres::nodes::node,
        crate::tables::agent_channels,
        crate::tables::agents,
        crate::tables::analytics_quarters,
        crate::tables::apps,
        crate::tables::attempts,
        crate::tables::audit,
        crate::tables::auto_replies,
        crate::tables::blocks,
        crate::tables::buttons,
        crate::tables::canned_replies,
        crate::tables::channel_accounts,
        crate::tables::channel_messages,
        crate::tables::channel_states,
        crate::tables::channels,
        crate::tables::customer_identities,
        crate::tables::customer_info,
        crate::tables::customer_rooms,
        crate::tables::deliveries,
        crate::tables::devices,
        crate::tables::direct_sends,
        crate::tables::divisions,
        crate::tables::edits,
        crate::tables::endpoints,
        crate::tables::files,
        crate::tables::hidden_messages,
        crate::tables::lanes,
        crate::tables::message_states,
        crate::tables::messages,
        crate::tables::nonces,
        crate::tables::notes,
        crate::tables::page_settings,
        crate::tables::participants,
        crate::tables::presences,
        crate::tables::room_agents,
        crate::tables::room_events,
        crate::tables::rooms,
        crate::tables::search,
        crate::tables::seen_marks,
        crate::tables::served_rooms,
        crate::tables::sessions,
        crate::tables::settings,
        crate::tables::sign_in_codes,
        crate::tables::sign_ins,
        crate::tables::tags,
        crate::tables::trail,
        crate::tables::user_grams,
        crate::tables::users,
    ]
}

/// Returns the statements that are prepared at their first use.
fn others() -> Vec<Texts> {
    others_of![
        crate::commands::analytics_rebuild,
        crate::commands::app_snapshot,
        crate::postgres::reading::catching_up,
        crate::postgres::maintenance::check,
        crate::postgres::nodes::commit_proof,
        crate::postgres::writing::deliveries,
        crate::postgres::reading::first_pages,
        crate::postgres::nodes::node,
        crate::postgres::reading::pages,
        crate::postgres::reading::participants,
        crate::postgres::reading::rooms,
        crate::postgres::nodes::senders,
        crate::postgres::sharding,
        crate::commands::search_index,
        crate::secrets::statements,
        crate::tables::agents,
        crate::tables::analytics_quarters,
        crate::tables::apps,
        crate::tables::attempts,
        crate::tables::audit,
        crate::tables::blocks,
        crate::tables::buttons,
        crate::tables::canned_replies,
        crate::tables::channel_accounts,
        crate::tables::channel_messages,
        crate::tables::channel_states,
        crate::tables::channels,
        crate::tables::customer_identities,
        crate::tables::customer_room_lists,
        crate::tables::customer_rooms,
        crate::tables::deliveries,
        crate::tables::devices,
        crate::tables::direct_sends,
        crate::tables::divisions,
        crate::tables::edits,
        crate::tables::endpoints,
        crate::tables::files,
        crate::tables::hidden_messages,
        crate::tables::lanes,
        crate::tables::message_states,
        crate::tables::messages,
        crate::tables::notes,
        crate::tables::page_settings,
        crate::tables::participants,
        crate::tables::presences,
        crate::tables::room_agents,
        crate::tables::room_events,
        crate::tables::rooms,
        crate::tables::search,
        crate::tables::seen_marks,
        crate::tables::served_rooms,
        crate::tables::sessions,
        crate::tables::settings,
        crate::tables::sign_in_codes,
        crate::tables::sign_ins,
        crate::tables::tags,
        crate::tables::trail,
        crate::tables::user_search,
        crate::tables::users,
    ]
}

/// Returns every statement text for Citus, by file and name.
pub(super) fn all() -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for (path, texts) in prepared().into_iter().chain(others()) {
        let (_, file) = path.rsplit_once('/').expect("a path");
        for (name, statement) in texts.iter().filter(|(name, _)| !name.starts_with("SQLITE_")) {
            all.insert(format!("{file}::{name}"), for_shards(statement.postgres()));
        }
    }
    all
}

fn found() -> BTreeMap<String, BTreeSet<Shape>> {
    let layout = Layout::read(LAYOUT);
    let looked_at = all().into_iter().map(|(name, text)| (name, layout.shapes(&text)));
    looked_at.filter(|(_, shapes)| !shapes.is_empty()).collect()
}

#[test]
fn no_statement_has_a_shape_that_citus_rejects_or_plans_over_all_shards() {
    let cold: Vec<&str> = COLD.iter().flat_map(|(_, names)| *names).copied().collect();
    let never: Vec<&str> = NEVER_SENT.iter().map(|(name, _)| *name).collect();
    let mut wrong = Vec::new();
    for (name, shapes) in found() {
        let is_cold = cold.contains(&name.as_str());
        let left = shapes.iter().filter(|it| !is_cold || !matches!(it, Shape::AllShards(_)));
        let left: Vec<_> = left.filter(|_| !never.contains(&name.as_str())).collect();
        if !left.is_empty() {
            wrong.push(format!("{name}: {left:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} statements:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_listed_exception_is_needed() {
    let found = found();
    let named = COLD.iter().flat_map(|(_, names)| *names);
    let named = named.chain(NEVER_SENT.iter().map(|(name, _)| name));
    let others: Vec<_> = named.filter(|name| !found.contains_key(**name)).collect();
    assert!(others.is_empty(), "exceptions that are not needed: {others:?}");
}

#[test]
fn every_file_with_statements_is_checked() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut missing = Vec::new();
    for (begins, read) in [("prepared! {", prepared()), ("statements! {", others())] {
        let read: BTreeSet<String> =
            read.iter().map(|(path, _)| path.replacen("/crate", "", 1) + ".rs").collect();
        for path in files(&source) {
            let text = std::fs::read_to_string(&path).expect("text");
            let name = path.strip_prefix(&source).expect("inside").display().to_string();
            let has_texts = text.lines().any(|line| line == begins);
            if has_texts && !read.contains(&format!("/{name}")) {
                missing.push(format!("{name} has {begins}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    assert!(all().len() > 300, "too few statements were found: {}", all().len());
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

/// Returns the problems of an SQL text as strings.
fn wrong(text: &str) -> Vec<String> {
    let shapes = Layout::read(LAYOUT).shapes(text);
    shapes.iter().map(|shape| format!("{shape:?}")).collect()
}

#[test]
fn keys_given_only_by_unnest_query_all_shards() {
    let by_unnest = "SELECT m.id FROM unnest($1::bigint[], $2::bigint[]) asked (room, id) \
        JOIN messages m ON m.room = asked.room AND m.id = asked.id";
    assert_eq!(wrong(by_unnest), ["AllShards(\"messages\")"]);
    assert_eq!(wrong(&format!("{by_unnest} WHERE m.room = ANY ($1)")), [""; 0]);
    assert_eq!(wrong(&format!("{by_unnest} WHERE m.id = ANY ($2)")), ["AllShards(\"messages\")"]);
    let update = "UPDATE rooms r SET last_message = new.id \
        FROM unnest($1::bigint[], $2::bigint[]) new (room, id) WHERE r.id = new.room";
    assert_eq!(wrong(update), ["AllShards(\"rooms\")"]);
    assert_eq!(wrong(&format!("{update} AND r.id = ANY ($1)")), [""; 0]);
    assert_eq!(wrong("DELETE FROM events WHERE id < $1"), ["AllShards(\"events\")"]);
    assert_eq!(wrong("SELECT body FROM deliveries WHERE id = $1"), ["AllShards(\"deliveries\")"]);
}

#[test]
fn a_list_of_keys_does_not_restrict_joined_tables_but_a_constant_does() {
    let joined = "SELECT r.id FROM participants p JOIN rooms r ON r.id = p.room WHERE p.room";
    assert_eq!(wrong(&format!("{joined} = ANY ($1)")), ["AllShards(\"rooms\")"]);
    assert_eq!(wrong(&format!("{joined} = ANY ($1) AND r.id = ANY ($1)")), [""; 0]);
    assert_eq!(wrong(&format!("{joined} = $1")), [""; 0]);
    let counted = "SELECT (SELECT count(*) FROM deletions d WHERE d.room = p.room) \
        FROM participants p WHERE p.room = ANY ($1)";
    assert_eq!(wrong(counted), ["AllShards(\"deletions\")"]);
}

#[test]
fn a_subquery_for_each_row_of_a_reference_table_is_reported() {
    let counted = "SELECT d.id, (SELECT count(*) FROM room_agents r WHERE r.agent = d.id) \
        FROM dashboard_users d WHERE d.app = $1";
    assert!(wrong(counted).contains(&"QueryForEachRow".to_owned()));
    let hidden = "SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM participants p \
        JOIN participants own ON own.room = p.room WHERE p.user_key = u.id)";
    assert!(wrong(hidden).contains(&"QueryForEachRow".to_owned()));
    let as_a_set = "SELECT u.id FROM users u WHERE u.id NOT IN (SELECT p.user_key \
        FROM participants p JOIN participants own ON own.room = p.room)";
    assert_eq!(wrong(as_a_set), ["AllShards(\"participants\")"]);
    let joined = "SELECT d.id, s.count FROM dashboard_users d LEFT JOIN (SELECT r.agent, \
        count(*) AS count FROM room_agents r GROUP BY r.agent) s ON s.agent = d.id";
    assert_eq!(wrong(joined), ["AllShards(\"room_agents\")"]);
}

#[test]
fn a_lateral_part_for_each_row_of_a_recurring_relation_is_reported() {
    let by_room = "SELECT p.user_key FROM unnest($1::bigint[]) asked (id) CROSS JOIN LATERAL ( \
        SELECT * FROM participants WHERE room = asked.id ORDER BY user_key LIMIT $2 OFFSET $3) p";
    assert!(wrong(by_room).contains(&"PartForEachRow".to_owned()), "{:?}", wrong(by_room));
    let windowed = "SELECT p.user_key FROM (SELECT *, row_number() OVER (PARTITION BY room \
        ORDER BY user_key) AS place FROM participants WHERE room = ANY ($1)) p WHERE p.place < $2";
    assert_eq!(wrong(windowed), [""; 0]);
    let of_rooms = "SELECT m.id FROM participants p CROSS JOIN LATERAL (SELECT id FROM messages \
        WHERE room = p.room AND room = ANY ($1) LIMIT 1) m WHERE p.room = ANY ($1)";
    assert_eq!(wrong(of_rooms), [""; 0]);
}

#[test]
fn a_join_must_use_a_distributed_table_instead_of_a_recurring_subquery() {
    let list = |session: &str| {
        format!(
            "SELECT c.room FROM (SELECT * FROM customer_rooms WHERE app = $1 LIMIT $2) c \
             JOIN rooms r ON r.id = c.room LEFT JOIN sessions s ON s.room = {session} \
             AND s.id = c.session"
        )
    };
    let by_list = wrong(&list("c.room"));
    assert!(by_list.contains(&"JoinedToWhatRecurs(\"sessions\")".to_owned()), "{by_list:?}");
    let by_room = wrong(&list("r.id"));
    assert!(by_room.iter().all(|shape| shape.starts_with("AllShards")), "{by_room:?}");
}

#[test]
fn joins_of_tables_with_different_distribution_are_reported() {
    let by_sender = "SELECT m.id FROM messages m JOIN participants p ON p.user_key = m.sender \
        WHERE m.room = ANY ($1) AND p.room = ANY ($1)";
    assert_eq!(wrong(by_sender), ["NotJoinedByKey(\"participants\")"]);
    let by_other = "SELECT m.id FROM messages m JOIN deliveries d ON d.bucket = m.room \
        WHERE m.room = ANY ($1) AND d.bucket = ANY ($1)";
    assert_eq!(wrong(by_other), ["NotJoinedByKey(\"deliveries\")"]);
    let with_nodes = "SELECT p.user_key FROM presences p JOIN nodes n ON n.node = p.node";
    assert_eq!(wrong(with_nodes), ["BesideTheCoordinators(\"nodes\")"]);
    let for_each = "SELECT p.user_key FROM presences p WHERE EXISTS (SELECT 1 FROM nodes n \
        WHERE n.node = p.node)";
    assert_eq!(wrong(for_each), ["BesideTheCoordinators(\"a query\")"]);
}

#[test]
fn locking_rows_of_several_shards_is_reported() {
    let many = "SELECT id FROM rooms WHERE id = ANY ($1) ORDER BY id FOR UPDATE";
    assert_eq!(wrong(many), ["LocksManyShards"]);
    assert_eq!(wrong("SELECT id FROM rooms WHERE id = $1 AND app = $2 FOR UPDATE"), [""; 0]);
}

#[test]
fn a_query_about_one_room_runs_on_one_worker() {
    let page = "WITH RECURSIVE top (number) AS (SELECT last_number FROM rooms WHERE id = $1 \
        UNION ALL SELECT top.number - 1 FROM top, LATERAL (SELECT count(*) AS count \
        FROM deletions WHERE room = $1 AND number > top.number) gone WHERE gone.count > 0) \
        SELECT id FROM messages WHERE room = $1 AND number <= (SELECT min(number) FROM top) \
        LIMIT $2";
    assert_eq!(wrong(page), [""; 0]);
}
