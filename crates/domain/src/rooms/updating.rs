//! The rule that changes a room's name, picture and options (wire facts 3.2).

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::{Change, RoomChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomKind, RoomRef};

/// Changes of a room. Fields that are `None` keep their value.
#[derive(Debug, Clone, Default)]
pub struct RoomEdit {
    pub name: Option<String>,
    /// URL of a picture.
    pub avatar_url: Option<String>,
    /// Text that the app stores with the room, usually JSON.
    pub options: Option<String>,
}

/// Updates a group room. The outcome states whether anything changed.
pub struct UpdateRoom {
    pub room: RoomRef,
    pub edit: RoomEdit,
}

impl Rule for UpdateRoom {
    type Outcome = (bool, Arc<Room>);

    fn question(&self, _: &App) -> Question {
        Question { rooms: vec![self.room.clone()], ..Question::default() }
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        update(facts, &self.room, &self.edit, stamp)
    }
}

pub(crate) fn update(
    facts: &Facts,
    room: &RoomRef,
    edit: &RoomEdit,
    stamp: &Stamp<'_>,
) -> Result<Decision<(bool, Arc<Room>)>, Refusal> {
    let before = &facts.room(room)?.room;
    if before.kind != RoomKind::Group {
        return Err(Refusal::WrongRoomKind {
            room: room.shown(),
            kind: before.kind.as_str(),
            wanted: "group",
        });
    }
    let mut after = Room::clone(before);
    after.name = edit.name.clone().unwrap_or(after.name);
    after.avatar_url = edit.avatar_url.clone().unwrap_or(after.avatar_url);
    after.options = edit.options.clone().unwrap_or(after.options);
    if after == **before {
        return Ok(Decision::nothing((false, before.clone())));
    }
    after.updated_at = stamp.now;
    let changes = vec![Change::Room(RoomChange::Update(after.clone()))];
    Ok(Decision::new(changes, (true, Arc::new(after))))
}
