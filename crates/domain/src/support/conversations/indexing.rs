//! Search indexing: the words of messages and customers' names, and the index's progress (D-0145).
//!
//! New messages are indexed later, in steps. An edit, deletion or renaming changes the index in its
//! own transaction.

use std::collections::BTreeSet;

use crate::decision::change::{Change, SearchChange};
use crate::decision::rule::Decision;
use crate::ids::{AppId, MessageId, RoomId, UserKey};
use crate::limits;
use crate::messages::message_kind::MessageKind;
use crate::people::user::{Realm, User};
use crate::support::conversations::index_state::IndexState;
use crate::time::Timestamp;

/// The next batch of messages that are not indexed yet.
#[derive(Debug, Clone)]
pub struct UnindexedMessages {
    /// Messages in customers' rooms. Messages of other rooms are not in this index.
    pub messages: Vec<UnindexedMessage>,
    /// Last message that was examined for the batch; `None` if there was none.
    pub up_to: Option<MessageId>,
    pub has_more: bool,
}

/// A message of a customer's room that is not indexed.
#[derive(Debug, Clone)]
pub struct UnindexedMessage {
    pub id: MessageId,
    pub room: RoomId,
    pub kind: MessageKind,
    pub text: String,
}

/// A user who is not indexed.
#[derive(Debug, Clone)]
pub struct UnindexedContact {
    pub key: UserKey,
    pub app: AppId,
    pub realm: Realm,
    pub name: String,
    pub user_id: String,
}

/// The additions of one indexing step.
#[derive(Debug, Clone)]
pub struct IndexStep {
    pub messages: Vec<UnindexedMessage>,
    pub contacts: Vec<UnindexedContact>,
    /// Progress of the index after the step.
    pub state: IndexState,
    pub now: Timestamp,
}

/// Returns the decision that writes a step. The store leaves out messages that were deleted since
/// they were read.
pub fn index(step: &IndexStep) -> Decision<()> {
    let mut changes: Vec<Change> = Vec::new();
    for message in &step.messages {
        if message.kind != MessageKind::SystemEvent
            && let Some(words) = words(&message.text)
        {
            let UnindexedMessage { room, id, .. } = *message;
            changes.push(SearchChange::AddMessage { room, message: id, words }.into());
        }
    }
    for it in step.contacts.iter().filter(|it| it.realm != Realm::App) {
        if let Some(words) = words_of_name(&it.name, &it.user_id) {
            changes.push(SearchChange::AddContact { contact: it.key, app: it.app, words }.into());
        }
    }
    changes.push(SearchChange::SetState { state: step.state.clone(), now: step.now }.into());
    Decision::new(changes, ())
}

/// Returns the distinct words of a text, separated by spaces; `None` if it has none. Words beyond a
/// maximum number are ignored.
pub fn words(text: &str) -> Option<String> {
    let words: BTreeSet<_> = split(text).take(limits::SEARCH_WORDS_OF_MESSAGE_MAX).collect();
    joined(words)
}

/// Returns the words of a customer's name and user id, by which searches find the customer.
pub fn words_of(customer: &User) -> Option<String> {
    words_of_name(&customer.username, customer.user_id.as_str())
}

fn words_of_name(name: &str, user_id: &str) -> Option<String> {
    joined(split(name).chain(split(user_id)).collect())
}

/// Returns the distinct words of a search query, at most [`limits::SEARCH_WORDS_MAX`].
pub fn wanted_words(text: &str) -> Vec<String> {
    let mut wanted = Vec::new();
    for word in split(text) {
        if wanted.len() < limits::SEARCH_WORDS_MAX && !wanted.contains(&word) {
            wanted.push(word);
        }
    }
    wanted
}

/// Splits a text into runs of letters and digits in lower case, without stemming.
fn split(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(cut)
}

fn cut(word: &str) -> String {
    let lower = word.chars().flat_map(char::to_lowercase).filter(|it| it.is_alphanumeric());
    lower.take(limits::SEARCH_WORD_CHARS_MAX).collect()
}

fn joined(words: BTreeSet<String>) -> Option<String> {
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_letters_and_digits_in_lower_case() {
        let found = words("Halo, Kak! Pesanan #A-1024 sudah dikirim; sudah?");
        assert_eq!(found.as_deref(), Some("1024 a dikirim halo kak pesanan sudah"));
        assert_eq!(words(" … !"), None);
        assert_eq!(wanted_words("Pesan pesan 10"), ["pesan", "10"]);
    }

    #[test]
    fn only_the_first_words_of_a_long_text_are_indexed() {
        let long: String = (0..limits::SEARCH_WORDS_OF_MESSAGE_MAX + 5).map(word).collect();
        let found = words(&long).expect("words");
        assert_eq!(found.split(' ').count(), limits::SEARCH_WORDS_OF_MESSAGE_MAX);
        let word = "x".repeat(limits::SEARCH_WORD_CHARS_MAX + 5);
        assert_eq!(wanted_words(&word)[0].len(), limits::SEARCH_WORD_CHARS_MAX);
    }

    fn word(number: usize) -> String {
        format!("w{number} ")
    }
}
