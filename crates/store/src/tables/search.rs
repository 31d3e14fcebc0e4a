//! Search index: the words of messages in customers' rooms, the words of customers' names and ids,
//! and the progress of indexing (D-0145). Both engines store the same rows, but match words in
//! different ways.

use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AppId, MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::people::user::{Realm, User};
use confab_domain::support::conversations::index_state::IndexState;
use confab_domain::support::conversations::indexing::{
    self, IndexStep, UnindexedContact, UnindexedMessage, UnindexedMessages,
};
use confab_domain::time::Timestamp;

use crate::error::{Read, StoreError, WriteError};
use crate::reading::pages::MessageKey;
use crate::sql::{Ask, Row, Statement, ValueRow, on_shards, prepared, statements, values};
use crate::store::Store;

prepared! {
    // An existing row is newer: edits write their words themselves.
    ADD_WORDS_OF_MESSAGE = "INSERT INTO search_messages (room, message, app, words) \
        SELECT c.room, m.id, c.app, CAST($3 AS TEXT) FROM customer_rooms c \
        JOIN messages m ON m.room = c.room AND m.id = $2 AND m.is_deleted = 0 \
        WHERE c.room = $1 ON CONFLICT DO NOTHING";
    RENEW_WORDS_OF_MESSAGE = "INSERT INTO search_messages (room, message, app, words) \
        SELECT c.room, CAST($2 AS BIGINT), c.app, CAST($3 AS TEXT) FROM customer_rooms c \
        WHERE c.room = $1 ON CONFLICT DO NOTHING";
    // The indexing task may have inserted the words from before the edit concurrently.
    CORRECT_WORDS_OF_MESSAGE = "UPDATE search_messages SET words = $3 \
        WHERE room = $1 AND message = $2 AND words <> $3";
    REMOVE_WORDS_OF_MESSAGE = "DELETE FROM search_messages WHERE room = $1 AND message = $2";
    ADD_WORDS_OF_CONTACT = "INSERT INTO search_contacts (contact, app, words) \
        VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    PUT_WORDS_OF_CONTACT = "INSERT INTO search_contacts (contact, app, words) \
        VALUES ($1, $2, $3) ON CONFLICT (contact) DO UPDATE SET words = excluded.words";
    REMOVE_WORDS_OF_CONTACT = "DELETE FROM search_contacts WHERE contact = $1";
    SET_SEARCH_STATE = "UPDATE search_state SET up_to = $1, reached = $2, contacts_up_to = $3, \
        holder = $4, held_until = $5 \
        WHERE id = 1 AND generation = $6 AND (holder = $4 OR held_until < $7)";
}

/// Greatest id and number of the next `$3` messages in the order of ids. PostgreSQL has an index on
/// the sum `id + 0`, so that it uses the index for no other statement.
macro_rules! looked_at {
    ($id:literal) => {
        concat!(
            "SELECT max(id), count(*) FROM (SELECT id FROM messages WHERE ",
            $id,
            " > $1 AND ",
            $id,
            " <= $2 ORDER BY ",
            $id,
            " LIMIT $3) ahead"
        )
    };
}

/// Number of the newest rows that PostgreSQL scans per requested hit, up to [`NEWEST_MAX`] rows.
/// Scanning a row takes about 3 µs, so a first page of 21 hits takes about 15 ms; the index is
/// needed only for words that occur in fewer than one of 250 rows.
const NEWEST_PER_HIT: usize = 250;
const NEWEST_MAX: usize = 50_000;

/// Messages of customers' rooms in a range of ids. A subquery for each message prevents the planner
/// from scanning all customers.
macro_rules! customers_between {
    ($id:literal) => {
        concat!(
            "SELECT id, room, kind, text FROM messages WHERE ",
            $id,
            " > $1 AND ",
            $id,
            " <= $2 AND (SELECT c.room FROM customer_rooms c WHERE c.room = messages.room) \
             IS NOT NULL ORDER BY ",
            $id,
            " LIMIT $3"
        )
    };
}

macro_rules! next_message {
    ($id:literal) => {
        concat!("SELECT id FROM messages WHERE ", $id, " > $1 ORDER BY ", $id, " LIMIT 1")
    };
}

/// Condition that a row's words match the query `$2`. Its first line must equal the expression of
/// PostgreSQL's word indexes.
macro_rules! lexemes {
    () => {
        "array_to_tsvector(string_to_array(s.words || ' :' || s.app::text, ' ')) \
         @@ CAST(CAST($2 AS TEXT) AS TSQUERY)"
    };
}

/// Messages that match by words, on Citus. Each shard joins its rows before they are sorted.
macro_rules! messages_by_words {
    () => {
        concat!(
            "search_messages s JOIN messages m ON m.room = s.room AND m.id = s.message \
             AND m.is_deleted = 0 WHERE s.app = $1 AND s.message < $3 AND ",
            lexemes!()
        )
    };
}

/// Join that looks up the messages of matching rows one by one, until there are enough.
macro_rules! its_message {
    () => {
        "CROSS JOIN LATERAL (SELECT number FROM messages WHERE room = s.room AND id = s.message \
         AND +is_deleted = 0 LIMIT 1) m"
    };
}

// PostgreSQL first scans the newest rows, which finds common words at once, and then uses the word
// index, which has few rows for the others. The pluses take the choice from the planner: for words
// without statistics it would scan all rows from the newest on. On shards the word index is used at
// once.
statements! {
    SEARCH_STATE = "SELECT up_to, reached, contacts_up_to, holder, held_until, generation \
        FROM search_state WHERE id = 1";
    SQLITE_LOOKED_AT = looked_at!("id");
    POSTGRES_LOOKED_AT = looked_at!("(id + 0)");
    SQLITE_CUSTOMERS_BETWEEN = customers_between!("id");
    POSTGRES_CUSTOMERS_BETWEEN = customers_between!("(id + 0)");
    SQLITE_NEXT_MESSAGE = next_message!("id");
    POSTGRES_NEXT_MESSAGE = next_message!("(id + 0)");
    USERS_AFTER = "SELECT id, app, realm, username, user_id FROM users WHERE id > $1 \
        ORDER BY id LIMIT $2";
    SQLITE_FIND_MESSAGES = "SELECT s.room, s.message, m.number FROM message_words \
        CROSS JOIN search_messages s ON s.message = message_words.rowid \
        CROSS JOIN messages m ON m.id = s.message \
        WHERE message_words MATCH $2 AND message_words.rowid < $3 AND s.app = $1 \
        AND m.is_deleted = 0 ORDER BY message_words.rowid DESC LIMIT $4";
    POSTGRES_FIND_MESSAGES_NEAR = concat!("SELECT s.room, s.message, m.number FROM ", on_shards!(
        concat!(messages_by_words!(), " AND $5::bigint < 0"),
        concat!("(SELECT room, message, app, words FROM search_messages WHERE app = $1 \
        AND message < $3 ORDER BY message DESC LIMIT $5) s ", its_message!(), " WHERE ",
        lexemes!())), " ORDER BY s.message DESC LIMIT $4");
    POSTGRES_FIND_MESSAGES = concat!("SELECT s.room, s.message, m.number FROM ", on_shards!(
        concat!(messages_by_words!(), " ORDER BY s.message DESC"),
        concat!("(SELECT s.room, s.message, s.message + 0 AS place FROM search_messages s \
        WHERE +s.app = $1 AND s.message + 0 < $3 AND ", lexemes!(), " ORDER BY place DESC) s ",
        its_message!(), " ORDER BY s.place DESC")), " LIMIT $4");
    SQLITE_FIND_CONTACTS = "SELECT s.contact FROM contact_words \
        CROSS JOIN search_contacts s ON s.contact = contact_words.rowid \
        WHERE contact_words MATCH $2 AND contact_words.rowid < $3 AND s.app = $1 \
        ORDER BY contact_words.rowid DESC LIMIT $4";
    POSTGRES_FIND_CONTACTS_NEAR = concat!("SELECT s.contact FROM (SELECT contact, app, words \
        FROM search_contacts WHERE app = $1 AND contact < $3 ORDER BY contact DESC LIMIT $5) s \
        WHERE ", lexemes!(), " ORDER BY s.contact DESC LIMIT $4");
    POSTGRES_FIND_CONTACTS = concat!("SELECT s.contact FROM search_contacts s \
        WHERE +s.app = $1 AND ", lexemes!(), " AND s.contact + 0 < $3 \
        ORDER BY s.contact + 0 DESC LIMIT $4");
}

pub(crate) fn add_message(room: RoomId, message: MessageId, words: &str) -> Vec<Ask> {
    vec![Ask::new(&ADD_WORDS_OF_MESSAGE, values![room.0, message.0, words])]
}

/// Replaces the indexed words of an edited message.
pub(crate) fn renew_message(message: &Message) -> Vec<Ask> {
    let Message { room, id, .. } = *message;
    let mut asks = vec![remove_message(room, id)];
    if let Some(words) = indexing::words(&message.text) {
        for statement in [&RENEW_WORDS_OF_MESSAGE, &CORRECT_WORDS_OF_MESSAGE] {
            asks.push(Ask::new(statement, values![room.0, id.0, &*words]));
        }
    }
    asks
}

pub(crate) fn remove_message(room: RoomId, message: MessageId) -> Ask {
    Ask::new(&REMOVE_WORDS_OF_MESSAGE, values![room.0, message.0])
}

pub(crate) fn add_contact(contact: UserKey, app: AppId, words: &str) -> Vec<Ask> {
    vec![Ask::new(&ADD_WORDS_OF_CONTACT, values![contact.0, app.0, words])]
}

/// Updates the indexed words of a customer's name and id. The app's own users are not indexed.
pub(crate) fn put_contact(user: &User) -> Option<Ask> {
    if user.realm == Realm::App {
        return None;
    }
    Some(match indexing::words_of(user) {
        Some(words) => Ask::new(&PUT_WORDS_OF_CONTACT, values![user.key.0, user.app.0, words]),
        None => remove_contact(user.key),
    })
}

pub(crate) fn remove_contact(contact: UserKey) -> Ask {
    Ask::new(&REMOVE_WORDS_OF_CONTACT, values![contact.0])
}

pub(crate) fn set_state(state: &IndexState, now: Timestamp) -> Vec<Ask> {
    let IndexState { up_to, reached, contacts_up_to, holder, held_until, generation } = state;
    let values =
        values![up_to.0, reached.0, contacts_up_to.0, holder, *held_until, *generation, now];
    vec![Ask::new(&SET_SEARCH_STATE, values)]
}

impl Store {
    /// Returns the progress of indexing.
    pub async fn index_state(&self) -> Read<IndexState> {
        let read = |row: &ValueRow| {
            Ok(IndexState {
                up_to: MessageId(row.number(0)?),
                reached: MessageId(row.number(1)?),
                contacts_up_to: UserKey(row.number(2)?),
                holder: row.text(3)?,
                held_until: row.time(4)?,
                generation: row.number(5)?,
            })
        };
        let found = self.query_now(Ask::new(&SEARCH_STATE, values![]), read).await?.pop();
        found.ok_or_else(|| StoreError::while_doing("reading the index")("it has no state"))
    }

    /// Returns the next messages to index, of all apps, after the first id and up to the second
    /// one.
    pub async fn unindexed(&self, after: MessageId, until: MessageId) -> Read<UnindexedMessages> {
        let (looked_at, customers) = match self {
            Self::Sqlite(_) => (&SQLITE_LOOKED_AT, &SQLITE_CUSTOMERS_BETWEEN),
            Self::Postgres(_) => (&POSTGRES_LOOKED_AT, &POSTGRES_CUSTOMERS_BETWEEN),
        };
        let (step, looked_at_max) = (limits::INDEX_STEP, limits::INDEX_MESSAGES_SCANNED as i64);
        let ask = Ask::new(looked_at, values![after.0, until.0, looked_at_max]);
        let read = |row: &ValueRow| Ok((row.maybe_number(0)?, row.number(1)? == looked_at_max));
        let Some((Some(last), has_more)) = self.asked(ask, read).await?.pop() else {
            return Ok(UnindexedMessages { messages: Vec::new(), up_to: None, has_more: false });
        };
        let read = |row: &ValueRow| {
            Ok(UnindexedMessage {
                id: MessageId(row.number(0)?),
                room: RoomId(row.number(1)?),
                kind: row.known(2, "message kind", MessageKind::parse)?,
                text: row.text(3)?,
            })
        };
        let ask = Ask::new(customers, values![after.0, last, step as i64]);
        let messages = self.asked(ask, read).await?;
        let full = messages.last().filter(|_| messages.len() == step);
        let (up_to, has_more) = full.map_or((MessageId(last), has_more), |it| (it.id, true));
        Ok(UnindexedMessages { messages, up_to: Some(up_to), has_more })
    }

    /// Returns the next users of all apps in the order of keys, to be indexed.
    pub async fn users_after(&self, after: UserKey, size: usize) -> Read<Vec<UnindexedContact>> {
        let read = |row: &ValueRow| {
            Ok(UnindexedContact {
                key: UserKey(row.number(0)?),
                app: AppId(row.number(1)?),
                realm: Realm::from_number(row.number(2)?),
                name: row.text(3)?,
                user_id: row.text(4)?,
            })
        };
        self.asked(Ask::new(&USERS_AFTER, values![after.0, size as i64]), read).await
    }

    /// Whether any app has a message after this one.
    pub async fn has_newer_messages(&self, after: MessageId) -> Read<bool> {
        let sql = match self {
            Self::Sqlite(_) => &SQLITE_NEXT_MESSAGE,
            Self::Postgres(_) => &POSTGRES_NEXT_MESSAGE,
        };
        let ask = Ask::new(sql, values![after.0]);
        Ok(!self.asked(ask, |_| Ok(())).await?.is_empty())
    }

    /// Writes the words and the progress of an indexing step. If the index was emptied since, the
    /// stored progress remains unchanged.
    pub async fn write_index(&self, step: IndexStep) -> Read<()> {
        let rule = move |_: &Facts, _: &Stamp<'_>| Ok(indexing::index(&step));
        // The change affects all apps and needs no facts, so the app id is not used.
        match self.decide(AppId(0), Question::default(), rule).await {
            Ok(()) => Ok(()),
            Err(WriteError::Failed(error)) => Err(error),
            Err(WriteError::Refused(refusal)) => {
                Err(StoreError::while_doing("writing the index")(refusal.to_string()))
            }
        }
    }

    /// Returns messages of the app before this one that contain, for each given word, a word
    /// beginning with it; newest first.
    pub async fn find_messages(
        &self,
        app: AppId,
        words: &[String],
        before: MessageId,
        size: usize,
    ) -> Read<Vec<MessageKey>> {
        let read = |row: &ValueRow| {
            Ok(MessageKey {
                room: RoomId(row.number(0)?),
                id: MessageId(row.number(1)?),
                number: row.number(2)? as u64,
            })
        };
        let texts = [&SQLITE_FIND_MESSAGES, &POSTGRES_FIND_MESSAGES_NEAR, &POSTGRES_FIND_MESSAGES];
        self.found(texts, app, words, before.0, size, read).await
    }

    /// Returns customers of the app before this one whose name or id contains, for each given word,
    /// a word beginning with it; newest first.
    pub async fn find_contacts(
        &self,
        app: AppId,
        words: &[String],
        before: UserKey,
        size: usize,
    ) -> Read<Vec<UserKey>> {
        let texts = [&SQLITE_FIND_CONTACTS, &POSTGRES_FIND_CONTACTS_NEAR, &POSTGRES_FIND_CONTACTS];
        let read = |row: &ValueRow| Ok(UserKey(row.number(0)?));
        self.found(texts, app, words, before.0, size, read).await
    }

    async fn found<T>(
        &self,
        [sqlite, near, all]: [&'static Statement; 3],
        app: AppId,
        words: &[String],
        before: i64,
        size: usize,
        read: impl Fn(&ValueRow) -> Read<T> + Copy,
    ) -> Read<Vec<T>> {
        if let Self::Sqlite(_) = self {
            let query = sqlite_query(app, words);
            let ask = Ask::new(sqlite, values![app.0, query, before, size as i64]);
            return self.asked(ask, read).await;
        }
        let query = postgres_query(app, words);
        let newest = (size * NEWEST_PER_HIT).min(NEWEST_MAX) as i64;
        let ask = Ask::new(near, values![app.0, &*query, before, size as i64, newest]);
        let found = self.asked(ask, read).await?;
        if found.len() == size {
            return Ok(found);
        }
        self.asked(Ask::new(all, values![app.0, query, before, size as i64]), read).await
    }
}

/// Formats the words as an FTS5 query. Words contain only letters and digits, so they need no
/// escaping.
fn sqlite_query(app: AppId, words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("\"{word}\" *")).collect();
    format!("app : \"{}\" AND words : ({})", app.0, words.join(" AND "))
}

fn postgres_query(app: AppId, words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("'{word}':*")).collect();
    format!("':{}' & {}", app.0, words.join(" & "))
}
