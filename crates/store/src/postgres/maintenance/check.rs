//! Checks the message chains for gaps. Pages need no check here: PostgreSQL verifies them with its
//! own checksums (D-0084).

use crate::error::StoreError;
use crate::postgres::connections::connection::{Connection, plain};
use crate::postgres::connections::endpoint::DatabaseEndpoint;
use crate::sql::{Row, statements};

const DOING: &str = "checking the database";
const SETTINGS: &str = "SET default_transaction_read_only = on; SET jit = off";

statements! {
    // Rooms whose numbers have a gap, or with a message that does not name its predecessor.
    BROKEN_CHAINS = "SELECT room FROM (SELECT room, number, before_id, \
        lag(id) OVER in_room AS before, row_number() OVER in_room AS place FROM messages \
        WINDOW in_room AS (PARTITION BY room ORDER BY number)) chain \
        WHERE number <> place OR before_id IS DISTINCT FROM before \
        GROUP BY room ORDER BY room LIMIT 10";
}

/// Implements [`crate::check`].
pub(crate) async fn check(
    endpoint: &DatabaseEndpoint,
    report: &(dyn Fn(String) + Sync),
) -> Result<Vec<String>, StoreError> {
    let db = Connection::open(endpoint, SETTINGS).await;
    let db = db.map_err(StoreError::while_doing("connecting to the database"))?;
    let failed = |error| StoreError::while_doing(DOING)(plain(&error));
    report("checking the chains of messages of all rooms".to_owned());
    let broken = db.query(BROKEN_CHAINS.postgres(), &[]).await.map_err(failed)?;
    let mut problems = Vec::new();
    for row in &broken {
        let room = row.number(0)?;
        problems.push(format!("the chain of messages of room {room} is broken"));
    }
    let setting = db.query("SELECT current_setting('data_checksums')", &[]).await;
    let setting = setting.map_err(failed)?;
    report(match setting[0].word(0)? {
        "on" => "the pages of the database have checksums; check them with pg_amcheck".to_owned(),
        _ => "the pages of the database have no checksums; see pg_checksums --enable".to_owned(),
    });
    Ok(problems)
}
