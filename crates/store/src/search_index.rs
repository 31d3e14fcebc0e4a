//! Beginning the index of search anew, for the operator's command (D-0145).

use crate::command_database::{CommandDatabase, CommandFailure};
use crate::error::StoreError;
use crate::location::Location;
use crate::sql::{Ask, statements, values};

const DOING: &str = "beginning the index anew";

statements! {
    // What has no words left needs none of them removed one by one.
    BEGIN_EMPTYING = "UPDATE search_state SET is_emptying = 1 WHERE id = 1";
    EMPTY_MESSAGE_WORDS = "INSERT INTO message_words (message_words) VALUES ('delete-all')";
    EMPTY_CONTACT_WORDS = "INSERT INTO contact_words (contact_words) VALUES ('delete-all')";
    EMPTY_MESSAGES = "DELETE FROM search_messages";
    EMPTY_CONTACTS = "DELETE FROM search_contacts";
    END_EMPTYING = "UPDATE search_state SET is_emptying = 0 WHERE id = 1";
    TRUNCATE_MESSAGES = "TRUNCATE search_messages";
    TRUNCATE_CONTACTS = "TRUNCATE search_contacts";
    START_ANEW = "UPDATE search_state SET up_to = 0, reached = 0, contacts_up_to = 0, \
        generation = generation + 1 WHERE id = 1";
}

/// Empties the index; a server that runs, or the next that starts, writes it from the beginning.
pub async fn rebuild_search(location: &Location) -> Result<(), StoreError> {
    let database = CommandDatabase::open(location).await?;
    let asks = match &database {
        CommandDatabase::Sqlite(_) => vec![
            &BEGIN_EMPTYING,
            &EMPTY_MESSAGE_WORDS,
            &EMPTY_CONTACT_WORDS,
            &EMPTY_MESSAGES,
            &EMPTY_CONTACTS,
            &END_EMPTYING,
            &START_ANEW,
        ],
        CommandDatabase::Postgres(_) => vec![&TRUNCATE_MESSAGES, &TRUNCATE_CONTACTS, &START_ANEW],
    };
    let asks: Vec<_> = asks.into_iter().map(|it| Ask::new(it, values![])).collect();
    database.write(DOING, &asks).await.map(drop).map_err(CommandFailure::error)
}
