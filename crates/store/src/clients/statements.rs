//! The statement texts about clients: one for both engines.

use crate::statements::{Sql, statements};

statements! {
    INSERT_EVENT = "INSERT INTO events (room, id, kind, actor, message, subject) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    EDIT_MESSAGE = "UPDATE messages SET text = $3, payload = $4, extras = $5 \
        WHERE room = $1 AND id = $2";
    // Nobody goes back; who read something has received it.
    SET_RECEIVED = "UPDATE participants SET received_number = $3, received_event = $4 \
        WHERE room = $1 AND user_key = $2 AND received_number < $3";
    SET_READ = "UPDATE participants SET read_number = $3, read_event = $4 \
        WHERE room = $1 AND user_key = $2 AND read_number < $3";
    SET_CLEARED = "UPDATE participants SET cleared_number = $3 \
        WHERE room = $1 AND user_key = $2 AND cleared_number < $3";

    USER_OF_TOKEN = "SELECT id, app, user_id, username, avatar_url, extras, is_active, \
        created_at, updated_at FROM users WHERE token = $1";
    AUDIENCE = "SELECT r.audience, p.user_key \
        FROM rooms r LEFT JOIN participants p ON p.room = r.id WHERE r.id = $1";
}

/// Everything that a writer sends without waiting for an answer.
pub(crate) static WRITTEN: [&Sql; 5] =
    [&INSERT_EVENT, &EDIT_MESSAGE, &SET_RECEIVED, &SET_READ, &SET_CLEARED];
