//! Where pushes go: the phones of those in a room, found with all other facts of a decision.

use confab_domain::ids::UserKey;
use confab_domain::pushing::Device;
use confab_domain::time::Timestamp;

use crate::statements::{Sql, statements};
use crate::values::{Ask, values};

statements! {
    PUT_DEVICE = "INSERT INTO devices (user_key, token, platform, is_development, created_at) \
        VALUES ($1, $2, 'ios', $3, $4) ON CONFLICT (user_key, token) DO UPDATE SET \
        platform = excluded.platform, is_development = excluded.is_development, \
        created_at = excluded.created_at";
    REMOVE_DEVICE = "DELETE FROM devices WHERE user_key = $1 AND token = $2";

    // Where pushes go: of rooms by their participants, and of users. SQLite asks for one room or
    // user after the other, PostgreSQL for those of all waiting decisions.
    SQLITE_DEVICES_OF_ROOM = "SELECT d.user_key, d.token, d.is_development \
        FROM participants p JOIN devices d ON d.user_key = p.user_key \
        JOIN users u ON u.id = d.user_key \
        WHERE p.room = $1 AND lower(d.platform) = 'ios' AND u.is_active = 1 LIMIT $2";
    SQLITE_DEVICES_OF_USER = "SELECT d.user_key, d.token, d.is_development \
        FROM devices d JOIN users u ON u.id = d.user_key \
        WHERE d.user_key = $1 AND lower(d.platform) = 'ios' AND u.is_active = 1";
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

/// What a writer sends without waiting for an answer.
pub(crate) static WRITTEN: [&Sql; 2] = [&PUT_DEVICE, &REMOVE_DEVICE];

/// What PostgreSQL is asked in one go with all other facts.
pub(crate) static ASKED: [&Sql; 3] =
    [&POSTGRES_DEVICES_OF_ROOMS, &POSTGRES_DEVICES_OF_USERS, &POSTGRES_DEVICES_OF_KEYS];

/// The statement that adds a device.
pub(crate) fn put(device: &Device, at: Timestamp) -> Ask {
    let Device { user, token, is_development } = device;
    Ask::new(&PUT_DEVICE, values![user.0, token, *is_development, at.0])
}

/// The statement that removes a device.
pub(crate) fn remove(user: UserKey, token: &str) -> Ask {
    Ask::new(&REMOVE_DEVICE, values![user.0, token])
}
