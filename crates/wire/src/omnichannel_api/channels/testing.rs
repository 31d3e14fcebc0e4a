//! Testing a channel: a made-up customer writes, or its gateway is told of an example (D-0141).

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{ChannelId, DeliveryId, RoomId};
use confab_domain::messages::message::Draft;
use confab_domain::messages::payload::Payload;
use confab_domain::people::user::{Realm, UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::support::initiating::Visitor;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::Text;
use crate::request::request;

/// Who writes, in every channel that is tested.
const CUSTOMER: &str = "channel-test";

request! {
    /// `POST /api/v2/custom_channels/{id}/test`
    pub struct TestChannelFields as "TestChannel" {
        /// `in`: a made-up customer writes; `out`: the channel's gateway is told of an example.
        direction: Text, required, example = "in";
    }
}

/// Which way a channel is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

/// Reads which way.
pub fn read_direction(body: &Body<'_>) -> Result<Direction, Refusal> {
    let TestChannelFields { direction } = body.read()?;
    match direction.as_str() {
        "in" => Ok(Direction::In),
        "out" => Ok(Direction::Out),
        _ => Err(FieldProblem::new("direction", "must be in or out").into()),
    }
}

/// The made-up customer, and what they write.
pub fn made_up(channel: ChannelId) -> (Visitor, Draft) {
    let user_id = UserId::from_stored(CUSTOMER.to_owned());
    let visitor = Visitor {
        user_id: user_id.clone(),
        name: Some("Test".to_owned()),
        avatar_url: None,
        extras: None,
        room_extras: None,
        infos: Vec::new(),
        brand: None,
    };
    let draft = Draft {
        sender: UserRef::Of(Realm::Channel(channel), user_id),
        text: "Test 1 2 3".to_owned(),
        payload: Payload::Text,
        extras: None,
        unique_id: None,
    };
    (visitor, draft)
}

/// What a test led to.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelTest {
    /// What the gateway is told with; null if somebody wrote.
    delivery_id: Option<String>,
    #[schema(example = "in")]
    direction: &'static str,
    /// Where the made-up customer wrote; null if the gateway is told.
    room_id: Option<String>,
}

/// `{test}`
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelTestBox {
    test: ChannelTest,
}

/// Somebody wrote in this room.
pub fn tested_in(room: RoomId) -> ChannelTestBox {
    let room_id = Some(room.to_string());
    ChannelTestBox { test: ChannelTest { delivery_id: None, direction: "in", room_id } }
}

/// The gateway is told by this delivery.
pub fn tested_out(delivery: DeliveryId) -> ChannelTestBox {
    let delivery_id = Some(delivery.to_string());
    ChannelTestBox { test: ChannelTest { delivery_id, direction: "out", room_id: None } }
}
