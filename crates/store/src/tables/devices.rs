//! Devices of users for push notifications. Facts of decisions include the devices of all
//! participants of a room.

use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::people::device::Device;
use confab_domain::push::push_facts::PushDevice;
use confab_domain::time::Timestamp;

use crate::error::Read;
use crate::sql::{Ask, Row, prepared, statements, values};
use crate::store::Store;

// PostgreSQL reads the devices for all decisions of a batch, with their other facts.
prepared! {
    PUT_DEVICE = "INSERT INTO devices (user_key, token, platform, is_development, created_at) \
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (user_key, token) DO UPDATE SET \
        platform = excluded.platform, is_development = excluded.is_development, \
        created_at = excluded.created_at";
    // A device belongs to one user: its previous user gets no more pushes on it.
    TAKE_DEVICE = "DELETE FROM devices WHERE token = $2 AND user_key <> $1 AND EXISTS ( \
        SELECT 1 FROM users own JOIN users other ON other.app = own.app \
        WHERE own.id = $1 AND other.id = devices.user_key)";
    // Keeps the newest.
    FORGET_DEVICES = "DELETE FROM devices WHERE user_key = $1 AND token NOT IN ( \
        SELECT token FROM devices WHERE user_key = $1 \
        ORDER BY created_at DESC, token LIMIT $2)";
    REMOVE_DEVICES = "DELETE FROM devices WHERE user_key = $1";
    REMOVE_DEVICE = "DELETE FROM devices WHERE user_key = $1 AND token = $2";

    POSTGRES_DEVICES_OF_ROOMS = "SELECT p.room, d.user_key, d.token, d.is_development \
        FROM participants p JOIN devices d ON d.user_key = p.user_key \
        JOIN users u ON u.id = d.user_key \
        WHERE p.room = ANY ($1) AND lower(d.platform) = 'ios' AND u.is_active = 1";
    POSTGRES_DEVICES_OF_USERS = "SELECT d.user_key, d.token, d.is_development \
        FROM unnest($1::bigint[], $2::text[]) asked (app, user_id) \
        JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id \
        JOIN devices d ON d.user_key = u.id \
        WHERE lower(d.platform) = 'ios' AND u.is_active = 1";
    POSTGRES_DEVICES_OF_KEYS = "SELECT d.user_key, d.token, d.is_development \
        FROM devices d JOIN users u ON u.id = d.user_key \
        WHERE d.user_key = ANY ($1) AND lower(d.platform) = 'ios' AND u.is_active = 1";
}

statements! {
    DEVICE = "SELECT platform, is_development FROM devices WHERE user_key = $1 AND token = $2";

    // SQLite reads one room or user at a time.
    SQLITE_DEVICES_OF_ROOM = "SELECT d.user_key, d.token, d.is_development \
        FROM participants p JOIN devices d ON d.user_key = p.user_key \
        JOIN users u ON u.id = d.user_key \
        WHERE p.room = $1 AND lower(d.platform) = 'ios' AND u.is_active = 1 LIMIT $2";
    SQLITE_DEVICES_OF_USER = "SELECT d.user_key, d.token, d.is_development \
        FROM devices d JOIN users u ON u.id = d.user_key \
        WHERE d.user_key = $1 AND lower(d.platform) = 'ios' AND u.is_active = 1";
}

/// Reads a device, whose columns begin at `first`.
pub(crate) fn row_from<R: Row>(row: &R, first: usize) -> Result<PushDevice, R::Error> {
    Ok(PushDevice {
        user: UserKey(row.number(first)?),
        token: row.text(first + 1)?,
        is_development: row.flag(first + 2)?,
    })
}

/// Registers a device for a user, and unregisters it for other users of the app.
pub(crate) fn put(user: UserKey, device: &Device, at: Timestamp) -> Vec<Ask> {
    let row = values![user.0, &device.token, &device.platform, device.is_development, at];
    let kept = limits::DEVICES_OF_USER_MAX as i64;
    vec![
        Ask::new(&TAKE_DEVICE, values![user.0, &device.token]),
        Ask::new(&PUT_DEVICE, row),
        Ask::new(&FORGET_DEVICES, values![user.0, kept]),
    ]
}

pub(crate) fn remove(user: UserKey, token: &str) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_DEVICE, values![user.0, token])]
}

pub(crate) fn remove_all(user: UserKey) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_DEVICES, values![user.0])]
}

impl Store {
    /// Returns platform and environment of a user's device; `None` if it is not registered.
    pub async fn device(&self, user: UserKey, token: &str) -> Read<Option<(String, bool)>> {
        let ask = Ask::new(&DEVICE, values![user.0, token]);
        Ok(self.query_now(ask, |row| Ok((row.text(0)?, row.flag(1)?))).await?.pop())
    }
}
