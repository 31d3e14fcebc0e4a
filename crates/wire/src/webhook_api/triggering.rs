//! Trying it out: an example notice on demand.

use confab_domain::ids::DeliveryId;
use confab_domain::json_text::JsonText;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::webhooks::event_kind::EventKind;
use serde::Serialize;
use utoipa::ToSchema;

use super::Kind;
use crate::body::Body;
use crate::fields::{Filled, Room, TriedBody};
use crate::request::request;

request! {
    /// `POST /trigger`
    pub struct TriggerFields as "Trigger" {
        /// Which webhook.
        kind: Kind, required, example = "bot";
        /// A room of the app that it is of; without one, a room that does not exist.
        room_id: Filled<Room>, optional, example = "55";
        /// What is sent, byte for byte, instead of the example: a JSON object, or its text.
        body: TriedBody, optional;
    }
}

/// An example that is wanted.
#[derive(Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Which webhook.
    pub kind: EventKind,
    /// Of which room.
    pub room: Option<RoomRef>,
    /// With which body.
    pub body: Option<JsonText>,
}

impl Trigger {
    /// Reads the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let TriggerFields { kind, room_id: room, body } = body.read()?;
        Ok(Self { kind, room, body })
    }
}

/// What a trigger brought about.
#[derive(Debug, Serialize, ToSchema)]
pub struct Triggered {
    /// The deliveries that were made, one for each endpoint.
    delivery_ids: Vec<i64>,
    /// How many listen and heard it too.
    listeners: usize,
}

/// What a trigger brought about.
pub fn triggered(deliveries: &[DeliveryId], listeners: usize) -> Triggered {
    Triggered { delivery_ids: deliveries.iter().map(|id| id.0).collect(), listeners }
}
