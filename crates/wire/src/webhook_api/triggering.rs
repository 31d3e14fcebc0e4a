//! Triggering of example webhooks.

use confab_domain::ids::DeliveryId;
use confab_domain::json_text::JsonText;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::webhooks::event_kind::EventKind;
use serde::Serialize;
use utoipa::ToSchema;

use super::Kind;
use crate::body::Body;
use crate::fields::{NonEmpty, Room, TriedBody};
use crate::request::request;

request! {
    /// Body of `POST /trigger`.
    pub struct TriggerFields as "Trigger" {
        /// Kind of webhook to send.
        kind: Kind, required, example = "bot";
        /// Room of the example; if absent, a room that does not exist.
        room_id: NonEmpty<Room>, optional, example = "55";
        /// Body to send unchanged instead of the example: a JSON object, or a string that contains
        /// one.
        body: TriedBody, optional;
    }
}

/// A request to send an example webhook.
#[derive(Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Kind of webhook.
    pub kind: EventKind,
    /// Room of the example.
    pub room: Option<RoomRef>,
    /// Body to send instead of the example.
    pub body: Option<JsonText>,
}

impl Trigger {
    /// Parses the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let TriggerFields { kind, room_id: room, body } = body.read()?;
        Ok(Self { kind, room, body })
    }
}

/// Response data of a triggered example.
#[derive(Debug, Serialize, ToSchema)]
pub struct TriggeredExample {
    /// Ids of the created deliveries, one per endpoint.
    delivery_ids: Vec<i64>,
    /// Number of waiting `GET /listen` calls that receive the example; 1 if none is waiting but one
    /// ended within the last minute.
    listeners: usize,
}

/// Returns the response data of a triggered example.
pub fn triggered(deliveries: &[DeliveryId], listeners: usize) -> TriggeredExample {
    TriggeredExample { delivery_ids: deliveries.iter().map(|id| id.0).collect(), listeners }
}
