//! Test of a custom channel: a test customer posts a message, or the channel's gateway receives an
//! example (design/channels).

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{ChannelId, DeliveryId, RoomId};
use confab_domain::messages::message::Draft;
use confab_domain::messages::payload::Payload;
use confab_domain::people::user::{Realm, UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::initiating::Visitor;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::Text;
use crate::request::request;

/// User id of the test customer, which is the same in every channel.
const CUSTOMER: &str = "channel-test";

request! {
    /// Body of `POST /api/v2/custom_channels/{id}/test`.
    pub struct TestChannelFields as "TestChannel" {
        /// `in`: a test customer posts a message; `out`: the channel's gateway receives an example.
        direction: Text, required, example = "in";
    }
}

/// Direction of the test message: in from a test customer, or out to the channel's gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

/// Parses the direction of the test message.
pub fn read_direction(body: &Body<'_>) -> Result<Direction, Refusal> {
    let TestChannelFields { direction } = body.read()?;
    match direction.as_str() {
        "in" => Ok(Direction::In),
        "out" => Ok(Direction::Out),
        _ => Err(FieldProblem::new("direction", "must be in or out").into()),
    }
}

/// Returns the test customer and their message.
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

/// The result of a channel test.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelTest {
    /// Id of the delivery to the gateway; null for direction `in`.
    delivery_id: Option<String>,
    #[schema(example = "in")]
    direction: &'static str,
    /// Room id of the test customer; null for direction `out`.
    room_id: Option<String>,
}

/// Response data of a channel test.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelTestBox {
    test: ChannelTest,
}

/// Returns the result of a test with direction `in`.
pub fn tested_in(room: RoomId) -> ChannelTestBox {
    let room_id = Some(room.to_string());
    ChannelTestBox { test: ChannelTest { delivery_id: None, direction: "in", room_id } }
}

/// Returns the result of a test with direction `out`.
pub fn tested_out(delivery: DeliveryId) -> ChannelTestBox {
    let delivery_id = Some(delivery.to_string());
    ChannelTestBox { test: ChannelTest { delivery_id, direction: "out", room_id: None } }
}
