//! Schema and example of every webhook, for the OpenAPI document.

use confab_domain::app::AppCode;
use confab_domain::ids::{AgentId, AppId, ChannelId, MessageId, RoomId, SessionId, UserKey};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::example_ids::ExampleIds;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use super::agent_allocation::AgentAllocationBody;
use super::bot::BotBody;
use super::channel_message::ChannelMessageBody;
use super::chat_message::ChatMessageBody;
use super::custom_button::CustomButtonBody;
use super::endpoint_state::EndpointStateBody;
use super::examples::example;
use super::logout::LogoutBody;
use super::mark_as_resolved::MarkAsResolvedBody;
use super::new_session::NewSessionBody;

/// A webhook with its description, schema and example.
pub struct DescribedWebhook {
    pub kind: EventKind,
    /// Sentence that describes when the webhook is sent.
    pub about: &'static str,
    /// Name of the body's schema.
    pub schema: String,
    pub example: Value,
}

type Schemas = Vec<(String, RefOr<Schema>)>;

/// Returns all webhooks and the schemas that they use.
pub fn described() -> (Vec<DescribedWebhook>, Schemas) {
    let mut schemas = Vec::new();
    let describe = |kind| {
        let (about, schema) = body_of(kind, &mut schemas)?;
        let body = super::body(&example(kind, &ids())?);
        let example = serde_json::from_slice(&body).expect("a body is JSON");
        Some(DescribedWebhook { kind, about, schema, example })
    };
    let webhooks = EventKind::webhooks().filter_map(describe).collect();
    (webhooks, schemas)
}

fn body_of(kind: EventKind, schemas: &mut Schemas) -> Option<(&'static str, String)> {
    Some(match kind {
        EventKind::Bot => ("A customer sent a message.", named::<BotBody<'_>>(schemas)),
        EventKind::AgentAllocation => (
            "A customer sent a message, and no agent is assigned yet.",
            named::<AgentAllocationBody<'_>>(schemas),
        ),
        EventKind::CustomButton => (
            "An admin, supervisor or agent clicked a custom button.",
            named::<CustomButtonBody<'_>>(schemas),
        ),
        EventKind::Resolved => (
            "An admin, supervisor or agent resolved a conversation.",
            named::<MarkAsResolvedBody<'_>>(schemas),
        ),
        EventKind::NewSession => (
            "A customer sent a first message, or one after the room was resolved.",
            named::<NewSessionBody<'_>>(schemas),
        ),
        EventKind::LoggedOut => (
            "An admin, supervisor or agent logged out of the dashboard.",
            named::<LogoutBody<'_>>(schemas),
        ),
        EventKind::EndpointState => (
            "An endpoint of the app started failing, was disabled, or recovered.",
            named::<EndpointStateBody<'_>>(schemas),
        ),
        EventKind::ChannelMessage => (
            "A message was sent to a customer of a custom channel.",
            named::<ChannelMessageBody<'_>>(schemas),
        ),
        EventKind::ChatMessage => {
            ("A message was posted in any room.", named::<ChatMessageBody<'_>>(schemas))
        }
        EventKind::Push
        | EventKind::ChannelEvent
        | EventKind::ChannelSend
        | EventKind::ChannelForward => return None,
    })
}

/// Adds a schema and the schemas that it uses. Returns its name.
fn named<T: ToSchema>(schemas: &mut Schemas) -> String {
    let name = T::name().into_owned();
    T::schemas(schemas);
    schemas.push((name.clone(), <T as PartialSchema>::schema()));
    name
}

fn ids() -> ExampleIds {
    ExampleIds {
        app_code: AppCode::parse("shop-1").expect("a valid code"),
        app: AppId(1),
        channel: ChannelId(42),
        room: RoomId(55),
        customer: UserKey(77),
        agent: AgentId(9),
        session: SessionId(301),
        first_message: MessageId(371),
        message: MessageId(372),
        now: Timestamp(1_769_853_600_123_456),
    }
}
