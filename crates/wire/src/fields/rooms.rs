//! Rooms.

use confab_domain::limits;
use confab_domain::rooms::room::{self, RoomRef};
use utoipa::openapi::schema::Schema;

use super::{Field, string};
use crate::reading::{Given, Reading};

/// The id of a room, or its unique id.
pub(crate) struct Room;

impl Field for Room {
    type Value = RoomRef;

    fn schema() -> Schema {
        RoomUniqueId::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<RoomRef> {
        let text = reading.key(field, given)?;
        reading.check(RoomRef::parse(field, &text))
    }
}

/// What names a room that may not be there yet; an empty text counts as missing.
pub(crate) struct RoomUniqueId;

impl Field for RoomUniqueId {
    type Value = room::RoomUniqueId;

    fn schema() -> Schema {
        string().max_length(Some(limits::ROOM_UNIQUE_ID_CHARS_MAX)).into()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Self::Value> {
        let text = reading.filled_text(field, given)?;
        reading.check(room::RoomUniqueId::parse(field, &text))
    }
}

/// `single`, `group` or `channel`; an empty text counts as missing.
pub(crate) struct RoomKind;

impl Field for RoomKind {
    type Value = room::RoomKind;

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<room::RoomKind> {
        let name = reading.filled_text(field, given)?;
        let kind = room::RoomKind::parse(&name);
        kind.or_else(|| reading.wrong(field, "must be single, group or channel"))
    }
}
