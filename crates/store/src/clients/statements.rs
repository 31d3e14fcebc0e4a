//! The statement texts about clients: one for both engines.

use crate::sql::{Statement, statements};

/// What a row of an event shows beside its kind, integer and subject: the room `r`, who did it `u`,
/// the message `m`, and the number up to which a room was cleared.
macro_rules! shown {
    ($before:literal, $cleared:literal, $($from:literal),+) => {
        concat!(
            $before,
            ", r.id AS r1, r.app AS r2, r.unique_id AS r3, r.kind AS r4, r.name AS r5, \
            r.avatar_url AS r6, r.options AS r7, r.created_at AS r8, r.updated_at AS r9, \
            r.customer AS r10, r.audience AS r11, \
            u.id AS u1, u.app AS u2, u.user_id AS u3, u.username AS u4, u.avatar_url AS u5, \
            u.extras AS u6, u.is_active AS u7, u.created_at AS u8, u.updated_at AS u9, \
            u.realm AS u10, \
            m.id AS m1, m.room AS m2, m.number AS m3, m.before_id AS m4, m.sender AS m5, \
            m.kind AS m6, m.text AS m7, m.payload AS m8, m.extras AS m9, \
            m.client_unique_id AS m10, m.posted_at AS m11, m.is_deleted AS m12, ",
            $cleared,
            " AS cleared ",
            $($from),+
        )
    };
}

/// Messages after `$2` in the rooms of the user `$1`.
macro_rules! said_after {
    ($only_if:literal) => {
        shown!(
            "SELECT 'said' AS happened, m.id AS event, '' AS subject",
            "0::bigint",
            "FROM participants p JOIN rooms r ON r.id = p.room CROSS JOIN LATERAL ( \
            SELECT * FROM messages WHERE room = p.room AND id > $2 AND is_deleted = 0 \
            AND number > p.cleared_number ORDER BY id LIMIT $3) m \
            JOIN users u ON u.id = m.sender \
            WHERE p.user_key = $1 AND r.last_message > $2 ",
            $only_if,
            " ORDER BY m.id LIMIT $3"
        )
    };
}

/// What happened to messages after `$2` in the rooms of the user `$1`. An edited message is shown
/// as it reads now, unless it is deleted or cleared.
macro_rules! happened_after {
    () => {
        shown!(
            "SELECT e.kind AS happened, e.id AS event, e.subject AS subject",
            "e.message",
            "FROM participants p JOIN events e ON e.room = p.room AND e.id > $2 \
            JOIN rooms r ON r.id = e.room JOIN users u ON u.id = e.actor \
            LEFT JOIN messages m ON m.room = e.room AND m.id = e.message AND e.kind = 'edited' \
            WHERE p.user_key = $1 AND (e.kind <> 'cleared' OR e.actor = $1) \
            AND (e.kind <> 'edited' OR (m.is_deleted = 0 AND m.number > p.cleared_number)) \
            ORDER BY e.id LIMIT $3"
        )
    };
}

statements! {
    INSERT_EVENT = "INSERT INTO events (room, id, kind, actor, message, subject) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    EDIT_MESSAGE = "UPDATE messages SET text = $3, payload = $4, extras = $5 \
        WHERE room = $1 AND id = $2 AND is_deleted = 0";
    // Nobody goes back; who read something has received it.
    SET_RECEIVED = "UPDATE participants SET received_number = $3, received_event = $4 \
        WHERE room = $1 AND user_key = $2 AND received_number < $3";
    SET_READ = "UPDATE participants SET read_number = $3, read_event = $4 \
        WHERE room = $1 AND user_key = $2 AND read_number < $3";
    // What is cleared is read, but nobody is told so.
    SET_CLEARED = "UPDATE participants SET cleared_number = $3, \
        read_number = CASE WHEN read_number < $3 THEN $3 ELSE read_number END \
        WHERE room = $1 AND user_key = $2 AND cleared_number < $3";
    // One node sees somebody go while another one still sees them: then they are there.
    SET_PRESENCE = "INSERT INTO presences (user_key, is_online, seen_at, node) \
        VALUES ($1, $2, $3, $4) ON CONFLICT (user_key) DO UPDATE \
        SET is_online = excluded.is_online, seen_at = excluded.seen_at, node = excluded.node \
        WHERE excluded.is_online = 1 OR presences.node = excluded.node";
    END_PRESENCES = "UPDATE presences SET is_online = 0 WHERE node = $1 AND is_online = 1";

    PARTICIPATION = "SELECT read_number, received_number, cleared_number FROM participants \
        WHERE room = $1 AND user_key = $2";
    // How far everybody in a room is, and who they are.
    MARKS = "SELECT user_key, read_number, received_number FROM participants \
        WHERE room = $1 LIMIT $2";
    MARKED_PEOPLE = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, \
        u.is_active, u.created_at, u.updated_at, u.realm, p.read_number, p.received_number \
        FROM participants p JOIN users u ON u.id = p.user_key WHERE p.room = $1 \
        ORDER BY p.user_key LIMIT $2";
    // Where a message is, if it is in a room of the user. SQLite finds a message by its id alone;
    // PostgreSQL, which keeps messages by room, looks into each of the user's rooms.
    SQLITE_PLACE_OF_MESSAGE = "SELECT m.room, m.number, m.sender FROM messages m \
        JOIN participants p ON p.room = m.room AND p.user_key = $1 \
        WHERE m.id = $2 AND m.is_deleted = 0 AND m.number > p.cleared_number";
    POSTGRES_PLACE_OF_MESSAGE = "SELECT m.room, m.number, m.sender \
        FROM participants p CROSS JOIN LATERAL ( \
        SELECT room, number, sender FROM messages WHERE room = p.room AND id = $2 \
        AND is_deleted = 0 AND number > p.cleared_number LIMIT 1) m WHERE p.user_key = $1";
    USER_OF_TOKEN = "SELECT id, app, user_id, username, avatar_url, extras, is_active, \
        created_at, updated_at, realm FROM users WHERE token_hash = $1";
    SQLITE_NEWEST_EVENT = "SELECT max( \
        (SELECT coalesce(max(id), 0) FROM messages), (SELECT coalesce(max(id), 0) FROM events))";
    POSTGRES_NEWEST_EVENTS = "SELECT newest_id FROM nodes";
    AUDIENCE = "SELECT r.audience, p.user_key \
        FROM rooms r LEFT JOIN participants p ON p.room = r.id WHERE r.id = $1";
    IS_PARTICIPANT = "SELECT room FROM participants WHERE room = $1 AND user_key = $2";
    // Users come as one text, `[1,2]`: a list is no value that both engines know.
    SQLITE_PRESENCES = "SELECT user_key, is_online, seen_at FROM presences \
        WHERE user_key IN (SELECT value FROM json_each($1))";
    // What a node said that is silent now is not so any more.
    POSTGRES_PRESENCES = "SELECT p.user_key, CASE WHEN p.is_online = 1 AND EXISTS ( \
        SELECT 1 FROM nodes n WHERE n.node = p.node \
        AND n.seen_at > now() - $2::bigint * interval '1 second') \
        THEN 1::smallint ELSE 0::smallint END, p.seen_at FROM presences p \
        WHERE p.user_key = ANY (translate($1, '[]', '{}')::bigint[])";
}

// What happened in a user's rooms. Receipts name the newest message that is not deleted up to
// where somebody is; who read something received it by the same event, which is shown once.
statements! {
    POSTGRES_KEYS_AFTER = "SELECT m.room, m.id, m.number \
        FROM participants p JOIN rooms r ON r.id = p.room CROSS JOIN LATERAL ( \
        SELECT room, id, number FROM messages WHERE room = p.room AND id > $2 \
        AND is_deleted = 0 AND number > p.cleared_number ORDER BY id LIMIT $3) m \
        WHERE p.user_key = $1 AND r.last_message > $2 ORDER BY m.id LIMIT $3";
    POSTGRES_KEYS_FOLLOWING = "SELECT room, id, number FROM messages \
        WHERE room = $1 AND id > $2 AND number > $3 AND is_deleted = 0 ORDER BY id LIMIT $4";
    // Which of it there is, the content aside.
    SQLITE_HAPPENED_KEYS = "SELECT e.room, e.id \
        FROM participants p JOIN events e ON e.room = p.room AND e.id > $2 \
        LEFT JOIN messages m ON m.room = e.room AND m.id = e.message AND e.kind = 'edited' \
        WHERE p.user_key = $1 AND (e.kind <> 'cleared' OR e.actor = $1) \
        AND (e.kind <> 'edited' OR (m.is_deleted = 0 AND m.number > p.cleared_number)) \
        ORDER BY e.id LIMIT $3";
    POSTGRES_HAPPENED = concat!(
        // How much comes before each is told without being read.
        "SELECT * FROM (SELECT *, (sum(weight) OVER (ORDER BY event, happened) - weight)::bigint \
        AS before, count(*) OVER () AS total FROM (SELECT *, (coalesce(octet_length(m7), 0) \
        + coalesce(octet_length(m8), 0) + coalesce(octet_length(m9), 0) \
        + coalesce(octet_length(u6), 0) + octet_length(r7))::bigint AS weight FROM ((",
        said_after!("AND $4::bigint = 1"), ") UNION ALL (", happened_after!(), ") UNION ALL (",
        shown!(
            "SELECT 'read' AS happened, o.read_event AS event, '' AS subject",
            "0::bigint",
            "FROM participants p JOIN participants o ON o.room = p.room AND o.read_event > $2 \
            JOIN rooms r ON r.id = p.room JOIN users u ON u.id = o.user_key CROSS JOIN LATERAL ( \
            SELECT * FROM messages WHERE room = o.room AND is_deleted = 0 \
            AND number <= o.read_number ORDER BY number DESC LIMIT 1) m \
            WHERE p.user_key = $1 ORDER BY o.read_event LIMIT $3"
        ),
        ") UNION ALL (",
        shown!(
            "SELECT 'received' AS happened, o.received_event AS event, '' AS subject",
            "0::bigint",
            "FROM participants p JOIN participants o ON o.room = p.room \
            AND o.received_event > $2 AND o.received_event <> o.read_event \
            JOIN rooms r ON r.id = p.room JOIN users u ON u.id = o.user_key CROSS JOIN LATERAL ( \
            SELECT * FROM messages WHERE room = o.room AND is_deleted = 0 \
            AND number <= o.received_number ORDER BY number DESC LIMIT 1) m \
            WHERE p.user_key = $1 ORDER BY o.received_event LIMIT $3"
        ),
        ")) happened ORDER BY event LIMIT $3) weighed) first \
        WHERE before < $5::bigint ORDER BY event"
    );
    POSTGRES_FOLLOWING = shown!(
        "SELECT 'said' AS happened, m.id AS event, '' AS subject",
        "0::bigint",
        "FROM messages m JOIN rooms r ON r.id = m.room JOIN users u ON u.id = m.sender \
        WHERE m.room = $1 AND m.id > $2 AND m.number > $3 AND m.is_deleted = 0 \
        ORDER BY m.id LIMIT $4"
    );
    EDITED_AFTER = shown!(
        "SELECT e.kind AS happened, e.id AS event, e.subject AS subject",
        "e.message",
        "FROM events e JOIN rooms r ON r.id = e.room JOIN users u ON u.id = e.actor \
        JOIN messages m ON m.room = e.room AND m.id = e.message \
        WHERE e.room = $1 AND e.id > $2 AND e.kind = 'edited' AND m.is_deleted = 0 \
        ORDER BY e.id LIMIT $3"
    );
    SQLITE_ROOMS_WITH_CLEARED = "SELECT r.id, r.last_message, p.cleared_number \
        FROM participants p JOIN rooms r ON r.id = p.room WHERE p.user_key = $1";
    SQLITE_DELETIONS_FROM = "SELECT number FROM deletions WHERE room = $1 AND number >= $2 \
        ORDER BY number";
    SQLITE_ROOM = "SELECT id, app, unique_id, kind, name, avatar_url, options, created_at, \
        updated_at, customer, audience FROM rooms WHERE id = $1";
    SQLITE_RECEIPTS_AFTER = "SELECT o.room, o.user_key, o.read_number, o.read_event AS event, \
        1 FROM participants p JOIN participants o ON o.room = p.room \
        WHERE p.user_key = $1 AND o.read_event > $2 UNION ALL \
        SELECT o.room, o.user_key, o.received_number, o.received_event, 0 \
        FROM participants p JOIN participants o ON o.room = p.room WHERE p.user_key = $1 \
        AND o.received_event > $2 AND o.received_event <> o.read_event ORDER BY event LIMIT $3";
    SQLITE_RECEIPT_AT = "SELECT room, user_key, read_number, read_event, 1 FROM participants \
        WHERE room = $1 AND read_event = $2 UNION ALL \
        SELECT room, user_key, received_number, received_event, 0 FROM participants \
        WHERE room = $1 AND received_event = $2 AND received_event <> read_event LIMIT 1";

    SAID_AT = shown!(
        "SELECT 'said' AS happened, m.id AS event, '' AS subject",
        "m.number",
        "FROM messages m JOIN rooms r ON r.id = m.room JOIN users u ON u.id = m.sender \
        WHERE m.room = $1 AND m.id = $2 AND m.is_deleted = 0"
    );
    HAPPENED_AT = shown!(
        "SELECT e.kind AS happened, e.id AS event, e.subject AS subject",
        "e.message",
        "FROM events e JOIN rooms r ON r.id = e.room JOIN users u ON u.id = e.actor \
        LEFT JOIN messages m ON m.room = e.room AND m.id = e.message AND e.kind = 'edited' \
        WHERE e.room = $1 AND e.id = $2 AND (e.kind <> 'edited' OR m.is_deleted = 0)"
    );
    POSTGRES_RECEIPT_AT = shown!(
        "SELECT CASE WHEN o.read_event = $2 THEN 'read' ELSE 'received' END AS happened, \
        $2::bigint AS event, '' AS subject",
        "0::bigint",
        "FROM participants o JOIN rooms r ON r.id = o.room JOIN users u ON u.id = o.user_key \
        CROSS JOIN LATERAL (SELECT * FROM messages WHERE room = o.room AND is_deleted = 0 \
        AND number <= CASE WHEN o.read_event = $2 THEN o.read_number ELSE o.received_number END \
        ORDER BY number DESC LIMIT 1) m \
        WHERE o.room = $1 AND (o.read_event = $2 OR o.received_event = $2) LIMIT 1"
    );

    OLDEST_EVENTS = "SELECT id FROM events WHERE id < $1 ORDER BY id LIMIT $2";
    FORGET_EVENTS = "DELETE FROM events WHERE id < $1";
}

/// Everything that a writer sends without waiting for an answer.
pub(crate) static WRITTEN: [&Statement; 8] = [
    &INSERT_EVENT,
    &EDIT_MESSAGE,
    &SET_RECEIVED,
    &SET_READ,
    &SET_CLEARED,
    &FORGET_EVENTS,
    &SET_PRESENCE,
    &END_PRESENCES,
];
