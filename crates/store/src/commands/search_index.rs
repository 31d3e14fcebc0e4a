//! Empties the search index for the operator's command, so that a server rebuilds it (D-0145).

use std::time::Duration;

use super::command_database::CommandDatabase;
use crate::error::{CommandFailure, StoreError};
use crate::location::Location;
use crate::sql::{Ask, statements, values};

const DOING: &str = "emptying the search index";

/// Maximum number of attempts to lock the tables while they are in use.
const TRIES_MAX: usize = 60;
const TRY_EVERY: Duration = Duration::from_millis(500);

statements! {
    TRUNCATE_MESSAGES = "TRUNCATE search_messages";
    TRUNCATE_CONTACTS = "TRUNCATE search_contacts";
    START_ANEW = "UPDATE search_state SET up_to = 0, reached = 0, contacts_up_to = 0, \
        generation = generation + 1 WHERE id = 1";
}

/// Empties the search index. The running server, or the next one that starts, rebuilds it.
pub async fn rebuild_search(location: &Location) -> Result<(), StoreError> {
    let database = CommandDatabase::open_to_rebuild(location).await?;
    if let CommandDatabase::Sqlite(connection) = &database {
        return connection.empty_search_index(DOING, &START_ANEW);
    }
    let asks = [&TRUNCATE_MESSAGES, &TRUNCATE_CONTACTS, &START_ANEW];
    let asks = asks.map(|it| Ask::new(it, values![]));
    let mut every = tokio::time::interval(TRY_EVERY);
    for _ in 1..TRIES_MAX {
        every.tick().await;
        match database.write(DOING, &asks).await {
            // Waiting for the table lock blocks all other users, so the lock timeout is short.
            Err(CommandFailure::Locked(_)) => {}
            done => return done.map(drop).map_err(CommandFailure::error),
        }
    }
    database.write(DOING, &asks).await.map(drop).map_err(CommandFailure::error)
}
