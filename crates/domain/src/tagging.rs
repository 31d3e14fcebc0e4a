//! Tagging: words that dashboard users put on a customer's room.

use crate::allocating;
use crate::app::DashboardUser;
use crate::decision::{Decision, Facts, Question, Stamp};
use crate::ids::{RoomId, TagId};
use crate::limits;
use crate::notice::Tag;
use crate::omnichannel::OmniChange;
use crate::refusal::Refusal;
use crate::serving::{Desk, Serving};

/// What the rules here want to know.
pub fn question(desk: &Desk<'_>, room: RoomId) -> Question {
    allocating::question(desk, room, &[])
}

/// Puts a tag on a room; one that is there stays as it is. `by` is nobody if the app asks.
pub fn add(
    desk: &Desk<'_>,
    facts: &Facts,
    room: RoomId,
    name: &str,
    by: Option<&DashboardUser>,
    stamp: &Stamp<'_>,
) -> Result<Decision<()>, Refusal> {
    let serving = Serving::of(desk, facts, room, stamp)?;
    by.map_or(Ok(()), |by| serving.must_be_open_to_role(by))?;
    let tags = &serving.before.tags;
    if tags.iter().any(|tag| tag.name == name) {
        return Ok(Decision::nothing(()));
    }
    if tags.len() >= limits::ROOM_TAGS_MAX {
        return Err(Refusal::TooMany { what: "tags on a room", max: limits::ROOM_TAGS_MAX });
    }
    // Only if the app does not have the tag yet is it given this integer.
    let tag = Tag { id: TagId(stamp.next_id()), name: name.to_owned() };
    Ok(Decision { changes: vec![OmniChange::AddTag { room, tag }.into()], outcome: () })
}

/// Takes a tag off a room.
pub fn remove(
    desk: &Desk<'_>,
    facts: &Facts,
    room: RoomId,
    tag: TagId,
    by: Option<&DashboardUser>,
    stamp: &Stamp<'_>,
) -> Result<Decision<()>, Refusal> {
    let serving = Serving::of(desk, facts, room, stamp)?;
    by.map_or(Ok(()), |by| serving.must_be_open_to_role(by))?;
    if !serving.before.tags.iter().any(|it| it.id == tag) {
        return Err(Refusal::TagNotFound { tag: tag.0, room: room.to_string() });
    }
    Ok(Decision { changes: vec![OmniChange::RemoveTag { room, tag }.into()], outcome: () })
}
