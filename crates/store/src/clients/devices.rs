//! Where pushes go: the phones of those in a room, found with all other facts of a decision.

use crate::sql::{Statement, statements};

statements! {
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

/// What PostgreSQL is asked in one go with all other facts.
pub(crate) static ASKED: [&Statement; 3] =
    [&POSTGRES_DEVICES_OF_ROOMS, &POSTGRES_DEVICES_OF_USERS, &POSTGRES_DEVICES_OF_KEYS];
