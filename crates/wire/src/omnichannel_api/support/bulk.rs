//! Bulk actions on conversations; each conversation succeeds or fails by itself.

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AgentId, RoomId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::shape::{Items, list};
use crate::fields::{Id, Label, NonEmpty, Short, Text, field, integers};
use crate::request::request;

request! {
    /// Body of `POST /api/v2/customer_rooms/bulk`.
    pub struct BulkFields as "BulkDeed" {
        /// Ids of customer rooms; duplicates are ignored.
        room_ids: RoomIds, required;
        /// Action: `assign`, `resolve`, `tag` or `untag`.
        deed: Text, required, example = "resolve";
        /// Id of the agent to assign.
        agent_id: NonEmpty<Id>, optional;
        /// Resolution notes.
        notes: NonEmpty<Short<{ limits::INFO_CHARS_MAX }>>, optional;
        /// Tag to add or remove.
        tag: Label<{ limits::LABEL_CHARS_MAX }>, optional;
    }
}

field! {
    /// A list of room ids, at most `limits::BULK_ROOMS_MAX`.
    RoomIds -> Vec<i64>,
        list(Items::Texts).at_most(limits::BULK_ROOMS_MAX);
    |reading, field, given| {
        let texts = reading.keys(field, given)?;
        if texts.len() > limits::BULK_ROOMS_MAX {
            let max = limits::BULK_ROOMS_MAX;
            return reading.wrong(field, format!("must have at most {max} items"));
        }
        integers(reading, field, &texts)
    }
}

/// An action on each conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BulkAction {
    Assign(AgentId),
    /// Resolves the conversation with these notes.
    Resolve(Option<String>),
    Tag(String),
    Untag(String),
}

/// A bulk action and the rooms to apply it to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bulk {
    pub rooms: Vec<RoomId>,
    pub deed: BulkAction,
}

impl Bulk {
    /// Parses the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let BulkFields { room_ids, deed, agent_id, notes, tag } = body.read()?;
        let needed = |field: &str| Refusal::from(FieldProblem::new(field, "is required"));
        let deed = match deed.as_str() {
            "assign" => BulkAction::Assign(AgentId(agent_id.ok_or_else(|| needed("agent_id"))?)),
            "resolve" => BulkAction::Resolve(notes),
            "tag" => BulkAction::Tag(tag.ok_or_else(|| needed("tag"))?),
            "untag" => BulkAction::Untag(tag.ok_or_else(|| needed("tag"))?),
            _ => {
                let problem = "must be one of assign, resolve, tag, untag";
                return Err(FieldProblem::new("deed", problem).into());
            }
        };
        let mut rooms: Vec<RoomId> = Vec::new();
        for room in room_ids.into_iter().map(RoomId) {
            if !rooms.contains(&room) {
                rooms.push(room);
            }
        }
        Ok(Self { rooms, deed })
    }
}

/// The result of a bulk action for one room.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkResult {
    pub is_done: bool,
    pub room_id: String,
    /// Reason for the failure; null if the action succeeded.
    pub why: Option<String>,
}

/// Response data of a bulk action.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkResults {
    /// Results in the order of `room_ids`.
    pub rooms: Vec<BulkResult>,
}
