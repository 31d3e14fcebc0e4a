//! Search in messages and customers (D-0145).

use std::ops::Range;

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{ID_END, MessageId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::indexing::wanted_words;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::rooms::{CustomerRoomShape, RoomView};
use crate::body::Body;
use crate::fields::{PageSize, Short, field};
use crate::omnichannel_api::support::customers::contact_list::ContactView;
use crate::person::PersonShape;
use crate::request::request;
use crate::time::to_the_second;

request! {
    /// Query of `GET /api/v2/search`.
    pub struct SearchFields {
        /// Words or beginnings of words, all of which must occur.
        q: Short<{ limits::NAME_CHARS_MAX }>, required, example = "refund";
        /// Lists to search, separated by a comma: `messages`, `contacts` or both (default).
        r#in: Lists, or [true, true], default = || "messages,contacts".into();
        /// `meta.after` of the previous page.
        cursor: SearchCursor, optional;
        /// Results per list and page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

field! {
    /// Whether to search messages, and whether to search contacts.
    Lists -> [bool; 2];
    |reading, field, given| {
        let mut wanted = [false, false];
        for list in reading.filled_text(field, given)?.split(',') {
            match list.trim() {
                "messages" => wanted[0] = true,
                "contacts" => wanted[1] = true,
                _ => return reading.wrong(field, "must be messages, contacts or both"),
            }
        }
        Some(wanted)
    }
}

/// Positions in the lists of matching messages and customers; `None` at the end of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchPlace {
    pub messages: Option<MessageId>,
    pub contacts: Option<UserKey>,
}

impl SearchPlace {
    fn parse(text: &str) -> Option<Self> {
        let mut place = Self::default();
        for part in text.split('-') {
            let id = |digits: &str| digits.parse().ok().filter(|id| (0..ID_END).contains(id));
            match part.split_at_checked(1)? {
                ("m", digits) => place.messages = Some(MessageId(id(digits)?)),
                ("c", digits) => place.contacts = Some(UserKey(id(digits)?)),
                _ => return None,
            }
        }
        Some(place)
    }

    fn text(self) -> Option<String> {
        let messages = self.messages.map(|id| format!("m{id}"));
        let contacts = self.contacts.map(|id| format!("c{id}"));
        let parts: Vec<_> = messages.into_iter().chain(contacts).collect();
        (!parts.is_empty()).then(|| parts.join("-"))
    }
}

field! {
    /// A cursor in the results of a search; an empty string means absent.
    SearchCursor -> SearchPlace;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        let place = SearchPlace::parse(&text);
        place.or_else(|| reading.wrong(field, "must be the after of an earlier response"))
    }
}

/// A search for messages and customers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchInput {
    /// Beginnings of the words to find, in lower case.
    pub words: Vec<String>,
    /// Positions at which both lists of results start; `None` for a list that is not requested.
    pub place: SearchPlace,
    /// Results per list and page.
    pub size: usize,
}

impl SearchInput {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let SearchFields { q, r#in: [messages, contacts], cursor, limit } = query.read()?;
        let words = wanted_words(&q);
        if words.is_empty() {
            return Err(FieldProblem::new("q", "must contain a letter or a digit").into());
        }
        let start =
            SearchPlace { messages: Some(MessageId(ID_END)), contacts: Some(UserKey(ID_END)) };
        let place = cursor.unwrap_or(start);
        let place = SearchPlace {
            messages: place.messages.filter(|_| messages),
            contacts: place.contacts.filter(|_| contacts),
        };
        Ok(Self { words, place, size: limit })
    }
}

/// The part of a text around the first match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// Start and end of each match, in UTF-16 code units.
    pub matches: Vec<[usize; 2]>,
}

/// Returns the part of a text around the first match; `None` unless each of `words` is the
/// beginning of a word in the text.
pub fn excerpt(text: &str, words: &[String]) -> Option<Excerpt> {
    let found = found_in(text, words)?;
    let first = found.first().map_or(0, |range| range.start);
    let begin = text[..first].char_indices().rev().nth(limits::SEARCH_CUT_CHARS);
    let begin = begin.map_or(0, |(at, _)| at);
    let end = text[first..].char_indices().nth(2 * limits::SEARCH_CUT_CHARS);
    let end = end.map_or(text.len(), |(at, _)| first + at);
    let (before, after) = (begin > 0, end < text.len());
    let shown = [before.then_some("… "), Some(&text[begin..end]), after.then_some(" …")];
    let lead = if before { 2 } else { 0 };
    let units = |range: Range<usize>| text[range].encode_utf16().count();
    let matches = found.into_iter().filter(|it| it.end <= end);
    let matches = matches.map(|it| [lead + units(begin..it.start), lead + units(begin..it.end)]);
    Some(Excerpt { matches: matches.collect(), text: shown.into_iter().flatten().collect() })
}

/// Returns the ranges at which a word of the text begins with one of `words`; `None` unless each of
/// `words` is found.
fn found_in(text: &str, words: &[String]) -> Option<Vec<Range<usize>>> {
    let (mut found, mut missing) = (Vec::new(), vec![true; words.len()]);
    let mut at = 0;
    for part in text.split(|letter: char| !letter.is_alphanumeric()) {
        let begin = at;
        at += part.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        let mut longest = 0;
        for (word, missing) in words.iter().zip(&mut missing) {
            if let Some(length) = beginning(part, word) {
                *missing = false;
                longest = longest.max(length);
            }
        }
        if longest > 0 {
            found.push(begin..begin + longest);
        }
    }
    (!missing.contains(&true)).then_some(found)
}

/// Returns how many bytes of `text` match `word`, ignoring case; `None` if the text does not begin
/// with the word.
fn beginning(text: &str, word: &str) -> Option<usize> {
    let mut wanted = word.chars().peekable();
    for (at, letter) in text.char_indices() {
        if wanted.peek().is_none() {
            return Some(at);
        }
        for lower in letter.to_lowercase().filter(|it| it.is_alphanumeric()) {
            match wanted.next() {
                None => break,
                Some(it) if it == lower => {}
                Some(_) => return None,
            }
        }
    }
    wanted.peek().is_none().then_some(text.len())
}

/// The values for a [`FoundMessage`].
pub struct FoundView<'a> {
    pub posted: &'a PostedMessage,
    pub excerpt: Excerpt,
    pub row: RoomView<'a>,
}

/// A matching message and its conversation.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundMessage<'a> {
    room_id: String,
    comment_id: String,
    unique_id: String,
    /// Sender of the message.
    sender: PersonShape<'a>,
    #[schema(example = "2026-01-31T10:00:00Z")]
    at: String,
    /// Text around the first match.
    text_cut: String,
    /// Start and end of each match in `text_cut`, in UTF-16 code units.
    matches: Vec<[usize; 2]>,
    row: CustomerRoomShape<'a>,
}

impl<'a> From<FoundView<'a>> for FoundMessage<'a> {
    fn from(view: FoundView<'a>) -> Self {
        let PostedMessage { message, sender } = view.posted;
        Self {
            room_id: message.room.to_string(),
            comment_id: message.id.to_string(),
            unique_id: message.unique_id().as_str().to_owned(),
            sender: PersonShape { id: sender.key.0, name: &sender.username },
            at: to_the_second(message.posted_at),
            text_cut: view.excerpt.text,
            matches: view.excerpt.matches,
            row: (&view.row).into(),
        }
    }
}

/// A matching customer.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundContactShape<'a> {
    id: i64,
    name: &'a str,
    channel_name: &'a str,
    /// Time of the latest change in any of the customer's rooms.
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_seen_at: String,
    /// Number of the customer's rooms that the caller may see.
    rooms: usize,
}

/// Response data of a search: matching messages and customers, each newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchResults<'a> {
    messages: Vec<FoundMessage<'a>>,
    contacts: Vec<FoundContactShape<'a>>,
}

/// Position of a page of search results, and progress of the search index.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchMeta {
    /// Cursor of the next page, to send as `cursor`; null on the last page.
    after: Option<String>,
    /// Always null: results can only be paged forward.
    before: Option<String>,
    /// Maximum number of results per list and page.
    per_page: usize,
    /// Always null: results are not counted.
    total_count: Option<u64>,
    /// Time up to which messages are indexed; null if all are. Later messages are not found yet.
    #[schema(example = "2026-01-31T10:00:00Z")]
    indexed_until: Option<String>,
}

/// Body of the response to a search.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchPage<'a> {
    data: SearchResults<'a>,
    meta: SearchMeta,
    /// HTTP status, always 200.
    #[schema(example = 200)]
    status: u16,
}

/// Returns a page of search results. `after` is the position of the next page.
pub fn search_page<'a>(
    messages: Vec<FoundView<'a>>,
    contacts: &[ContactView<'a>],
    after: SearchPlace,
    size: usize,
    indexed_until: Option<Timestamp>,
) -> SearchPage<'a> {
    let contact = |it: &ContactView<'a>| FoundContactShape {
        id: it.contact.0,
        name: it.name,
        channel_name: it.channel_name,
        last_seen_at: to_the_second(it.last_seen_at),
        rooms: it.rooms,
    };
    let messages = messages.into_iter().map(FoundMessage::from).collect();
    let contacts = contacts.iter().map(contact).collect();
    let meta = SearchMeta {
        after: after.text(),
        before: None,
        per_page: size,
        total_count: None,
        indexed_until: indexed_until.map(to_the_second),
    };
    SearchPage { data: SearchResults { messages, contacts }, meta, status: 200 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, words: &[&str]) -> Option<(String, Vec<[usize; 2]>)> {
        let words: Vec<_> = words.iter().map(|it| (*it).to_owned()).collect();
        excerpt(text, &words).map(|it| (it.text, it.matches))
    }

    #[test]
    fn an_excerpt_marks_words_that_begin_with_the_query() {
        let expected = ("Pesanan 1024 DIKIRIM".to_owned(), vec![[8, 10], [13, 16]]);
        assert_eq!(shown("Pesanan 1024 DIKIRIM", &["dik", "10"]), Some(expected));
        assert_eq!(shown("Pesanan", &["sanan"]), None, "a match within a word does not count");
        assert_eq!(shown("Pesanan", &["pesanan", "lagi"]), None, "all words must occur");
        assert_eq!(shown("😀 halo", &["halo"]), Some(("😀 halo".to_owned(), vec![[3, 7]])));
    }

    #[test]
    fn a_long_text_is_cut_around_the_first_match() {
        let text = format!("{}needle {}", "a ".repeat(200), "b ".repeat(200));
        let (cut, matches) = shown(&text, &["needle"]).expect("found");
        assert!(cut.starts_with("… ") && cut.ends_with(" …") && cut.chars().count() < 260);
        let [begin, end] = matches[0];
        assert_eq!(&cut.encode_utf16().collect::<Vec<_>>()[begin..end].len(), &6);
    }

    #[test]
    fn a_cursor_has_a_position_in_one_or_both_lists() {
        for text in ["m5-c7", "m5", "c7"] {
            assert_eq!(SearchPlace::parse(text).and_then(SearchPlace::text).as_deref(), Some(text));
        }
        for wrong in ["", "x5", "m", "m-1", "5", "ä5"] {
            assert_eq!(SearchPlace::parse(wrong), None, "{wrong}");
        }
    }
}
