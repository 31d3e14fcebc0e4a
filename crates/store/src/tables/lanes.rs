//! The last sequence number that each lane assigned to each endpoint.
//!
//! SQLite reads a single lane. PostgreSQL reads the lanes of all decisions of a batch; an advisory
//! lock on the lane's number protects lanes whose room is not locked.

use crate::sql::{prepared, statements};

prepared! {
    // Advisory locks are shared by the whole database, so the schema's name is part of the hash.
    POSTGRES_LOCK_LANES = "SELECT \
        pg_advisory_xact_lock(hashtextextended(current_schema()::text, lane)) FROM ( \
        SELECT lane FROM unnest($1::bigint[]) asked (lane) ORDER BY lane) ordered";
    POSTGRES_LANES = "SELECT lane, endpoint, last_sequence FROM lanes WHERE lane = ANY ($1)";
    POSTGRES_SET_SEQUENCES = "INSERT INTO lanes (lane, endpoint, last_sequence) \
        SELECT lane, endpoint, sequence \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) new (lane, endpoint, sequence) \
        ON CONFLICT (lane, endpoint) DO UPDATE SET last_sequence = excluded.last_sequence";
}

statements! {
    SQLITE_LANE = "SELECT endpoint, last_sequence FROM lanes WHERE lane = $1";
    SQLITE_SET_SEQUENCE = "INSERT INTO lanes (lane, endpoint, last_sequence) VALUES ($1, $2, $3) \
        ON CONFLICT (lane, endpoint) DO UPDATE SET last_sequence = excluded.last_sequence";
}
