//! pgbench: the speed of PostgreSQL itself, without Confab.
//!
//! `bare` measures one connection whose transactions write the same rows as a commit of posts, in
//! transactions of equal size: messages, last messages of rooms, read numbers of senders.
//! `one_by_one` measures what a server without batches would do for each message, over 16
//! connections: lock the room, load the sender, write, commit.

use std::path::Path;

use confab_test_servers::postgres::Server;

use crate::failure::Failure;
use crate::fill::ROOMS;

const PREPARE: &str = "CREATE SEQUENCE IF NOT EXISTS bench_ids START 1000000000000000; \
    CREATE TABLE IF NOT EXISTS bench_rooms AS \
    SELECT row_number() OVER () - 1 AS at, r.id, r.app, p.user_key FROM rooms r \
    JOIN participants p ON p.room = r.id JOIN users u ON u.id = p.user_key \
    WHERE u.user_id = 'user-0' AND r.unique_id LIKE 'room-%'; \
    CREATE UNIQUE INDEX IF NOT EXISTS bench_rooms_at ON bench_rooms (at)";
/// Maintenance commands. PostgreSQL would do this work by itself in the minutes after many writes.
const TIDY_UP: [&str; 2] = ["VACUUM ANALYZE", "CHECKPOINT"];

const INSERT: &str = "INSERT INTO messages (id, room, number, before_id, sender, posted_at, kind, \
    text, payload, extras, client_unique_id, is_deleted) \
    SELECT nextval('bench_ids'), id, nextval('bench_ids'), 1, user_key, 1, 'text', \
    'hello from the load generator', NULL, NULL, NULL, 0 FROM bench_rooms \
    WHERE at BETWEEN (:first)::bigint AND (:first)::bigint + (:rows)::bigint - 1;";
const UPDATE_ROOMS: &str = "UPDATE rooms r SET last_message = r.last_message + 1, \
    last_number = r.last_number + 1 FROM bench_rooms b WHERE r.id = b.id \
    AND b.at BETWEEN (:first)::bigint AND (:first)::bigint + (:rows)::bigint - 1;";
const UPDATE_PARTICIPANTS: &str = "UPDATE participants p SET read_number = p.read_number + 1 \
    FROM bench_rooms b WHERE p.room = b.id AND p.user_key = b.user_key \
    AND b.at BETWEEN (:first)::bigint AND (:first)::bigint + (:rows)::bigint - 1;";
const LOOK_UP: &str = "SELECT r.* FROM rooms r JOIN bench_rooms b ON b.id = r.id \
    WHERE b.at = (:first)::bigint FOR UPDATE OF r;\n\
    SELECT u.* FROM bench_rooms b JOIN users u ON u.app = b.app AND u.user_id = 'user-0' \
    JOIN participants p ON p.room = b.id AND p.user_key = u.id WHERE b.at = (:first)::bigint;";

/// Creates the table and sequence that the scripts use, and runs maintenance. Requires the rooms of
/// [`fill`](crate::fill).
pub(crate) fn prepare(postgres: &Server) {
    postgres.psql(PREPARE);
    for command in TIDY_UP {
        postgres.psql(command);
    }
}

/// Measures transactions of `rows` messages on one connection. Returns messages per second.
pub(crate) fn bare(
    postgres: &Server,
    rows: usize,
    seconds: u32,
    work: &Path,
) -> Result<f64, Failure> {
    let script = format!("BEGIN;\n{INSERT}\n{UPDATE_ROOMS}\n{UPDATE_PARTICIPANTS}\nCOMMIT;\n");
    let rows = rows.clamp(1, ROOMS / 2);
    Ok(transactions(postgres, &script, rows, 1, seconds, work)? * rows as f64)
}

/// Measures one transaction per message, over 16 connections. Returns messages per second.
pub(crate) fn one_by_one(postgres: &Server, seconds: u32, work: &Path) -> Result<f64, Failure> {
    let script =
        format!("BEGIN;\n{LOOK_UP}\n{INSERT}\n{UPDATE_ROOMS}\n{UPDATE_PARTICIPANTS}\nCOMMIT;\n");
    transactions(postgres, &script, 1, 16, seconds, work)
}

fn transactions(
    postgres: &Server,
    script: &str,
    rows: usize,
    clients: usize,
    seconds: u32,
    work: &Path,
) -> Result<f64, Failure> {
    let file = work.join("pgbench.sql");
    let first = format!("\\set first random(0, {})\n", ROOMS - rows);
    std::fs::write(&file, first + script)?;
    let output = postgres
        .program("pgbench")
        .env("PGOPTIONS", "-c enable_seqscan=off -c enable_hashjoin=off")
        .args(["-n", "-M", "prepared", "-j", "1", "-c", &clients.to_string()])
        .args(["-T", &seconds.to_string(), "-D", &format!("rows={rows}"), "-f"])
        .arg(&file)
        .arg(postgres.url())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let tps = text.split("tps = ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let tps = tps.filter(|_| output.status.success());
    let error = || format!("pgbench failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(tps.ok_or_else(error)?.parse()?)
}
