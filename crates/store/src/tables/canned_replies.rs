//! Canned replies, shared in the app (owner 0) or private to one agent.

use confab_domain::ids::{AgentId, AppId, CannedReplyId};
use confab_domain::limits;
use confab_domain::support::automation::canned_reply::{CannedReply, CannedReplyKey};

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

/// Value of the column `owner` for shared canned replies.
const EVERYBODY: i64 = 0;

prepared! {
    CANNED_REPLY_KEYS = "SELECT id, owner, shortcut, created_at FROM canned_replies \
        WHERE app = $1 AND owner IN (0, $2) ORDER BY id LIMIT $3";
    CANNED_REPLY_TEXT = "SELECT reply, language FROM canned_replies WHERE app = $1 AND id = $2";
    PUT_CANNED_REPLY = "INSERT INTO canned_replies (app, id, owner, shortcut, reply, language, \
        created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
        ON CONFLICT (app, id) DO UPDATE SET owner = excluded.owner, \
        shortcut = excluded.shortcut, reply = excluded.reply, language = excluded.language, \
        updated_at = excluded.updated_at";
    REMOVE_CANNED_REPLY = "DELETE FROM canned_replies WHERE app = $1 AND id = $2";
    CLEAR_CANNED_REPLIES = "DELETE FROM canned_replies WHERE app = $1 AND owner = $2";
}

statements! {
    CANNED_REPLIES = "SELECT id, owner, shortcut, reply, language, created_at, updated_at \
        FROM canned_replies WHERE app = $1 AND owner IN (0, $2) ORDER BY id LIMIT $3";
}

/// Maximum number of canned replies that are returned to an agent: shared ones and the agent's own.
const SEEN_MAX: i64 = 2 * limits::CANNED_REPLIES_MAX as i64;

fn owner(number: i64) -> Option<AgentId> {
    Some(AgentId(number)).filter(|_| number != EVERYBODY)
}

fn number(owner: Option<AgentId>) -> i64 {
    owner.map_or(EVERYBODY, |owner| owner.0)
}

pub(crate) fn key(row: &ValueRow) -> Read<CannedReplyKey> {
    Ok(CannedReplyKey {
        id: CannedReplyId(row.number(0)?),
        owner: owner(row.number(1)?),
        shortcut: row.text(2)?,
        created_at: row.time(3)?,
    })
}

fn row(row: &ValueRow) -> Read<CannedReply> {
    Ok(CannedReply {
        id: CannedReplyId(row.number(0)?),
        owner: owner(row.number(1)?),
        shortcut: row.text(2)?,
        text: row.text(3)?,
        language: row.text(4)?,
        created_at: row.time(5)?,
        updated_at: row.time(6)?,
    })
}

/// Selects the keys of the canned replies that an agent sees: shared ones and the agent's own. If
/// no agent is given, selects only shared ones.
pub(crate) fn keys_seen(app: AppId, by: Option<AgentId>) -> Ask {
    Ask::new(&CANNED_REPLY_KEYS, values![app.0, number(by), SEEN_MAX])
}

/// Selects text and language of a canned reply.
pub(crate) fn text(app: AppId, reply: CannedReplyId) -> Ask {
    Ask::new(&CANNED_REPLY_TEXT, values![app.0, reply.0])
}

pub(crate) fn put(app: AppId, reply: &CannedReply) -> Vec<Ask> {
    let CannedReply { id, owner, shortcut, text, language, created_at, updated_at } = reply;
    let owner = number(*owner);
    let values = values![app.0, id.0, owner, shortcut, text, language, *created_at, *updated_at];
    vec![Ask::new(&PUT_CANNED_REPLY, values)]
}

pub(crate) fn remove(app: AppId, reply: CannedReplyId) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_CANNED_REPLY, values![app.0, reply.0])]
}

/// Deletes all private canned replies of an agent.
pub(crate) fn remove_of(app: AppId, owner: AgentId) -> Vec<Ask> {
    vec![Ask::new(&CLEAR_CANNED_REPLIES, values![app.0, owner.0])]
}

impl Store {
    /// Returns the shared canned replies, and the private ones of an agent if one is given.
    pub async fn canned_replies(&self, app: AppId, of: Option<AgentId>) -> Read<Vec<CannedReply>> {
        let ask = Ask::new(&CANNED_REPLIES, values![app.0, number(of), SEEN_MAX]);
        self.asked(ask, row).await
    }
}
