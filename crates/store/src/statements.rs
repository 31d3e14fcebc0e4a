//! The statement texts: one for both engines wherever SQL can say it for both (D-0015).
//!
//! Where the engines differ, the two texts stand side by side with the reason.

use crate::listing::{UserColumn, UserListing};
use crate::sql::{Statement, statements};

/// A page of an app's users: column and direction cannot be parameters.
macro_rules! listed_users {
    ($column:literal, $direction:literal) => {
        concat!(
            "SELECT id, app, user_id, username, avatar_url, extras, is_active, created_at, \
            updated_at, realm FROM users WHERE app = $1 AND realm = 0 AND is_active >= $2 ORDER BY ",
            $column,
            " ",
            $direction,
            ", id ",
            $direction,
            " LIMIT $3 OFFSET $4"
        )
    };
}

statements! {
    USERS_BY_CREATED_AT = listed_users!("created_at", "ASC");
    USERS_BY_UPDATED_AT = listed_users!("updated_at", "ASC");
    USERS_BY_USERNAME = listed_users!("username", "ASC");
    USERS_BY_USER_ID = listed_users!("user_id", "ASC");
    USERS_FROM_LAST_CREATED_AT = listed_users!("created_at", "DESC");
    USERS_FROM_LAST_UPDATED_AT = listed_users!("updated_at", "DESC");
    USERS_FROM_LAST_USERNAME = listed_users!("username", "DESC");
    USERS_FROM_LAST_USER_ID = listed_users!("user_id", "DESC");
}

pub(crate) fn listed_users(listing: UserListing) -> &'static Statement {
    match (listing.order, listing.is_descending) {
        (UserColumn::CreatedAt, false) => &USERS_BY_CREATED_AT,
        (UserColumn::UpdatedAt, false) => &USERS_BY_UPDATED_AT,
        (UserColumn::Username, false) => &USERS_BY_USERNAME,
        (UserColumn::UserId, false) => &USERS_BY_USER_ID,
        (UserColumn::CreatedAt, true) => &USERS_FROM_LAST_CREATED_AT,
        (UserColumn::UpdatedAt, true) => &USERS_FROM_LAST_UPDATED_AT,
        (UserColumn::Username, true) => &USERS_FROM_LAST_USERNAME,
        (UserColumn::UserId, true) => &USERS_FROM_LAST_USER_ID,
    }
}

statements! {
    APP_BY_CODE = "SELECT id, code, name, sdk_secret, secret_key, system_user, created_at, \
        other_key, other_key_until FROM apps WHERE code = $1";
    APP_BY_ID = "SELECT id, code, name, sdk_secret, secret_key, system_user, created_at, \
        other_key, other_key_until FROM apps WHERE id = $1";
    APPS = "SELECT id, code, name, sdk_secret, secret_key, system_user, created_at, \
        other_key, other_key_until FROM apps ORDER BY created_at, id";
    FIRST_APP = "SELECT id, code, name, sdk_secret, secret_key, system_user, created_at, \
        other_key, other_key_until FROM apps ORDER BY created_at, id LIMIT 1";
    INSERT_APP = "INSERT INTO apps \
        (id, code, name, sdk_secret, secret_key, system_user, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    SET_APP_KEYS = "UPDATE apps SET sdk_secret = $2, secret_key = $3, other_key = NULL, \
        other_key_until = NULL WHERE code = $1";
    // The steps of a change of the secret key (D-0029). Each finds its row only if it may be taken,
    // so two operators cannot lose a key to each other. A staged key has no end.
    STAGE_KEY = "UPDATE apps SET other_key = $2, other_key_until = NULL \
        WHERE code = $1 AND (other_key IS NULL OR other_key_until <= $3)";
    UNSTAGE_KEY = "UPDATE apps SET other_key = NULL \
        WHERE code = $1 AND other_key IS NOT NULL AND other_key_until IS NULL";
    PROMOTE_KEY = "UPDATE apps SET secret_key = other_key, other_key = secret_key, \
        other_key_until = $2 \
        WHERE code = $1 AND other_key IS NOT NULL AND other_key_until IS NULL";
    RETIRE_KEY = "UPDATE apps SET other_key = NULL, other_key_until = NULL \
        WHERE code = $1 AND other_key_until IS NOT NULL";

    DASHBOARD_USERS = "SELECT id, app, email, name, role, created_at \
        FROM dashboard_users WHERE deleted_at IS NULL ORDER BY email";
    INSERT_DASHBOARD_USER = "INSERT INTO dashboard_users \
        (id, app, email, name, role, password_hash, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)";
    SET_DASHBOARD_PASSWORD = "UPDATE dashboard_users SET password_hash = $2, updated_at = $3 \
        WHERE email = $1 AND deleted_at IS NULL";
    DASHBOARD_USER_OF_EMAIL = "SELECT id FROM dashboard_users \
        WHERE email = $1 AND deleted_at IS NULL";
    END_SIGN_INS_OF_EMAIL = "UPDATE sign_ins SET good_until = 0 WHERE dashboard_user IN \
        (SELECT id FROM dashboard_users WHERE email = $1)";

    // The app's own user of a name; everybody of that name, in whichever realm (D-0065).
    USER_BY_ID = "SELECT id, app, user_id, username, avatar_url, extras, is_active, \
        created_at, updated_at, realm FROM users WHERE app = $1 AND user_id = $2 AND realm = 0";
    USERS_NAMED = "SELECT id, app, user_id, username, avatar_url, extras, is_active, \
        created_at, updated_at, realm FROM users WHERE app = $1 AND user_id = $2 ORDER BY realm";
    TOKEN_OF_USER = "SELECT id, sealed_token FROM users WHERE app = $1 AND user_id = $2 AND realm = 0";
    COUNT_USERS = "SELECT count(*) FROM users WHERE app = $1 AND realm = 0 AND is_active >= $2";
    INSERT_USER = "INSERT INTO users \
        (id, app, user_id, username, avatar_url, extras, is_active, created_at, updated_at, \
        token_hash, password_hash, sealed_token, realm) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    UPDATE_USER = "UPDATE users SET username = $2, avatar_url = $3, extras = $4, is_active = $5, \
        updated_at = $6, password_hash = coalesce($7, password_hash) WHERE id = $1";
    SET_TOKEN = "UPDATE users SET token_hash = $2, sealed_token = $3 WHERE id = $1";

    ROOM_BY_ID = "SELECT id, app, unique_id, kind, name, avatar_url, options, created_at, \
        updated_at, customer, audience FROM rooms WHERE id = $1 AND app = $2";
    INSERT_ROOM = "INSERT INTO rooms \
        (id, app, unique_id, kind, name, avatar_url, options, created_at, updated_at, customer) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    UPDATE_ROOM = "UPDATE rooms SET name = $2, avatar_url = $3, options = $4, updated_at = $5 \
        WHERE id = $1";

    PARTICIPANTS = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, \
        u.is_active, u.created_at, u.updated_at, u.realm \
        FROM participants p JOIN users u ON u.id = p.user_key \
        WHERE p.room = $1 ORDER BY p.user_key LIMIT $2 OFFSET $3";
    ADD_PARTICIPANT = "INSERT INTO participants (room, user_key, read_number, joined_at) \
        VALUES ($1, $2, $3, $4) ON CONFLICT (room, user_key) DO NOTHING";
    // A remembered audience is old from now on.
    CHANGE_AUDIENCE = "UPDATE rooms SET audience = audience + 1 WHERE id = $1";
    REMOVE_PARTICIPANT = "DELETE FROM participants WHERE room = $1 AND user_key = $2";

    EMPTY_MESSAGE = "UPDATE messages \
        SET is_deleted = 1, text = '', payload = NULL, extras = NULL WHERE room = $1 AND id = $2";
    INSERT_DELETION = "INSERT INTO deletions (room, number) VALUES ($1, $2)";
}

// Webhooks.
statements! {
    ENDPOINTS = "SELECT id, app, kind, name, url, is_enabled, is_paused, failing_since, \
        failing_told, timeout_ms, at_once_max, per_second_max, block_s, created_at, updated_at \
        FROM endpoints WHERE app = $1 ORDER BY kind, name";
    PUT_ENDPOINT = "INSERT INTO endpoints (id, app, kind, name, url, is_enabled, is_paused, \
        failing_since, failing_told, timeout_ms, at_once_max, per_second_max, block_s, \
        created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
        ON CONFLICT (app, kind, name) DO UPDATE SET url = excluded.url, \
        is_enabled = excluded.is_enabled, is_paused = excluded.is_paused, \
        failing_since = excluded.failing_since, failing_told = excluded.failing_told, \
        timeout_ms = excluded.timeout_ms, at_once_max = excluded.at_once_max, \
        per_second_max = excluded.per_second_max, block_s = excluded.block_s, \
        updated_at = excluded.updated_at";
    SET_PAUSED = "UPDATE endpoints SET is_paused = $2 WHERE id = $1";
    SET_HEALTH = "UPDATE endpoints SET failing_since = $2, failing_told = $3, is_enabled = $4 \
        WHERE id = $1";
}

// Deliveries. SQLite has one writer, so their ids and marks rise as they are committed. On
// PostgreSQL they are kept by their bucket first (D-0014), and a mark is the transaction's number:
// what is not seen by one look has a mark that is not less than the least of those then under way.
// A look goes along the marks, so that it reads what is new, however much waits or was delivered.
// What was recorded of an attempt counts once, whoever comes late.
statements! {
    SQLITE_SET_SEQUENCE = "INSERT INTO lanes (lane, endpoint, last_sequence) VALUES ($1, $2, $3) \
        ON CONFLICT (lane, endpoint) DO UPDATE SET last_sequence = excluded.last_sequence";
    POSTGRES_SET_SEQUENCES = "INSERT INTO lanes (lane, endpoint, last_sequence) \
        SELECT lane, endpoint, sequence \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) new (lane, endpoint, sequence) \
        ON CONFLICT (lane, endpoint) DO UPDATE SET last_sequence = excluded.last_sequence";
    SQLITE_INSERT_DELIVERY = "INSERT INTO deliveries (id, app, endpoint, kind, lane, sequence, \
        created_at, depth, body, mark, standing, attempts, tries, since, due_at, failed_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $1, 0, 0, 0, $7, $7, NULL)";
    POSTGRES_INSERT_DELIVERIES = "INSERT INTO deliveries (bucket, id, app, endpoint, kind, lane, \
        sequence, created_at, depth, body, mark, standing, attempts, tries, since, due_at) \
        SELECT bucket, id, app, endpoint, kind, lane, sequence, created_at, depth, body, \
        pg_current_xact_id()::text::bigint, 0, 0, 0, created_at, created_at \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], \
        $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::text[]) \
        new (bucket, id, app, endpoint, kind, lane, sequence, created_at, depth, body)";
    SQLITE_INSERT_ATTEMPT = "INSERT INTO attempts (delivery, number, at, error, status, peer, \
        name_us, connect_us, tls_us, head_us, body_us, answer) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
        ON CONFLICT (delivery, number) DO NOTHING";
    POSTGRES_INSERT_ATTEMPTS = "INSERT INTO attempts (bucket, delivery, number, at, error, status, \
        peer, name_us, connect_us, tls_us, head_us, body_us, answer) \
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], \
        $6::bigint[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], \
        $12::bigint[], $13::text[]) \
        ON CONFLICT (bucket, delivery, number) DO NOTHING";
    SQLITE_UPDATE_DELIVERY = "UPDATE deliveries SET standing = $2, attempts = $3, tries = $4, \
        since = $5, due_at = $6, failed_at = $7 \
        WHERE id = $1 AND standing < 2 AND attempts < $3";
    POSTGRES_UPDATE_DELIVERIES = "UPDATE deliveries d SET standing = new.standing, \
        attempts = new.attempts, tries = new.tries, since = new.since, due_at = new.due_at, \
        failed_at = new.failed_at \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], \
        $6::bigint[], $7::bigint[], $8::bigint[]) \
        new (bucket, id, standing, attempts, tries, since, due_at, failed_at) \
        WHERE d.bucket = new.bucket AND d.id = new.id \
        AND d.standing < 2 AND d.attempts < new.attempts";
    SQLITE_REPLAY = "UPDATE deliveries SET standing = 0, tries = 0, since = $2, due_at = $2, \
        failed_at = NULL, mark = $3 WHERE id = $1";
    POSTGRES_REPLAY = "UPDATE deliveries d SET standing = 0, tries = 0, since = new.at, \
        due_at = new.at, failed_at = NULL, mark = pg_current_xact_id()::text::bigint \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) new (bucket, id, at) \
        WHERE d.bucket = new.bucket AND d.id = new.id";

    SQLITE_WAITING = "SELECT id, app, endpoint, lane, sequence, created_at, standing, attempts, \
        tries, since, due_at, failed_at, mark FROM deliveries \
        WHERE standing < 2 AND mark >= $1 AND (mark, id) > ($1, $2) ORDER BY mark, id LIMIT $3";
    POSTGRES_OLDEST_UNDER_WAY = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint";
    POSTGRES_WAITING = "SELECT id, app, endpoint, lane, sequence, created_at, standing, attempts, \
        tries, since, due_at, failed_at, mark FROM deliveries \
        WHERE bucket = ANY ($1) AND standing < 2 AND (mark, id) > ($2, $3) \
        ORDER BY mark, id LIMIT $4";
    SQLITE_DELIVERY = "SELECT id, app, endpoint, lane, sequence, created_at, standing, attempts, \
        tries, since, due_at, failed_at, kind, depth, body FROM deliveries WHERE id = $1";
    POSTGRES_DELIVERIES = "SELECT d.id, d.app, d.endpoint, d.lane, d.sequence, d.created_at, \
        d.standing, d.attempts, d.tries, d.since, d.due_at, d.failed_at, d.kind, d.depth, d.body \
        FROM unnest($1::bigint[], $2::bigint[]) asked (bucket, id) \
        JOIN deliveries d ON d.bucket = asked.bucket AND d.id = asked.id";
    SQLITE_ATTEMPTS = "SELECT number, at, error, status, peer, name_us, connect_us, tls_us, \
        head_us, body_us, answer FROM attempts WHERE delivery = $1 ORDER BY number";
    POSTGRES_ATTEMPTS = "SELECT number, at, error, status, peer, name_us, connect_us, tls_us, \
        head_us, body_us, answer FROM attempts \
        WHERE bucket = $1 AND delivery = $2 ORDER BY number";
}

// Lists of an app's deliveries, from either end, and how much its endpoints have not got yet: what
// is counted is bounded, and the plus has it go along what waits, not along all of the app. On
// PostgreSQL the attempts are looked up one delivery after the other: a join that it plans freely
// reads all of them when it guesses badly.
statements! {
    SQLITE_NEWEST_DELIVERIES = "SELECT d.id, d.app, d.endpoint, d.lane, d.sequence, d.created_at, \
        d.standing, d.attempts, d.tries, d.since, d.due_at, d.failed_at, d.kind, a.status, \
        a.error FROM deliveries d LEFT JOIN attempts a \
        ON a.delivery = d.id AND a.number = d.attempts \
        WHERE d.app = $1 AND d.id >= $2 AND d.id < $3 ORDER BY d.id DESC LIMIT $4";
    SQLITE_OLDEST_DELIVERIES = "SELECT d.id, d.app, d.endpoint, d.lane, d.sequence, d.created_at, \
        d.standing, d.attempts, d.tries, d.since, d.due_at, d.failed_at, d.kind, a.status, \
        a.error FROM deliveries d LEFT JOIN attempts a \
        ON a.delivery = d.id AND a.number = d.attempts \
        WHERE d.app = $1 AND d.id >= $2 AND d.id < $3 ORDER BY d.id LIMIT $4";
    POSTGRES_NEWEST_DELIVERIES = "SELECT d.id, d.app, d.endpoint, d.lane, d.sequence, \
        d.created_at, d.standing, d.attempts, d.tries, d.since, d.due_at, d.failed_at, d.kind, \
        a.status, a.error FROM deliveries d LEFT JOIN LATERAL ( \
        SELECT status, error FROM attempts \
        WHERE bucket = d.bucket AND delivery = d.id AND number = d.attempts LIMIT 1) a ON true \
        WHERE d.app = $1 AND d.id >= $2 AND d.id < $3 ORDER BY d.id DESC LIMIT $4";
    POSTGRES_OLDEST_DELIVERIES = "SELECT d.id, d.app, d.endpoint, d.lane, d.sequence, \
        d.created_at, d.standing, d.attempts, d.tries, d.since, d.due_at, d.failed_at, d.kind, \
        a.status, a.error FROM deliveries d LEFT JOIN LATERAL ( \
        SELECT status, error FROM attempts \
        WHERE bucket = d.bucket AND delivery = d.id AND number = d.attempts LIMIT 1) a ON true \
        WHERE d.app = $1 AND d.id >= $2 AND d.id < $3 ORDER BY d.id LIMIT $4";
    SQLITE_ATTEMPTS_OF_APP = "SELECT a.number, a.at, a.error, a.status, a.peer, a.name_us, \
        a.connect_us, a.tls_us, a.head_us, a.body_us, a.answer, d.id, d.endpoint, d.body \
        FROM deliveries d JOIN attempts a ON a.delivery = d.id \
        WHERE d.app = $1 ORDER BY d.id DESC, a.number DESC LIMIT $2 OFFSET $3";
    POSTGRES_ATTEMPTS_OF_APP = "SELECT a.number, a.at, a.error, a.status, a.peer, a.name_us, \
        a.connect_us, a.tls_us, a.head_us, a.body_us, a.answer, d.id, d.endpoint, d.body \
        FROM deliveries d CROSS JOIN LATERAL ( \
        SELECT * FROM attempts WHERE bucket = d.bucket AND delivery = d.id \
        ORDER BY number DESC) a WHERE d.app = $1 AND d.attempts > 0 \
        ORDER BY d.id DESC, a.number DESC LIMIT $2 OFFSET $3";
    BACKLOGS = "SELECT endpoint, count(*), min(created_at) FROM ( \
        SELECT endpoint, created_at FROM deliveries WHERE +app = $1 AND standing < 2 \
        ORDER BY mark LIMIT $2) waiting GROUP BY endpoint";
    SQLITE_FORGET_SOME = "SELECT max(id) FROM ( \
        SELECT id FROM deliveries WHERE id < $1 AND standing >= 2 ORDER BY id LIMIT $2)";
    SQLITE_FORGET_ATTEMPTS = "DELETE FROM attempts WHERE delivery <= $1 AND NOT EXISTS ( \
        SELECT 1 FROM deliveries d WHERE d.id = attempts.delivery AND +d.standing < 2)";
    SQLITE_FORGET_DELIVERIES = "DELETE FROM deliveries WHERE id <= $1 AND standing >= 2";
}

// How far a lane is, for each endpoint of its app: one lane for SQLite, those of all waiting
// decisions for PostgreSQL, where lanes that are no locked room are locked by their number.
statements! {
    SQLITE_LANE = "SELECT endpoint, last_sequence FROM lanes WHERE lane = $1";
    POSTGRES_ENDPOINTS = "SELECT id, app, kind, name, url, is_enabled, is_paused, failing_since, \
        failing_told, timeout_ms, at_once_max, per_second_max, block_s, created_at, updated_at \
        FROM endpoints WHERE app = ANY ($1)";
    // Such locks are of the whole database: others in it may lock numbers, too.
    POSTGRES_LOCK_LANES = "SELECT \
        pg_advisory_xact_lock(hashtextextended(current_schema()::text, lane)) FROM ( \
        SELECT lane FROM unnest($1::bigint[]) asked (lane) ORDER BY lane) ordered";
    POSTGRES_LANES = "SELECT l.lane, l.endpoint, l.last_sequence \
        FROM unnest($1::bigint[]) asked (lane) JOIN lanes l ON l.lane = asked.lane";
}

// Who sends what (D-0014): nodes that send say so, and share the buckets. SQLite has one process.
statements! {
    POSTGRES_SAY_SENDER = "INSERT INTO senders (holder, seen_until) \
        VALUES ($1, now() + make_interval(secs => $2)) \
        ON CONFLICT (holder) DO UPDATE SET seen_until = excluded.seen_until";
    POSTGRES_COUNT_SENDERS = "SELECT count(*) FROM senders WHERE seen_until > now()";
    POSTGRES_FORGET_SENDERS = "DELETE FROM senders WHERE holder = $1 \
        OR seen_until < now() - interval '1 hour'";
    POSTGRES_GIVE_BUCKETS = "UPDATE buckets SET holder = NULL \
        WHERE holder = $1 AND bucket = ANY ($2)";
    POSTGRES_KEEP_BUCKETS = "UPDATE buckets SET held_until = now() + make_interval(secs => $2) \
        WHERE holder = $1 RETURNING bucket";
    POSTGRES_TAKE_BUCKETS = "UPDATE buckets b \
        SET holder = $1, held_until = now() + make_interval(secs => $2) \
        FROM (SELECT bucket FROM buckets WHERE holder IS NULL OR held_until < now() \
        ORDER BY bucket FOR UPDATE SKIP LOCKED) free WHERE b.bucket = free.bucket \
        RETURNING b.bucket";
}

// A room by its unique id. A sharding PostgreSQL keeps a unique key only if it begins with the
// column the table is distributed by; rooms are distributed by id, so there the names of rooms are
// a table of their own (D-0014), and one statement finds many of them.
statements! {
    SQLITE_ROOM_BY_UNIQUE_ID = "SELECT id, app, unique_id, kind, name, avatar_url, options, \
        created_at, updated_at, customer, audience FROM rooms WHERE unique_id = $1 AND app = $2";
    POSTGRES_ROOMS_BY_UNIQUE_IDS = "SELECT n.app, n.unique_id, n.room \
        FROM unnest($1::bigint[], $2::text[]) asked (app, unique_id) \
        JOIN room_names n ON n.unique_id = asked.unique_id AND n.app = asked.app";
    POSTGRES_INSERT_ROOM_NAME = "INSERT INTO room_names (unique_id, app, room) VALUES ($1, $2, $3)";
}

// The facts of decisions. SQLite is in this process: one short look-up after the other costs
// nothing but the look-up, and most are answered by memory. PostgreSQL is a round trip away: one
// statement finds what all waiting decisions ask for.
statements! {
    SQLITE_IS_PARTICIPANT = "SELECT 1 FROM participants WHERE room = $1 AND user_key = $2";
    POSTGRES_MEMBERS = "SELECT p.room, p.user_key, p.read_number, p.received_number, \
        p.cleared_number \
        FROM unnest($1::bigint[], $2::bigint[], $3::text[]) asked (room, app, user_id) \
        JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id \
        JOIN participants p ON p.room = asked.room AND p.user_key = u.id";
    SQLITE_COUNT_PARTICIPANTS = "SELECT count(*) FROM participants WHERE room = $1";
    POSTGRES_COUNT_PARTICIPANTS = "SELECT room, count(*) FROM participants \
        WHERE room = ANY ($1) GROUP BY room";
    POSTGRES_USERS = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, \
        u.is_active, u.created_at, u.updated_at, u.realm \
        FROM unnest($1::bigint[], $2::text[]) asked (app, user_id) \
        JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id";
    POSTGRES_LOCK_USERS = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, \
        u.is_active, u.created_at, u.updated_at, u.realm \
        FROM unnest($1::bigint[], $2::text[]) asked (app, user_id) \
        JOIN users u ON u.app = asked.app AND u.user_id = asked.user_id \
        ORDER BY u.id FOR UPDATE OF u";
    // In the order of ids, so that two nodes never wait for each other.
    POSTGRES_LOCK_ROOMS = "SELECT r.id, r.app, r.unique_id, r.kind, r.name, r.avatar_url, \
        r.options, r.created_at, r.updated_at, r.customer, r.audience, r.last_message, \
        r.last_number \
        FROM unnest($1::bigint[], $2::bigint[]) asked (id, app) \
        JOIN rooms r ON r.id = asked.id AND r.app = asked.app ORDER BY r.id FOR UPDATE OF r";
    // A sharding PostgreSQL locks rows of one shard at a time only.
    POSTGRES_LOCK_ROOM = "SELECT id, app, unique_id, kind, name, avatar_url, options, created_at, \
        updated_at, customer, audience, last_message, last_number FROM rooms \
        WHERE id = $1 AND app = $2 FOR UPDATE";
    USER_BY_KEY = "SELECT id, app, user_id, username, avatar_url, extras, is_active, \
        created_at, updated_at, realm FROM users WHERE id = $1";
    SQLITE_MESSAGE_BY_ID = "SELECT id, room, number, before_id, sender, kind, text, payload, \
        extras, client_unique_id, posted_at, is_deleted FROM messages WHERE id = $1";
    POSTGRES_SAID = "SELECT m.id, m.room, m.number, m.before_id, m.sender, m.kind, m.text, \
        m.payload, m.extras, m.client_unique_id, m.posted_at, m.is_deleted, \
        u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, u.is_active, u.created_at, \
        u.updated_at, u.realm FROM unnest($1::bigint[], $2::bigint[]) asked (room, id) \
        JOIN messages m ON m.room = asked.room AND m.id = asked.id \
        JOIN users u ON u.id = m.sender";
    SQLITE_MESSAGE_OF_CLIENT_ID = "SELECT message FROM client_ids \
        WHERE app = $1 AND unique_id = $2";
    POSTGRES_CLIENT_IDS = "SELECT c.app, c.unique_id, c.room, c.message \
        FROM unnest($1::bigint[], $2::text[]) asked (app, unique_id) \
        JOIN client_ids c ON c.unique_id = asked.unique_id AND c.app = asked.app";
}

// New messages: row by row into SQLite, all rows of a commit at once into PostgreSQL. SQLite writes
// behind where a room's messages are (D-0016); in PostgreSQL the room says so itself.
statements! {
    SQLITE_INSERT_MESSAGE = "INSERT INTO messages \
        (id, room, number, before_id, sender, kind, text, payload, extras, client_unique_id, \
        posted_at, is_deleted) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)";
    POSTGRES_INSERT_MESSAGES = "INSERT INTO messages \
        (id, room, number, before_id, sender, posted_at, kind, text, payload, extras, \
        client_unique_id, is_deleted) \
        SELECT id, room, number, before_id, sender, posted_at, kind, text, payload, extras, \
        client_unique_id, 0 FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], \
        $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[]) \
        new (id, room, number, before_id, sender, posted_at, kind, text, payload, extras, \
        client_unique_id)";
    SQLITE_INSERT_CLIENT_ID = "INSERT INTO client_ids (app, unique_id, message) \
        VALUES ($1, $2, $3)";
    POSTGRES_INSERT_CLIENT_IDS = "INSERT INTO client_ids (unique_id, app, room, message) \
        SELECT unique_id, app, room, message \
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) \
        new (unique_id, app, room, message)";
    POSTGRES_SET_LAST_MESSAGES = "UPDATE rooms r \
        SET last_message = new.message, last_number = new.number \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) new (room, message, number) \
        WHERE r.id = new.room";
    POSTGRES_SET_READ_NUMBERS = "UPDATE participants p SET read_number = new.number \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) new (room, user_key, number) \
        WHERE p.room = new.room AND p.user_key = new.user_key AND p.read_number < new.number";
}

/// The bytes that a message `m` and its sender `u` take. They are told without being read.
macro_rules! weight {
    () => {
        "octet_length(m.text) + coalesce(octet_length(m.payload), 0) \
        + coalesce(octet_length(m.extras), 0) + coalesce(octet_length(u.extras), 0)"
    };
}

/// Messages with their senders. JSON of more than `$bytes` is given as an empty text, which is no
/// JSON: the message is to be read later (D-0081). This is what a look at small ones costs least.
macro_rules! page_entries {
    ($before:literal, $messages:literal, $bytes:literal, $order:literal) => {
        concat!(
            $before,
            "SELECT m.id, m.room, m.number, m.before_id, m.sender, m.kind, m.text, \
            CASE WHEN octet_length(m.payload) > ",
            $bytes,
            "::bigint THEN '' ELSE m.payload END, CASE WHEN octet_length(m.extras) > ",
            $bytes,
            "::bigint THEN '' ELSE m.extras END, m.client_unique_id, m.posted_at, \
            m.is_deleted, u.id, u.app, u.user_id, u.username, u.avatar_url, \
            CASE WHEN octet_length(u.extras) > ",
            $bytes,
            "::bigint THEN '' ELSE u.extras END, u.is_active, u.created_at, u.updated_at, \
            u.realm FROM (",
            $messages,
            ") m JOIN users u ON u.id = m.sender ",
            $order
        )
    };
}

// Pages. SQLite goes by its places and walks along the deletions from the newest. PostgreSQL finds
// the top of the page in one statement: it goes down by as many numbers as messages were deleted
// above, looks at the numbers that came in by that, and so on. No OFFSET on either.
statements! {
    SQLITE_DELETIONS_FROM_NEWEST = "SELECT number FROM deletions WHERE room = $1 \
        ORDER BY number DESC";
    POSTGRES_FIRST_PAGE = page_entries!(
        "",
        "SELECT * FROM messages WHERE room = $1 AND is_deleted = 0 \
        ORDER BY number DESC LIMIT $2",
        "$3",
        "ORDER BY m.number DESC"
    );
    POSTGRES_PAGE = page_entries!(
        "WITH RECURSIVE top (number, above) AS ( \
        SELECT last_number - $2, last_number FROM rooms WHERE id = $1 \
        UNION ALL \
        SELECT top.number - deleted.count, top.number FROM top, LATERAL ( \
            SELECT count(*) AS count FROM deletions \
            WHERE room = $1 AND number > top.number AND number <= top.above) deleted \
        WHERE deleted.count > 0 AND top.number > 0) ",
        "SELECT * FROM messages WHERE room = $1 AND is_deleted = 0 \
        AND number <= (SELECT min(number) FROM top) ORDER BY number DESC LIMIT $3",
        "$4",
        "ORDER BY m.number DESC"
    );
    POSTGRES_RANGE = page_entries!(
        "",
        "SELECT * FROM messages WHERE room = $1 AND is_deleted = 0 AND id BETWEEN $2 AND $3 \
        ORDER BY id DESC LIMIT $4",
        "$5",
        "ORDER BY m.id DESC"
    );
    // The first of these messages that together weigh less than `$3`, and one more.
    POSTGRES_MESSAGES = concat!(
        "WITH weighed AS (SELECT asked.room, asked.id, asked.place, w.weight, \
        sum(w.weight) OVER (ORDER BY asked.place) AS up_to \
        FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY asked (room, id, place) \
        JOIN messages m ON m.room = asked.room AND m.id = asked.id \
        JOIN users u ON u.id = m.sender CROSS JOIN LATERAL (SELECT ",
        weight!(),
        " AS weight) w) \
        SELECT m.id, m.room, m.number, m.before_id, m.sender, m.kind, m.text, m.payload, \
        m.extras, m.client_unique_id, m.posted_at, m.is_deleted, \
        u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, u.is_active, u.created_at, \
        u.updated_at, u.realm FROM weighed \
        JOIN messages m ON m.room = weighed.room AND m.id = weighed.id \
        JOIN users u ON u.id = m.sender \
        WHERE weighed.up_to - weighed.weight < $3::bigint ORDER BY weighed.place"
    );
    POSTGRES_CHAIN = "SELECT id, room, number, before_id, sender, kind, text, payload, extras, \
        client_unique_id, posted_at, is_deleted FROM messages WHERE room = $1 ORDER BY id";
}

// Unread messages and rooms by their last message. What SQLite has is partly in memory, so it is
// put together here; in PostgreSQL it is one statement.
statements! {
    SQLITE_READ_NUMBER = "SELECT read_number FROM participants WHERE room = $1 AND user_key = $2";
    SQLITE_COUNT_DELETIONS_AFTER = "SELECT count(*) FROM deletions \
        WHERE room = $1 AND number > $2";
    SQLITE_ROOMS_OF_USER = "SELECT r.id, r.kind, r.last_message, r.app \
        FROM participants p JOIN rooms r ON r.id = p.room WHERE p.user_key = $1";
    // Of several of one name in one room, as a rule would choose (`Facts::found_user_in`).
    POSTGRES_UNREAD = "SELECT DISTINCT ON (p.room) p.room, r.last_number - p.read_number - \
        (SELECT count(*) FROM deletions d WHERE d.room = p.room AND d.number > p.read_number) \
        FROM participants p JOIN rooms r ON r.id = p.room JOIN users u ON u.id = p.user_key \
        WHERE p.user_key = ANY ($1) AND p.room = ANY ($2) \
        ORDER BY p.room, (r.customer IS NOT DISTINCT FROM p.user_key) DESC, \
        (u.realm = 0) DESC, p.user_key DESC";
    POSTGRES_UNREAD_IN_ALL = "SELECT coalesce(sum(r.last_number - p.read_number - \
        (SELECT count(*) FROM deletions d WHERE d.room = p.room AND d.number > p.read_number)), \
        0)::bigint FROM participants p JOIN rooms r ON r.id = p.room WHERE p.user_key = $1";
    // `+ 0`: these begin with the user, who is in few rooms, not with the app.
    POSTGRES_COUNT_ROOMS_OF_USER = "SELECT count(*) FROM participants p \
        JOIN rooms r ON r.id = p.room \
        WHERE p.user_key = $1 AND r.kind = coalesce($2, r.kind) AND r.app + 0 = $3";
    POSTGRES_ROOMS_OF_USER = "SELECT r.id, r.app, r.unique_id, r.kind, r.name, r.avatar_url, \
        r.options, r.created_at, r.updated_at, r.customer, r.audience \
        FROM participants p JOIN rooms r ON r.id = p.room \
        WHERE p.user_key = $1 AND r.kind = coalesce($2, r.kind) AND r.app + 0 = $3 \
        ORDER BY r.last_message DESC, r.id DESC LIMIT $4 OFFSET $5";
    POSTGRES_ROOMS = "SELECT r.id, r.app, r.unique_id, r.kind, r.name, r.avatar_url, \
        r.options, r.created_at, r.updated_at, r.customer, r.audience \
        FROM unnest($1::bigint[]) asked (id) JOIN rooms r ON r.id = asked.id WHERE r.app = $2";
}

// Nodes: several processes share one PostgreSQL, each with a number of its own that it leases
// (D-0025). SQLite has one process.
statements! {
    POSTGRES_CLAIM_NODE = "WITH free AS ( \
        SELECT number FROM generate_series(0, $1::bigint) number \
        LEFT JOIN nodes ON nodes.node = number \
        WHERE nodes.node IS NULL OR nodes.seen_at < now() - make_interval(secs => $2) \
        ORDER BY number LIMIT 1) \
        INSERT INTO nodes (node, holder, batch, newest_id, seen_at) \
        SELECT number, gen_random_uuid()::text, 0, 0, now() FROM free \
        ON CONFLICT (node) DO UPDATE SET holder = excluded.holder, seen_at = excluded.seen_at \
        WHERE nodes.seen_at < now() - make_interval(secs => $2) \
        RETURNING node, holder, batch";
    POSTGRES_KEEP_NODE = "UPDATE nodes SET seen_at = now(), newest_id = greatest(newest_id, $3) \
        WHERE node = $1 AND holder = $2 RETURNING batch";
    POSTGRES_MARK_NODE = "UPDATE nodes SET seen_at = now(), batch = $3 \
        WHERE node = $1 AND holder = $2";
    POSTGRES_NOTE_NEWEST_ID = "UPDATE nodes SET newest_id = greatest(newest_id, $2) \
        WHERE node = $1";
    POSTGRES_RELEASE_NODE = "UPDATE nodes \
        SET seen_at = '-infinity', newest_id = greatest(newest_id, $3) \
        WHERE node = $1 AND holder = $2";
    POSTGRES_NEWEST_ID = "SELECT greatest((SELECT max(id) FROM users), \
        (SELECT max(id) FROM rooms), (SELECT max(newest_id) FROM nodes))";
}
