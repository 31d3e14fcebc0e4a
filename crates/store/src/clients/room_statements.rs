//! The statement texts about rooms as clients see them. What SQLite has is partly in memory, so it
//! is put together there; in PostgreSQL one statement is for all rooms of a call.

use crate::sql::statements;

statements! {
    SQLITE_ROOM = "SELECT id, app, unique_id, kind, name, avatar_url, options, created_at, \
        updated_at, customer, audience FROM rooms WHERE id = $1";
    SQLITE_OWN_MARKS = "SELECT cleared_number FROM participants WHERE room = $1 AND user_key = $2";
    SQLITE_WHO_IS_IN = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, \
        u.is_active, u.created_at, u.updated_at, u.realm, p.read_number, p.received_number \
        FROM participants p JOIN users u ON u.id = p.user_key \
        WHERE p.room = $1 ORDER BY p.user_key LIMIT $2 OFFSET $3";
    SQLITE_WHO_IS_IN_FROM_LAST = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, \
        u.extras, u.is_active, u.created_at, u.updated_at, u.realm, p.read_number, \
        p.received_number \
        FROM participants p JOIN users u ON u.id = p.user_key \
        WHERE p.room = $1 ORDER BY p.user_key DESC LIMIT $2 OFFSET $3";

    POSTGRES_ROOM_PAGE = "SELECT r.id, r.app, r.unique_id, r.kind, r.name, r.avatar_url, \
        r.options, r.created_at, r.updated_at, r.customer, r.audience, count(*) OVER () \
        FROM participants p JOIN rooms r ON r.id = p.room \
        WHERE p.user_key = $1 AND r.kind = coalesce($2, r.kind) AND r.last_number >= $3 \
        ORDER BY r.last_message DESC, r.id DESC LIMIT $4 OFFSET $5";
    POSTGRES_SEEN = "SELECT m.id, m.room, m.number, m.before_id, m.sender, m.kind, m.text, \
        m.payload, m.extras, m.client_unique_id, m.posted_at, m.is_deleted, \
        u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, u.is_active, u.created_at, \
        u.updated_at, u.realm, r.id, p.cleared_number, r.last_number - p.read_number - \
        (SELECT count(*) FROM deletions d WHERE d.room = p.room AND d.number > p.read_number), \
        (SELECT count(*) FROM participants c WHERE c.room = r.id) \
        FROM unnest($1::bigint[]) asked (id) JOIN rooms r ON r.id = asked.id \
        LEFT JOIN participants p ON p.room = r.id AND p.user_key = $2 \
        LEFT JOIN LATERAL (SELECT * FROM messages WHERE room = r.id AND is_deleted = 0 \
        AND number > coalesce(p.cleared_number, 0) ORDER BY number DESC LIMIT 1) m ON true \
        LEFT JOIN users u ON u.id = m.sender";
    // A mark at a deleted message is shown as the newest message before it.
    POSTGRES_WHO_IS_IN = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, \
        u.is_active, u.created_at, u.updated_at, u.realm, p.room, p.read_number, \
        (SELECT id FROM messages WHERE room = p.room AND is_deleted = 0 \
        AND number <= p.read_number ORDER BY number DESC LIMIT 1), \
        p.received_number, (SELECT id FROM messages WHERE room = p.room AND is_deleted = 0 \
        AND number <= p.received_number ORDER BY number DESC LIMIT 1) \
        FROM unnest($1::bigint[]) asked (id) CROSS JOIN LATERAL ( \
        SELECT * FROM participants WHERE room = asked.id ORDER BY user_key LIMIT $2 OFFSET $3) p \
        JOIN users u ON u.id = p.user_key ORDER BY p.room, p.user_key";
    POSTGRES_WHO_IS_IN_FROM_LAST = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, \
        u.extras, u.is_active, u.created_at, u.updated_at, u.realm, p.room, p.read_number, \
        (SELECT id FROM messages WHERE room = p.room AND is_deleted = 0 \
        AND number <= p.read_number ORDER BY number DESC LIMIT 1), \
        p.received_number, (SELECT id FROM messages WHERE room = p.room AND is_deleted = 0 \
        AND number <= p.received_number ORDER BY number DESC LIMIT 1) \
        FROM unnest($1::bigint[]) asked (id) CROSS JOIN LATERAL ( \
        SELECT * FROM participants WHERE room = asked.id \
        ORDER BY user_key DESC LIMIT $2 OFFSET $3) p \
        JOIN users u ON u.id = p.user_key ORDER BY p.room, p.user_key DESC";
    POSTGRES_UNREAD_ROOMS = "SELECT count(*) FROM participants p JOIN rooms r ON r.id = p.room \
        WHERE p.user_key = $1 AND r.last_number - p.read_number > \
        (SELECT count(*) FROM deletions d WHERE d.room = p.room AND d.number > p.read_number)";
}
