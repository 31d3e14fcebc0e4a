//! How far somebody has seen (D-0041).
//!
//! Ids made by one node become visible in their order, those of two nodes do not. So a cursor has the
//! newest id seen of each node that said something lately; of the others everything was seen that is
//! older than [`limits::REALTIME_LATE_MS`], because no commit takes that long.

use std::fmt;

use confab_domain::ids::{EventId, ID_END, ID_LOW_BITS};
use confab_domain::limits;

/// Bits of an id that name its node.
const NODE_BITS: u32 = 6;
const LATE: i64 = (limits::REALTIME_LATE_MS as i64) << ID_LOW_BITS;

/// The newest id seen of each node, greatest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Cursor(Vec<i64>);

fn node(id: i64) -> i64 {
    id & ((1 << NODE_BITS) - 1)
}

impl Cursor {
    /// Nothing later than this id was seen.
    pub(crate) fn at(id: i64) -> Self {
        Self(vec![id])
    }

    /// Reads what [`fmt::Display`] wrote.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut ids: Vec<i64> = Vec::new();
        for part in text.split('.') {
            let id = i64::from_str_radix(part, 36).ok().filter(|id| (0..ID_END).contains(id))?;
            if ids.iter().any(|other| node(*other) == node(id)) {
                return None;
            }
            ids.push(id);
        }
        ids.sort_unstable_by(|a, b| b.cmp(a));
        Some(Self(ids))
    }

    /// Takes note of an event that is shown now.
    pub(crate) fn pass(&mut self, event: EventId) {
        let id = event.0;
        match self.0.iter_mut().find(|it| node(**it) == node(id)) {
            Some(newest) => *newest = id.max(*newest),
            None => self.0.push(id),
        }
        self.0.sort_unstable_by(|a, b| b.cmp(a));
        let newest = self.newest();
        self.0.retain(|it| *it > newest - LATE);
    }

    /// Whether an event was seen.
    pub(crate) fn has_seen(&self, event: EventId) -> bool {
        let of_node = self.0.iter().find(|it| node(**it) == node(event.0));
        event.0 <= of_node.copied().unwrap_or(self.newest() - LATE)
    }

    /// Everything up to this id was seen. With one node that is the newest one.
    pub(crate) fn floor(&self, is_alone: bool) -> EventId {
        EventId(if is_alone { self.newest() } else { self.newest() - LATE }.max(0))
    }

    fn newest(&self) -> i64 {
        self.0.first().copied().unwrap_or(0)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, id) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str(".")?;
            }
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
        let mut cursor = Cursor::default();
        for event in [id(1_000_000, 1), id(1_000_001, 2), id(1_000_002, 63)] {
            cursor.pass(event);
            assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor.clone()));
        }
        assert_eq!(Cursor::parse("0"), Some(Cursor::at(0)));
    }

    #[test]
    fn an_event_of_another_node_that_comes_late_was_not_seen() {
        let mut cursor = Cursor::default();
        cursor.pass(id(1_000_000, 1));
        cursor.pass(id(1_000_010, 2));
        assert!(cursor.has_seen(id(1_000_000, 1)));
        assert!(cursor.has_seen(id(1_000_009, 2)));
        assert!(!cursor.has_seen(id(1_000_005, 1)), "the first node is only that far");
        assert!(!cursor.has_seen(id(999_999, 3)), "of a third one nothing was seen lately");
        let long_ago = 1_000_010 - limits::REALTIME_LATE_MS as i64;
        assert!(cursor.has_seen(id(long_ago, 3)));
        assert!(cursor.floor(false) <= id(long_ago, 63));
    }

    #[test]
    fn a_node_that_was_quiet_for_long_is_left_out() {
        let mut cursor = Cursor::default();
        cursor.pass(id(1_000_000, 1));
        cursor.pass(id(1_000_000 + 2 * limits::REALTIME_LATE_MS as i64, 2));
        assert_eq!(cursor.0.len(), 1);
    }

    #[test]
    fn nonsense_is_no_cursor() {
        for text in ["", ".", "a.", "-1", "zzzzzzzzzzzzzzzz", "1.1", "é", "1 "] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
