//! Integrity check of a data folder (D-0084).

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Result, params};

use crate::error::StoreError;
use crate::sqlite::connections::{checksums, native};
use crate::sqlite::data_folder::mark::{self, MarkContent};
use crate::sqlite::data_folder::{folder, loss, not_opened, wal_file};

const DOING: &str = "checking the database";
/// Maximum number of problems of one kind that are described; further ones are only counted.
const NAMED_MAX: usize = 10;

const MESSAGES: &str = "SELECT id, room, number, before_id FROM messages ORDER BY id";
const PLACES: &str =
    "SELECT room, first_number, ids FROM message_places ORDER BY room, first_number";
const PLACE: &str = "SELECT 1 FROM messages WHERE id = ?1 AND room = ?2 AND number = ?3";
const WRITTEN_UP_TO: &str = "SELECT max(up_to_message) FROM places_written";

/// Descriptions of the problems found.
#[derive(Default)]
struct Problems(Vec<String>);

impl Problems {
    fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    /// Adds descriptions of the first problems of one kind, and the number of the others.
    fn add_some(&mut self, mut found: Vec<String>) {
        let more = found.len().saturating_sub(NAMED_MAX);
        found.truncate(NAMED_MAX);
        self.0.extend(found);
        if more > 0 {
            self.add(format!("and {more} more of this kind"));
        }
    }
}

/// Reads every page and every message of a folder, which may be in use, and returns the problems
/// found.
pub(crate) fn check(
    data_folder: &Path,
    report: &(dyn Fn(String) + Sync),
) -> std::result::Result<Vec<String>, StoreError> {
    let database = folder::database(data_folder);
    if !database.exists() {
        return Err(StoreError::while_doing(DOING)(format!(
            "{} does not exist",
            database.display()
        )));
    }
    let mut problems = Problems::default();
    // A serving process writes to the log, which can be checked only while nothing changes it.
    let lock = folder::lock(data_folder).ok();
    if lock.is_some() {
        let looked = wal_file::inspect(&wal_file::path(&database));
        let looked = looked.map_err(StoreError::while_doing(DOING))?;
        if looked.breaks_off() {
            problems.add(format!(
                "the write-ahead log breaks off after {} frames, and {} more frames follow",
                looked.trusted, looked.following
            ));
        }
    }
    // Must run before SQLite opens the file in this process.
    let scanned = checksums::scan(&database, lock.is_none(), &|progress| report(progress));
    let scanned = scanned.map_err(StoreError::while_doing(DOING))?;
    let bad = scanned.bad.iter().map(|page| format!("page {page} is damaged"));
    problems.add_some(bad.collect());
    if !scanned.has_checksums {
        problems.add(
            "the pages have no checksums; free disk space and start the server, which adds them",
        );
    }
    report(summary(scanned.pages, "page"));

    let marked = mark::marked(data_folder)?;
    let started = Instant::now();
    let tell = || report(format!("still checking: {} s", started.elapsed().as_secs()));
    checksums::with_progress(tell, || {
        // A failure to read is a finding too.
        let read = open(&database).and_then(|db| {
            let checked = check_content(&db, &database, &marked, &mut problems, report);
            checked.map_err(StoreError::while_doing(DOING))
        });
        if let Err(error) = read {
            problems.add(format!("{error}: {}", error.source));
        }
    });
    Ok(problems.0)
}

fn summary(count: u64, noun: &str) -> String {
    format!("checked {count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Opens a database for inspection. Changes nothing, and leaves the write-ahead log in place on
/// close.
pub(crate) fn open(database: &Path) -> std::result::Result<Connection, StoreError> {
    native::use_checksums()?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(database, flags).and_then(|db| {
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        db.busy_timeout(std::time::Duration::from_secs(10)).map(|()| db)
    });
    opened.map_err(|error| not_opened::to_read(database, error))
}

fn check_content(
    db: &Connection,
    database: &Path,
    marked: &MarkContent,
    problems: &mut Problems,
    report: &dyn Fn(String),
) -> Result<()> {
    match marked {
        MarkContent::Nothing => {}
        MarkContent::Unreadable => problems.add("the mark of the newest message is damaged"),
        MarkContent::Message(marked) => {
            if let Ok(newest) = loss::newest(db)
                && newest < *marked
            {
                problems.add(loss::in_words(database, *marked, newest));
            }
        }
    }
    let mut statement = db.prepare("PRAGMA integrity_check")?;
    let posted = statement.query_map([], |row| row.get::<_, String>(0))?;
    let posted: Vec<_> = posted.collect::<Result<_>>()?;
    problems.add_some(posted.into_iter().filter(|line| line != "ok").collect());
    let mut statement = db.prepare("PRAGMA foreign_key_check")?;
    let posted = statement.query_map([], |row| row.get::<_, String>(0))?;
    let posted: Vec<_> = posted.collect::<Result<_>>()?;
    problems.add_some(
        posted.into_iter().map(|it| format!("a row of {it} references a missing row")).collect(),
    );
    // One snapshot for all checks: a server may write concurrently.
    db.execute_batch("BEGIN")?;
    let places = check_places(db, problems)?;
    let messages = check_chains(db, &places, problems)?;
    db.execute_batch("ROLLBACK")?;
    report(summary(messages, "message"));
    Ok(())
}

/// Checks the index of message numbers: it must have no gaps, and each id must be that of the
/// message with the number. Returns the number of index entries of each room.
fn check_places(db: &Connection, problems: &mut Problems) -> Result<HashMap<i64, i64>> {
    let mut counts = HashMap::new();
    let mut wrong = Vec::new();
    let mut place = db.prepare(PLACE)?;
    let mut statement = db.prepare(PLACES)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (room, first): (i64, i64) = (row.get(0)?, row.get(1)?);
        let packed: Vec<u8> = row.get(2)?;
        let count = counts.entry(room).or_insert(0);
        if first != *count + 1 {
            wrong.push(format!(
                "the index of room {room} has a gap from message {} to {first}",
                *count + 1
            ));
        }
        *count = first - 1;
        let (ids, _) = packed.as_chunks::<8>();
        for id in ids {
            *count += 1;
            let id = i64::from_le_bytes(*id);
            if !place.exists(params![id, room, *count])? {
                wrong.push(format!(
                    "the index of room {room} has a wrong id for message {count}: {id}"
                ));
            }
        }
    }
    problems.add_some(wrong);
    Ok(counts)
}

/// Checks that numbers have no gaps, that each message names its predecessor, and that the index
/// has an entry for each message up to the recorded one. Returns the number of messages.
fn check_chains(
    db: &Connection,
    places: &HashMap<i64, i64>,
    problems: &mut Problems,
) -> Result<u64> {
    let written_up_to: i64 = db.query_row(WRITTEN_UP_TO, [], |row| row.get(0))?;
    let mut last: HashMap<i64, (i64, i64)> = HashMap::new();
    let mut wrong = Vec::new();
    let mut messages = 0;
    let mut statement = db.prepare(MESSAGES)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, room, number): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let before: Option<i64> = row.get(3)?;
        let expected = last.get(&room).copied();
        if number != expected.map_or(1, |(number, _)| number + 1) {
            wrong.push(format!("message {id} of room {room} has the wrong number {number}"));
        } else if before != expected.map(|(_, id)| id) {
            wrong.push(format!("message {id} of room {room} does not reference its predecessor"));
        }
        if id <= written_up_to && places.get(&room).is_none_or(|count| *count < number) {
            wrong.push(format!("message {id} of room {room} is missing in the index of the room"));
        }
        last.insert(room, (number, id));
        messages += 1;
    }
    problems.add_some(wrong);
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_wrong_message_positions_are_reported() {
        let data = tempfile::tempdir().expect("a folder");
        let path = folder::database(data.path());
        let db = crate::sqlite::migrations::open_up_to_date(&path).expect("created");
        for (id, number, before) in [(10, 1, None), (11, 2, Some(10)), (13, 4, Some(12))] {
            let insert = "INSERT INTO messages (id, room, number, before_id, sender, kind, text, \
                posted_at, is_deleted) VALUES (?1, 7, ?2, ?3, 1, 'text', '', 0, 0)";
            db.execute(insert, params![id, number, before]).expect("inserted");
        }
        let packed: Vec<u8> = [10_i64, 12].iter().flat_map(|id| id.to_le_bytes()).collect();
        db.execute("INSERT INTO message_places VALUES (7, 1, ?1)", [packed]).expect("inserted");
        drop(db);
        let problems = check(data.path(), &|_| {}).expect("read");
        let expected = [
            "the index of room 7 has a wrong id for message 2: 12",
            "message 13 of room 7 has the wrong number 4",
        ];
        assert_eq!(problems, expected);
    }
}
