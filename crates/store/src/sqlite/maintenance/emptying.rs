//! Empties the search index while a server runs (D-0145), for the operator's command.
//!
//! A short transaction replaces the tables by empty ones, from which the server starts over. The
//! old tables are deleted in small batches, so that the server's writer never waits for long. An
//! interrupted command can be run again.

use std::time::Instant;

use rusqlite::{Connection, Result, TransactionBehavior};

use crate::sql::Statement;

/// Tables of indexed messages and customers. [`WORDS`] has the tables of their words.
const ROWS: [&str; 2] = ["search_messages", "search_contacts"];
const WORDS: [&str; 2] = ["message_words", "contact_words"];

/// Maximum number of rows deleted in one commit. Rows of words have some thousand bytes each.
const REMOVED_PER_COMMIT: usize = 500;

/// Empties the index. `start_anew` resets the indexing progress in the same transaction.
pub(crate) fn empty(db: &mut Connection, start_anew: &Statement) -> Result<()> {
    remove_old(db)?;
    swap(db, start_anew)?;
    remove_old(db)
}

fn swap(db: &mut Connection, start_anew: &Statement) -> Result<()> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let made: Vec<(String, String, String)> = {
        let mut made = tx.prepare(
            "SELECT type, name, sql FROM sqlite_master WHERE name IN ('search_messages', \
             'search_contacts', 'message_words', 'contact_words') OR type = 'trigger' \
             AND tbl_name IN ('search_messages', 'search_contacts') ORDER BY rowid",
        )?;
        let read = made.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        read.collect::<Result<_>>()?
    };
    for (_, name, _) in made.iter().filter(|(kind, ..)| kind == "trigger") {
        tx.execute_batch(&format!("DROP TRIGGER {name}"))?;
    }
    for name in ROWS.iter().chain(&WORDS) {
        tx.execute_batch(&format!("ALTER TABLE {name} RENAME TO old_{name}"))?;
    }
    for (_, _, sql) in &made {
        tx.execute_batch(sql)?;
    }
    for name in WORDS {
        // Deleted words must not remain in the file.
        let set = format!("INSERT INTO {name} ({name}, rank) VALUES ('secure-delete', 1)");
        tx.execute_batch(&set)?;
    }
    tx.execute_batch(start_anew.sqlite())?;
    tx.commit()
}

/// Deletes the replaced tables, including those of an interrupted command.
fn remove_old(db: &Connection) -> Result<()> {
    for name in ROWS.map(|name| format!("old_{name}")) {
        remove(db, &name, &[(name.clone(), "rowid", "1")])?;
    }
    for name in WORDS.map(|name| format!("old_{name}")) {
        let parts = [
            // The first rows describe the structure of the others.
            (format!("{name}_data"), "id", "id > 10"),
            (format!("{name}_docsize"), "id", "1"),
            (format!("{name}_idx"), "(segid, term)", "1"),
        ];
        remove(db, &name, &parts)?;
    }
    Ok(())
}

fn remove(db: &Connection, table: &str, parts: &[(String, &str, &str)]) -> Result<()> {
    let is_there = "SELECT count(*) FROM sqlite_master WHERE name = ?1";
    if db.query_row(is_there, [table], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(());
    }
    for (part, key, which) in parts {
        let keys = key.trim_matches(['(', ')']);
        let text = format!(
            "DELETE FROM {part} WHERE {key} IN (SELECT {keys} FROM {part} WHERE {which} \
             LIMIT {REMOVED_PER_COMMIT})"
        );
        let mut statement = db.prepare(&text)?;
        loop {
            let begun = Instant::now();
            if statement.execute([])? == 0 {
                break;
            }
            // Yield to the writer of a running server.
            std::thread::park_timeout(begun.elapsed());
        }
    }
    db.execute_batch(&format!("DROP TABLE {table}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::search_index::START_ANEW;
    use crate::sqlite::migrations;

    fn count(db: &Connection, question: &str) -> i64 {
        db.query_row(question, [], |row| row.get(0)).expect("counted")
    }

    fn fill(db: &Connection) {
        let rows = "WITH RECURSIVE n (i) AS \
            (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) \
            INSERT INTO search_messages SELECT i, 10, 1, 'word' || i || ' both' FROM n";
        db.execute_batch(rows).expect("filled");
        db.execute_batch("INSERT INTO search_contacts VALUES (7, 1, 'ana')").expect("filled");
    }

    #[test]
    fn an_emptied_index_finds_nothing_and_works_as_before() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.db");
        let mut db = migrations::open_up_to_date(&path).expect("opens");
        let schema = "SELECT group_concat(type || name || sql) FROM (SELECT type, name, sql FROM \
            sqlite_master WHERE name NOT LIKE '%autoindex%' ORDER BY type, name)";
        let schema = |db: &Connection| db.query_row(schema, [], |row| row.get::<_, String>(0));
        let before = schema(&db).expect("read");
        fill(&db);
        swap(&mut db, &START_ANEW).expect("swapped");
        assert_eq!(count(&db, "SELECT count(*) FROM search_messages"), 0);
        assert_eq!(count(&db, "SELECT generation FROM search_state"), 1);
        let found = "SELECT count(*) FROM message_words WHERE message_words MATCH 'both'";
        assert_eq!(count(&db, found), 0);
        // As after a killed command.
        fill(&db);
        assert_eq!(count(&db, found), 2_000);
        empty(&mut db, &START_ANEW).expect("emptied");
        assert_eq!(count(&db, found), 0);
        fill(&db);
        assert_eq!(count(&db, found), 2_000);
        db.execute_batch("DELETE FROM search_messages WHERE message > 10").expect("deleted");
        assert_eq!(count(&db, found), 10, "deleted messages are not found");
        assert_eq!(schema(&db).expect("read"), before, "the schema is unchanged");
    }
}
