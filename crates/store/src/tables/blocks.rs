//! Users that a user blocked.

use confab_domain::ids::{RoomId, UserKey};
use confab_domain::people::user::User;
use confab_domain::time::Timestamp;

use super::users::{self, user_columns};
use crate::error::Read;
use crate::sql::{Ask, Row, as_offset, prepared, statements, values};
use crate::store::Store;

/// A page of the users that a user blocked.
#[derive(Debug)]
pub struct BlockedPage {
    /// Blocked users, most recently blocked first.
    pub users: Vec<User>,
    /// Total number of users that the user blocked.
    pub total: u64,
}

prepared! {
    BLOCK = "INSERT INTO blocks (user_key, blocked, created_at) VALUES ($1, $2, $3) \
        ON CONFLICT (user_key, blocked) DO NOTHING";
    UNBLOCK = "DELETE FROM blocks WHERE user_key = $1 AND blocked = $2";
}

statements! {
    HAS_BLOCKED = "SELECT blocked FROM blocks WHERE user_key = $1 AND blocked = $2";
    COUNT_BLOCKED = "SELECT count(*) FROM blocks WHERE user_key = $1";
    BLOCKED_USERS = concat!("SELECT ", user_columns!("u."), " FROM blocks b \
        JOIN users u ON u.id = b.blocked WHERE b.user_key = $1 ORDER BY b.created_at DESC, u.id \
        LIMIT $2 OFFSET $3");
    // Finds a participant of the room who blocked the user, who is in it too.
    IS_BLOCKED_IN = "SELECT p.user_key FROM participants p \
        JOIN blocks b ON b.user_key = p.user_key AND b.blocked = $2 \
        JOIN participants own ON own.room = p.room AND own.user_key = b.blocked \
        WHERE p.room = $1 LIMIT 1";
}

pub(crate) fn add(user: UserKey, blocked: UserKey, at: Timestamp) -> Vec<Ask> {
    vec![Ask::new(&BLOCK, values![user.0, blocked.0, at])]
}

pub(crate) fn remove(user: UserKey, blocked: UserKey) -> Vec<Ask> {
    vec![Ask::new(&UNBLOCK, values![user.0, blocked.0])]
}

impl Store {
    /// Returns a page of the users that a user blocked.
    pub async fn blocked(&self, user: UserKey, skipped: u64, size: usize) -> Read<BlockedPage> {
        let page = values![user.0, size as i64, as_offset(skipped)];
        let users = self.asked(Ask::new(&BLOCKED_USERS, page), users::row).await?;
        let ask = Ask::new(&COUNT_BLOCKED, values![user.0]);
        let total = self.asked(ask, |row| row.number(0)).await?;
        Ok(BlockedPage { users, total: total.first().map_or(0, |total| *total as u64) })
    }

    /// Whether a participant of the room blocked this user.
    pub async fn is_blocked_in(&self, room: RoomId, user: UserKey) -> Read<bool> {
        let ask = Ask::new(&IS_BLOCKED_IN, values![room.0, user.0]);
        Ok(!self.query_now(ask, |_| Ok(())).await?.is_empty())
    }

    /// Whether a user blocked another one.
    pub async fn has_blocked(&self, user: UserKey, other: UserKey) -> Read<bool> {
        let ask = Ask::new(&HAS_BLOCKED, values![user.0, other.0]);
        Ok(!self.query_now(ask, |_| Ok(())).await?.is_empty())
    }
}
