//! Kinds of fields that identify rooms.

use confab_domain::limits;
use confab_domain::rooms::room::{self, RoomRef};

use crate::fields::kind::field;
use crate::fields::shape::string;

field! {
    /// Room by its id or unique id.
    pub(crate) Room -> RoomRef, RoomUniqueId::SHAPE;
    |reading, field, given| {
        let text = reading.key(field, given)?;
        reading.check(RoomRef::parse(field, &text))
    }
}

field! {
    /// Unique id of a room that may not exist yet; an empty string counts as missing.
    pub(crate) RoomUniqueId -> room::RoomUniqueId,
        string().at_most(limits::ROOM_UNIQUE_ID_CHARS_MAX);
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        reading.check(room::RoomUniqueId::parse(field, &text))
    }
}

field! {
    /// Room type: `single`, `group` or `channel`; an empty string counts as missing.
    pub(crate) RoomKind -> room::RoomKind;
    |reading, field, given| {
        let name = reading.filled_text(field, given)?;
        let kind = room::RoomKind::parse(&name);
        kind.or_else(|| reading.wrong(field, "must be single, group or channel"))
    }
}
