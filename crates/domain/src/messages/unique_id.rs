//! Unique ids: strings that name a message in its app (D-0002).

use std::fmt;

use crate::field_problem::FieldProblem;
use crate::ids::{ID_END, ID_EPOCH_MS, ID_LOW_BITS, MessageId, RoomId};
use crate::limits;

/// A message's unique id, given by the client or derived by the server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UniqueId(String);

const TAG_BITS: u32 = 9;
const TAG_MASK: u64 = (1 << TAG_BITS) - 1;
const LOW_MASK: i64 = (1 << ID_LOW_BITS) - 1;

impl UniqueId {
    /// Parses an id from a client: 1 to 128 characters without control characters.
    pub fn parse(field: &str, text: &str) -> Result<Self, FieldProblem> {
        Self::parse_up_to(field, text, limits::UNIQUE_ID_CHARS_MAX)
    }

    /// Parses the unique id of a message that another server stored. It may be longer than a
    /// client's unique id, because a broadcast appends the receiver's id.
    pub fn parse_stored(field: &str, text: &str) -> Result<Self, FieldProblem> {
        Self::parse_up_to(field, text, limits::STORED_UNIQUE_ID_CHARS_MAX)
    }

    fn parse_up_to(field: &str, text: &str, chars_max: usize) -> Result<Self, FieldProblem> {
        if text.is_empty() {
            return Err(FieldProblem::new(field, "must not be empty"));
        }
        if text.chars().count() > chars_max {
            let problem = format!("must have at most {chars_max} characters");
            return Err(FieldProblem::new(field, problem));
        }
        if text.chars().any(char::is_control) {
            return Err(FieldProblem::new(field, "must not contain control characters"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Wraps an id from the store without checking it.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Derives the unique id of a message whose client chose none: a UUID v7 that encodes the room
    /// id and the message id, so that it can be resolved without a column or index.
    pub fn of(room: RoomId, message: MessageId) -> Self {
        let ms = ((message.0 >> ID_LOW_BITS) + ID_EPOCH_MS) as u64;
        let low = (message.0 & LOW_MASK) as u64;
        let high_half = (ms << 16) | 0x7000 | low;
        let low_half = (0b10 << 62) | ((room.0 as u64) << TAG_BITS) | tag(room, message);
        Self(hyphenated(high_half, low_half))
    }

    /// Returns the room and message that a derived id encodes; `None` for any other text.
    pub fn place(&self) -> Option<(RoomId, MessageId)> {
        let (high_half, low_half) = halves(&self.0)?;
        if (high_half >> 12) & 0xf != 7 || low_half >> 62 != 0b10 {
            return None;
        }
        let ms = (high_half >> 16) as i64 - ID_EPOCH_MS;
        if !(0..ID_END >> ID_LOW_BITS).contains(&ms) {
            return None;
        }
        let message = MessageId((ms << ID_LOW_BITS) | (high_half as i64 & LOW_MASK));
        let room = RoomId(((low_half & !(0b11 << 62)) >> TAG_BITS) as i64);
        (low_half & TAG_MASK == tag(room, message)).then_some((room, message))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns a checksum by which most UUIDs that were not derived here are recognized without a
/// lookup. It does not protect against forged ids.
fn tag(room: RoomId, message: MessageId) -> u64 {
    let mixed =
        (room.0 as u64 ^ (message.0 as u64).rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed >> (64 - TAG_BITS)
}

/// Formats a UUID. It must be fast, because each message of a page needs one.
fn hyphenated(high: u64, low: u64) -> String {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    const PLACES: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
    let mut text = [b'-'; 36];
    let bytes = (u128::from(high) << 64 | u128::from(low)).to_be_bytes();
    for (byte, at) in bytes.into_iter().zip(PLACES) {
        text[at] = HEX[usize::from(byte >> 4)];
        text[at + 1] = HEX[usize::from(byte & 0xf)];
    }
    String::from_utf8(text.to_vec()).expect("digits and hyphens are UTF-8")
}

fn halves(text: &str) -> Option<(u64, u64)> {
    let bytes = text.as_bytes();
    if bytes.len() != 36 {
        return None;
    }
    let (mut all, mut digits) = (0u128, 0);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 8 | 13 | 18 | 23) {
            if *byte != b'-' {
                return None;
            }
            continue;
        }
        if byte.is_ascii_uppercase() {
            return None;
        }
        all = all << 4 | u128::from((*byte as char).to_digit(16)?);
        digits += 1;
    }
    (digits == 32).then_some(((all >> 64) as u64, all as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_derived_id_encodes_its_room_and_message() {
        for (room, message) in [(1, 1), (ID_END - 1, ID_END - 1), (55, 4096), (7, 4095)] {
            let id = UniqueId::of(RoomId(room), MessageId(message));
            assert_eq!(id.place(), Some((RoomId(room), MessageId(message))), "{id}");
        }
    }

    #[test]
    fn a_derived_id_is_a_uuid_version_7() {
        let text = UniqueId::of(RoomId(55), MessageId(123_456_789)).to_string();
        assert_eq!(text.len(), 36);
        assert_eq!(&text[14..15], "7");
        assert!("89ab".contains(&text[19..20]), "{text}");
    }

    #[test]
    fn unique_ids_of_clients_encode_no_room_and_no_message() {
        let ours = UniqueId::of(RoomId(55), MessageId(123_456_789)).to_string();
        let changed = format!("{}0", &ours[..35]);
        let texts = ["x", "", "018f2f1e-7c1a-7000-8000-000000000000", &ours.to_uppercase()];
        for text in texts.into_iter().chain((changed != ours).then_some(changed.as_str())) {
            assert_eq!(UniqueId(text.to_owned()).place(), None, "{text}");
        }
    }
}
