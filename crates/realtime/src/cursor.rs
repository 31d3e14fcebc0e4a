//! Cursors: positions in the event streams of all nodes, from which a client resumes (D-0041).
//!
//! Event ids of one node become visible in order; ids of different nodes do not. A cursor therefore
//! holds the newest seen id of each recently active node, and a base: all ids up to the base count
//! as seen. The base is [`limits::REALTIME_LATE_MS`] behind the newest seen id, because no commit
//! takes longer. On a single node, the base is the newest id, and the cursor holds nothing else.
//!
//! If a node's clock runs ahead, its ids are from the future. They advance only the position of
//! that node: the base never passes the clock that all nodes share ([`Horizon`], D-0041).

use std::fmt;

use confab_domain::ids::{EventId, ID_END, ID_LOW_BITS};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_store::NewestEvents;

/// Number of bits of an id that hold its node.
const NODE_BITS: u32 = 6;
const LATE: i64 = (limits::REALTIME_LATE_MS as i64) << ID_LOW_BITS;
const AHEAD_US: i64 = limits::REALTIME_AHEAD_MS as i64 * 1_000;

/// The time up to which event ids are plausible. Later ids are from a node whose clock runs ahead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Horizon {
    /// Whether this server runs without other nodes. If so, each new id is greater than all earlier
    /// ids, regardless of the clock.
    pub(crate) is_alone: bool,
    /// Current time of the clock that all nodes share.
    pub(crate) now: Timestamp,
}

impl Horizon {
    /// Whether an id is plausible, that is, not from the future.
    pub(crate) fn reaches(self, id: EventId) -> bool {
        id.0 <= latest(self.now, 1)
    }

    /// Returns the least base of a cursor that has passed this id.
    fn base_after(self, id: i64) -> i64 {
        if self.is_alone { id } else { id.min(latest(self.now, 1)) - LATE }
    }

    /// Returns the greatest base that a valid cursor can have, with tolerance for clock
    /// differences.
    fn base_max(self) -> i64 {
        if self.is_alone { latest(self.now, 1) } else { latest(self.now, 2) - LATE }
    }
}

/// Returns the first event id of a time that is `times` times the tolerated clock difference after
/// `now`.
fn latest(now: Timestamp, times: i64) -> i64 {
    EventId::first_at(Timestamp(now.0 + times * AHEAD_US)).0
}

/// A position in the event streams of all nodes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cursor {
    base: i64,
    /// Newest seen id of each node, unless the base covers it.
    newest: Vec<i64>,
}

fn node(id: i64) -> i64 {
    id & ((1 << NODE_BITS) - 1)
}

impl Cursor {
    /// Returns the cursor that has passed these ids.
    fn at(newest: impl IntoIterator<Item = EventId>, horizon: Horizon) -> Self {
        let mut cursor = Self::default();
        newest.into_iter().for_each(|id| cursor.pass(id, horizon));
        cursor
    }

    /// Returns a cursor that has passed these ids and whose base is at least
    /// [`limits::REALTIME_LATE_MS`] before the current time. Without other nodes, the base is the
    /// current time.
    pub(crate) fn now(newest: impl IntoIterator<Item = EventId>, horizon: Horizon) -> Self {
        let mut cursor = Self::at(newest, horizon);
        let late_us = if horizon.is_alone { 0 } else { limits::REALTIME_LATE_MS as i64 * 1_000 };
        // New ids are never less than this one.
        let first = EventId::first_at(Timestamp(horizon.now.0 - late_us)).0;
        cursor.base = cursor.base.max(first - 1);
        cursor.newest.retain(|it| *it > cursor.base);
        cursor
    }

    /// Parses the text form that [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
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

    /// Advances the cursor past an event.
    pub(crate) fn pass(&mut self, event: EventId, horizon: Horizon) {
        let id = event.0;
        if !horizon.is_alone {
            match self.newest.iter_mut().find(|it| node(**it) == node(id)) {
                Some(newest) => *newest = id.max(*newest),
                None => self.newest.push(id),
            }
        }
        self.base = self.base.max(horizon.base_after(id));
        let base = self.base;
        self.newest.retain(|it| *it > base);
    }

    /// Whether all positions of the cursor are plausible by the shared clock.
    pub(crate) fn is_within(&self, horizon: Horizon) -> bool {
        let ids = self.newest.iter().chain([&self.base]);
        self.base <= horizon.base_max() && ids.copied().all(|id| horizon.reaches(EventId(id)))
    }

    /// Whether the cursor is ahead of all stored events. Its client would receive nothing until the
    /// nodes' event ids catch up with it.
    pub(crate) fn is_ahead_of(&self, stored: &NewestEvents, horizon: Horizon) -> bool {
        if horizon.is_alone {
            return stored.ids().all(|id| self.base > id.0);
        }
        let is_stored = |id: &i64| {
            let mut of_node = stored.ids().filter(|newest| newest.node() == node(*id));
            of_node.any(|newest| *id <= newest.0)
        };
        self.base > horizon.base_max() || !self.newest.iter().all(is_stored)
    }

    /// Whether the cursor has passed an event.
    pub(crate) fn has_seen(&self, event: EventId) -> bool {
        let of_node = self.newest.iter().find(|it| node(**it) == node(event.0));
        event.0 <= of_node.copied().unwrap_or(0).max(self.base)
    }

    /// Whether this cursor has passed everything that the other one has passed.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let has_newest = other.newest.iter().all(|id| self.has_seen(EventId(*id)));
        has_newest && self.base >= other.base
    }

    /// Returns the id up to which events of all nodes count as seen.
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

    /// A time after all ids of these tests, unless a test states another time.
    const LATER: Horizon = Horizon { is_alone: false, now: Timestamp(4_102_444_800_000_000) };
    const ALONE: Horizon = Horizon { is_alone: true, ..LATER };

    fn id(ms: i64, node: i64) -> EventId {
        EventId((ms << ID_LOW_BITS) | node)
    }

    /// Returns the horizon at a number of milliseconds after the first id.
    fn clock(ms: i64) -> Horizon {
        Horizon { is_alone: false, now: id(ms, 0).made_at() }
    }

    #[test]
    fn a_formatted_cursor_parses_to_the_same_cursor() {
        for horizon in [ALONE, LATER] {
            let mut cursor = Cursor::default();
            for event in [id(1_000_000, 1), id(1_000_001, 2), id(1_000_002, 63)] {
                cursor.pass(event, horizon);
                assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor.clone()));
            }
        }
        assert_eq!(Cursor::parse("0"), Some(Cursor::default()));
    }

    #[test]
    fn a_late_event_of_another_node_is_not_seen() {
        let cursor = Cursor::at([id(1_000_000, 1), id(1_000_010, 2)], LATER);
        assert!(cursor.has_seen(id(1_000_000, 1)));
        assert!(cursor.has_seen(id(1_000_009, 2)));
        assert!(!cursor.has_seen(id(1_000_005, 1)), "a later event of the first node is not seen");
        assert!(!cursor.has_seen(id(999_999, 3)), "no event of a third node is seen");
        let long_ago = 1_000_010 - limits::REALTIME_LATE_MS as i64;
        assert!(cursor.has_seen(id(long_ago, 2)));
        assert!(cursor.base() <= id(long_ago, 63));
    }

    #[test]
    fn a_node_without_recent_events_is_omitted_from_a_cursor() {
        let later = 1_000_000 + 2 * limits::REALTIME_LATE_MS as i64;
        let cursor = Cursor::at([id(1_000_000, 1), id(later, 2)], LATER);
        assert_eq!(cursor.newest.len(), 1);
    }

    #[test]
    fn a_cursor_covers_another_only_after_it_has_seen_all_of_its_nodes() {
        let ahead = Cursor::at([id(1_000_000, 1), id(1_000_010, 2)], LATER);
        let mut here = Cursor::at([id(1_000_005, 1)], LATER);
        here.pass(id(1_000_020, 1), LATER);
        assert!(!here.covers(&ahead), "no event of the second node is seen");
        assert!(!ahead.covers(&here));
        here.pass(id(1_000_010, 2), LATER);
        assert!(here.covers(&ahead));
        assert!(here.covers(&here));
    }

    #[test]
    fn a_cursor_of_a_single_node_contains_one_id() {
        let cursor = Cursor::at([id(1_000_000, 0), id(1_000_001, 0)], ALONE);
        assert_eq!(cursor.base(), id(1_000_001, 0));
        assert!(!cursor.to_string().contains('.'));
    }

    #[test]
    fn a_cursor_without_events_starts_now() {
        let now = Timestamp(1_769_853_600_000_000);
        for is_alone in [true, false] {
            let cursor = Cursor::now([], Horizon { is_alone, now });
            assert!(!cursor.has_seen(EventId::first_at(now)), "a new event is not seen");
            let hour_ago = Timestamp(now.0 - 3_600_000_000);
            assert!(cursor.has_seen(EventId::first_at(hour_ago)));
        }
    }

    #[test]
    fn a_future_id_counts_for_its_own_node_only() {
        let (now_ms, hour_ms) = (10_000_000, 3_600_000);
        let mut cursor = Cursor::now([], clock(now_ms));
        cursor.pass(id(now_ms + hour_ms, 1), clock(now_ms));
        assert!(cursor.has_seen(id(now_ms + hour_ms, 1)));
        assert!(!cursor.has_seen(id(now_ms, 2)), "events of another node are unaffected");
        assert!(
            !cursor.has_seen(id(now_ms - 1_000, 3)),
            "a slow commit of another node is unseen, too"
        );
        let stored = |id: EventId| NewestEvents { of_nodes: vec![(id.node(), id)], now: None };
        let (there, later) = (id(now_ms + hour_ms, 1), id(now_ms + hour_ms - 1, 1));
        assert!(!cursor.is_within(clock(now_ms)), "the cursor is ahead of the clock");
        assert!(!cursor.is_ahead_of(&stored(there), clock(now_ms)));
        assert!(cursor.is_ahead_of(&stored(later), clock(now_ms)));
        assert!(cursor.is_ahead_of(&stored(id(now_ms + hour_ms, 2)), clock(now_ms)));
    }

    #[test]
    fn a_cursor_with_a_future_base_is_ahead_of_any_store() {
        let now_ms = 10_000_000;
        let stored = NewestEvents { of_nodes: vec![(1, id(now_ms, 1))], now: None };
        let cursor = |ms| Cursor { base: id(ms, 0).0, newest: Vec::new() };
        let late_ms = limits::REALTIME_LATE_MS as i64;
        for (ms, is_ahead) in [(-late_ms, false), (1, true), (3_600_000, true)] {
            let cursor = cursor(now_ms + ms);
            assert_eq!(cursor.is_ahead_of(&stored, clock(now_ms)), is_ahead, "{ms}");
            assert_eq!(cursor.is_within(clock(now_ms)), !is_ahead, "{ms}");
        }
        assert!(cursor(now_ms + 1).is_ahead_of(&stored, ALONE));
        assert!(!cursor(now_ms).is_ahead_of(&stored, ALONE));
    }

    #[test]
    fn invalid_text_is_not_parsed_as_a_cursor() {
        for text in ["", ".", "a.", "-1", "+1", "zzzzzzzzzzzzzzzz", "1.1.1", "é", "1 "] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
