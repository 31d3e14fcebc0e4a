//! The endpoint state webhook, which is specific to Confab (design/webhooks): an endpoint failed or
//! recovered.

use confab_domain::webhooks::event::{EndpointStateChanged, EndpointTransition};
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_microsecond;

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpointStateBody)]
pub(super) struct EndpointStateBody<'a> {
    payload: EndpointStatePayload<'a>,
    r#type: &'static str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpointStatePayload)]
struct EndpointStatePayload<'a> {
    action: &'static str,
    app_code: &'a str,
    delivery_id: Option<i64>,
    failing_since: Option<String>,
    timestamp: String,
    webhook_kind: &'static str,
    webhook_url: &'a str,
}

impl<'a> From<&'a EndpointStateChanged> for EndpointStateBody<'a> {
    fn from(turned: &'a EndpointStateChanged) -> Self {
        let delivery_id = match turned.turn {
            EndpointTransition::Exhausted(delivery) => Some(delivery.0),
            _ => None,
        };
        let payload = EndpointStatePayload {
            action: turned.turn.as_str(),
            app_code: turned.app.as_str(),
            delivery_id,
            failing_since: turned.failing_since.map(to_the_microsecond),
            timestamp: to_the_microsecond(turned.at),
            webhook_kind: turned.kind.as_str(),
            webhook_url: &turned.url,
        };
        Self { payload, r#type: "endpoint_state" }
    }
}
