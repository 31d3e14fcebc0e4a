//! Search over what was said and over customers (D-0145).

use std::ops::Range;

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{ID_END, MessageId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::refusal::Refusal;
use confab_domain::support::indexing::wanted_words;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::contact_list::ContactView;
use super::rooms::{CustomerRoomShape, RoomView};
use crate::body::Body;
use crate::fields::{PageSize, Short, field};
use crate::person::PersonShape;
use crate::request::request;
use crate::time::to_the_second;

request! {
    /// `GET /api/v2/search`
    pub struct SearchFields {
        /// Words, or how they begin; all of them must be there.
        q: Short<{ limits::NAME_CHARS_MAX }>, required, example = "refund";
        /// `messages`, `contacts` or both, divided by a comma; both if absent.
        r#in: Lists, or [true, true], default = || "messages,contacts".into();
        /// What follows: `meta.after` of an earlier answer.
        cursor: SearchCursor, optional;
        /// How many of each on a page; 20 if absent, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

field! {
    /// Whether messages and contacts are wanted.
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

/// Where each list goes on; nothing where it is over.
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
    /// Where a search goes on; an empty text counts as missing.
    SearchCursor -> SearchPlace;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        let place = SearchPlace::parse(&text);
        place.or_else(|| reading.wrong(field, "must be the after of an earlier answer"))
    }
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchInput {
    /// How the words begin, in lower case.
    pub words: Vec<String>,
    /// Where each list begins; nothing where it is not wanted.
    pub place: SearchPlace,
    /// How many of each.
    pub size: usize,
}

impl SearchInput {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let SearchFields { q, r#in: [messages, contacts], cursor, limit } = query.read()?;
        let words = wanted_words(&q);
        if words.is_empty() {
            return Err(FieldProblem::new("q", "must have a letter or a digit").into());
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

/// A part of a text around what was found in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// Where the words are, as browsers count: in units of UTF-16.
    pub matches: Vec<[usize; 2]>,
}

/// What is shown of a text; nothing if one of the words does not begin a word of it.
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

/// Where words of the text begin with what is looked for.
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

/// How much of the text is the word, in whichever case, if it begins with it.
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

/// A message that was found.
pub struct FoundView<'a> {
    pub said: &'a PostedMessage,
    pub excerpt: Excerpt,
    pub row: RoomView<'a>,
}

/// A message that was found, and the conversation that it is in.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundMessage<'a> {
    room_id: String,
    comment_id: String,
    unique_id: String,
    /// Who said it.
    sender: PersonShape<'a>,
    #[schema(example = "2026-01-31T10:00:00Z")]
    at: String,
    /// The text around what was found first.
    text_cut: String,
    /// From where to where the words are in `text_cut`, in units of UTF-16.
    matches: Vec<[usize; 2]>,
    row: CustomerRoomShape<'a>,
}

impl<'a> From<FoundView<'a>> for FoundMessage<'a> {
    fn from(view: FoundView<'a>) -> Self {
        let PostedMessage { message, sender } = view.said;
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

/// A customer who was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundContactShape<'a> {
    id: i64,
    name: &'a str,
    channel_name: &'a str,
    /// When one of their rooms last changed.
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_seen_at: String,
    /// How many rooms of theirs the caller sees.
    rooms: usize,
}

/// `{messages, contacts}`: each the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchResults<'a> {
    messages: Vec<FoundMessage<'a>>,
    contacts: Vec<FoundContactShape<'a>>,
}

/// Where a search goes on, and how far what it goes by is.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchMeta {
    /// To be sent as `cursor` for what follows; null at the end.
    after: Option<String>,
    /// Always null: a search goes forward only.
    before: Option<String>,
    /// How many of each a page has at most.
    per_page: usize,
    /// Always null: what is found is not counted.
    total_count: Option<u64>,
    /// What was said later is not found yet; null while everything is.
    #[schema(example = "2026-01-31T10:00:00Z")]
    indexed_until: Option<String>,
}

/// `{data, meta, status}`
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchPage<'a> {
    data: SearchResults<'a>,
    meta: SearchMeta,
    /// Always 200.
    #[schema(example = 200)]
    status: u16,
}

/// What was found, and where it goes on.
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
    fn an_excerpt_shows_where_the_words_begin() {
        let expected = ("Pesanan 1024 DIKIRIM".to_owned(), vec![[8, 10], [13, 16]]);
        assert_eq!(shown("Pesanan 1024 DIKIRIM", &["dik", "10"]), Some(expected));
        assert_eq!(shown("Pesanan", &["sanan"]), None, "within a word");
        assert_eq!(shown("Pesanan", &["pesanan", "lagi"]), None, "not all of them");
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
    fn a_cursor_names_both_lists_or_one() {
        for text in ["m5-c7", "m5", "c7"] {
            assert_eq!(SearchPlace::parse(text).and_then(SearchPlace::text).as_deref(), Some(text));
        }
        for wrong in ["", "x5", "m", "m-1", "5", "ä5"] {
            assert_eq!(SearchPlace::parse(wrong), None, "{wrong}");
        }
    }
}
