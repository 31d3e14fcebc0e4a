//! How far somebody has seen (D-0041).
//!
//! Ids made by one node become visible in their order, those of two nodes do not. So a cursor has
//! the newest id seen of each node that said something lately, and a base: whatever is not newer
//! was seen. The base follows [`limits::REALTIME_LATE_MS`] behind, because no commit takes that
//! long. Where there is only one node, the base is the newest id, and nothing else is needed.

use std::fmt;

use confab_domain::ids::{EventId, ID_END, ID_LOW_BITS};
use confab_domain::limits;
use confab_domain::time::Timestamp;

/// Bits of an id that name its node.
const NODE_BITS: u32 = 6;
const LATE: i64 = (limits::REALTIME_LATE_MS as i64) << ID_LOW_BITS;

/// Up to where everything was seen, and what was seen beyond that.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Cursor {
    base: i64,
    /// The newest id of each node, if it is newer than the base.
    newest: Vec<i64>,
}

fn node(id: i64) -> i64 {
    id & ((1 << NODE_BITS) - 1)
}

impl Cursor {
    /// Everything was seen that has one of these ids or came before it on the same node.
    pub(crate) fn at(newest: &[EventId], is_alone: bool) -> Self {
        let mut cursor = Self::default();
        newest.iter().for_each(|id| cursor.pass(*id, is_alone));
        cursor
    }

    /// The same at a time: what happened long enough before it was seen.
    pub(crate) fn now(newest: &[EventId], now: Timestamp, is_alone: bool) -> Self {
        let mut cursor = Self::at(newest, is_alone);
        let late_us = if is_alone { 0 } else { limits::REALTIME_LATE_MS as i64 * 1_000 };
        // Ids that are made from now on are not less than this one.
        let first = EventId::first_at(Timestamp(now.0 - late_us)).0;
        cursor.base = cursor.base.max(first - 1);
        cursor.newest.retain(|it| *it > cursor.base);
        cursor
    }

    /// Reads what [`fmt::Display`] wrote.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let id = |part: &str| {
            let is_plain = part.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let id = i64::from_str_radix(part, 36).ok().filter(|_| is_plain)?;
            (0..ID_END).contains(&id).then_some(id)
        };
        let mut parts = text.split('.');
        let mut cursor = Self { base: id(parts.next()?)?, newest: Vec::new() };
        for part in parts {
            let id = id(part)?;
            if cursor.newest.iter().any(|other| node(*other) == node(id)) {
                return None;
            }
            cursor.newest.push(id);
        }
        Some(cursor)
    }

    /// Takes note of an event that is shown now.
    pub(crate) fn pass(&mut self, event: EventId, is_alone: bool) {
        let id = event.0;
        if is_alone {
            self.base = self.base.max(id);
        } else {
            match self.newest.iter_mut().find(|it| node(**it) == node(id)) {
                Some(newest) => *newest = id.max(*newest),
                None => self.newest.push(id),
            }
            self.base = self.base.max(id - LATE);
        }
        let base = self.base;
        self.newest.retain(|it| *it > base);
    }

    /// Whether an event was seen.
    pub(crate) fn has_seen(&self, event: EventId) -> bool {
        let of_node = self.newest.iter().find(|it| node(**it) == node(event.0));
        event.0 <= of_node.copied().unwrap_or(0).max(self.base)
    }

    /// Whether everything was seen that the other one has seen.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let has_newest = other.newest.iter().all(|id| self.has_seen(EventId(*id)));
        has_newest && self.base >= other.base
    }

    /// Everything up to this id was seen.
    pub(crate) fn base(&self) -> EventId {
        EventId(self.base)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_base_36(self.base, f)?;
        for id in &self.newest {
            f.write_str(".")?;
            write_base_36(*id, f)?;
        }
        Ok(())
    }
}

fn write_base_36(mut id: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut text = [0u8; 13];
    let mut at = text.len();
    loop {
        at -= 1;
        text[at] = DIGITS[(id % 36) as usize];
        id /= 36;
        if id == 0 {
            break;
        }
    }
    f.write_str(std::str::from_utf8(&text[at..]).unwrap_or("0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(ms: i64, node: i64) -> EventId {
        EventId((ms << ID_LOW_BITS) | node)
    }

    #[test]
    fn what_is_written_is_read_again() {
        for is_alone in [true, false] {
            let mut cursor = Cursor::default();
            for event in [id(1_000_000, 1), id(1_000_001, 2), id(1_000_002, 63)] {
                cursor.pass(event, is_alone);
                assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor.clone()));
            }
        }
        assert_eq!(Cursor::parse("0"), Some(Cursor::default()));
    }

    #[test]
    fn an_event_of_another_node_that_comes_late_was_not_seen() {
        let cursor = Cursor::at(&[id(1_000_000, 1), id(1_000_010, 2)], false);
        assert!(cursor.has_seen(id(1_000_000, 1)));
        assert!(cursor.has_seen(id(1_000_009, 2)));
        assert!(!cursor.has_seen(id(1_000_005, 1)), "the first node is only that far");
        assert!(!cursor.has_seen(id(999_999, 3)), "of a third one nothing was seen lately");
        let long_ago = 1_000_010 - limits::REALTIME_LATE_MS as i64;
        assert!(cursor.has_seen(id(long_ago, 2)));
        assert!(cursor.base() <= id(long_ago, 63));
    }

    #[test]
    fn a_node_that_was_quiet_for_long_is_left_out() {
        let later = 1_000_000 + 2 * limits::REALTIME_LATE_MS as i64;
        let cursor = Cursor::at(&[id(1_000_000, 1), id(later, 2)], false);
        assert_eq!(cursor.newest.len(), 1);
    }

    #[test]
    fn who_read_ahead_of_another_node_is_not_covered_until_that_is_seen() {
        let ahead = Cursor::at(&[id(1_000_000, 1), id(1_000_010, 2)], false);
        let mut here = Cursor::at(&[id(1_000_005, 1)], false);
        here.pass(id(1_000_020, 1), false);
        assert!(!here.covers(&ahead), "nothing of the second node");
        assert!(!ahead.covers(&here));
        here.pass(id(1_000_010, 2), false);
        assert!(here.covers(&ahead));
        assert!(here.covers(&here));
    }

    #[test]
    fn one_node_needs_one_id() {
        let cursor = Cursor::at(&[id(1_000_000, 0), id(1_000_001, 0)], true);
        assert_eq!(cursor.base(), id(1_000_001, 0));
        assert!(!cursor.to_string().contains('.'));
    }

    #[test]
    fn a_server_where_nothing_happened_yet_begins_now() {
        let now = Timestamp(1_769_853_600_000_000);
        for is_alone in [true, false] {
            let cursor = Cursor::now(&[], now, is_alone);
            assert!(!cursor.has_seen(EventId::first_at(now)), "what happens now is new");
            let hour_ago = Timestamp(now.0 - 3_600_000_000);
            assert!(cursor.has_seen(EventId::first_at(hour_ago)));
        }
    }

    #[test]
    fn nonsense_is_no_cursor() {
        for text in ["", ".", "a.", "-1", "+1", "zzzzzzzzzzzzzzzz", "1.1.1", "é", "1 "] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
