//! Rows that prove whether a commit took place, where the row of the node cannot prove it (D-0025).
//!
//! On Citus, the row of the node is on the coordinator, and rooms are on workers. If a worker fails
//! during the commit, its rows are lost while the coordinator commits. One row is sufficient as
//! proof: a commit that wrote to a single worker took place there or not at all, and a commit that
//! wrote to several workers took place on all or none of them.

use confab_domain::decision::change::{Change, MessageChange, SupportChange};
use confab_domain::ids::RoomId;
use confab_domain::messages::room_event::RoomEventKind;
use tokio_postgres::Error;

use crate::postgres::connections::connection::Connection;
use crate::sql::{Statement, statements};

statements! {
    LOCK_PROOF = "SELECT id FROM rooms WHERE id = $1 FOR UPDATE";
    MESSAGE_PROOF = "SELECT id FROM messages WHERE room = $1 AND id = $2";
    EVENT_PROOF = "SELECT id FROM events WHERE room = $1 AND id = $2";
    TRAIL_PROOF = "SELECT id FROM trail WHERE room = $1 AND id = $2";
}

/// A row that a commit adds to a room, and that is retained long enough to be read afterwards.
#[derive(Clone, Copy)]
pub(crate) struct CommitProof {
    room: RoomId,
    id: i64,
    text: &'static Statement,
}

impl CommitProof {
    /// Returns the row that a change adds, if it can serve as proof.
    pub(crate) fn of(change: &Change) -> Option<Self> {
        match change {
            Change::Message(MessageChange::Insert { posted, .. }) => {
                let (room, id) = (posted.message.room, posted.message.id.0);
                Some(Self { room, id, text: &MESSAGE_PROOF })
            }
            Change::Message(MessageChange::InsertEvent(event)) => match event.what {
                RoomEventKind::Edited { .. }
                | RoomEventKind::Deleted { .. }
                | RoomEventKind::Cleared { .. } => {
                    Some(Self { room: event.room, id: event.id.0, text: &EVENT_PROOF })
                }
                // These have no row in `events`.
                RoomEventKind::Posted { .. }
                | RoomEventKind::Received(_)
                | RoomEventKind::Read(_) => None,
            },
            Change::Service(SupportChange::AddTrail(entry)) => {
                Some(Self { room: entry.room, id: entry.id.0, text: &TRAIL_PROOF })
            }
            _ => None,
        }
    }

    /// Whether the row exists. Waits until the commit has ended on the room's shard, even if it is
    /// prepared and unresolved.
    pub(crate) async fn is_there(&self, db: &Connection) -> Result<bool, Error> {
        db.run("BEGIN").await?;
        db.query(LOCK_PROOF.postgres(), &[&self.room.0]).await?;
        let found = db.query(self.text.postgres(), &[&self.room.0, &self.id]).await?;
        db.run("ROLLBACK").await?;
        Ok(!found.is_empty())
    }
}
