//! Trying it out: an example notice on demand.

use confab_domain::ids::DeliveryId;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::webhooks::notice_kind::NoticeKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::read_kind;
use crate::body::Body;
use crate::reading::{Given, Reading};

/// `POST /trigger`
#[derive(Deserialize, ToSchema)]
#[schema(as = Trigger)]
pub struct TriggerFields<'a> {
    /// Which webhook.
    #[schema(value_type = String, required = true, example = "bot")]
    #[serde(borrow, default)]
    kind: Given<'a>,
    /// A room of the app that it is of; without one, a room that does not exist.
    #[schema(value_type = Option<String>, example = "55")]
    #[serde(default)]
    room_id: Given<'a>,
}

/// An example that is wanted.
#[derive(Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Which webhook.
    pub kind: NoticeKind,
    /// Of which room.
    pub room: Option<RoomRef>,
}

impl Trigger {
    /// Reads the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: TriggerFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let kind = read_kind(&mut reading, fields.kind);
        let kind = reading.needed("kind", kind);
        let room = reading.key("room_id", fields.room_id).filter(|text| !text.is_empty());
        let room = room.and_then(|text| reading.check(RoomRef::parse("room_id", &text)));
        let Some(kind) = kind else { return Err(reading.refusal()) };
        reading.finish()?;
        Ok(Self { kind, room })
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
