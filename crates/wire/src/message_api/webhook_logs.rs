//! `GET /webhook_logs` (wire facts 3.1): delivery attempts in the format of the message API.

use confab_domain::ids::{DeliveryId, EndpointId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::delivery::Attempt;
use confab_domain::webhooks::endpoint::Endpoint;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Page;
use crate::body::Body;
use crate::fields;
use crate::fields::kind::Field;
use crate::reading::{FieldJson, FieldReader};
use crate::request::request;
use crate::time::to_the_second;
use crate::webhook_api::deliveries::url_of;
use crate::webhook_api::masking::masked;

request! {
    /// Query of `GET /webhook_logs`.
    pub struct WebhookLogsFields {
        /// Page number, from 1.
        page: fields::PageNumber, or 1, default = || 1.into();
        /// Attempts per page, at most 100.
        limit: fields::PageSize, or limits::PAGE_DEFAULT, default = || limits::PAGE_DEFAULT.into();
        /// Attempts to return: `all`, or only those for messages that were posted by clients
        /// (`mobile`) or through the message API (`rest`).
        r#type: LogKind, or LogKind::All, default = || "all".into();
    }
}

/// Filter for delivery attempts by the source of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// All attempts.
    All,
    /// Attempts for messages that clients posted.
    Mobile,
    /// Attempts for messages that were posted through the message API.
    Rest,
}

/// A request for one page of the webhook log.
#[derive(Debug, PartialEq, Eq)]
pub struct WebhookLogs {
    pub page: Page,
    pub kind: LogKind,
}

impl WebhookLogs {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let WebhookLogsFields { page, limit, r#type: kind } = query.read_spelled()?;
        Ok(Self { page: Page { number: page, size: limit }, kind })
    }
}

impl Field for LogKind {
    type Value = Self;

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<Self> {
        match reading.filled_text(field, given)?.as_str() {
            "all" => Some(Self::All),
            "mobile" => Some(Self::Mobile),
            "rest" => Some(Self::Rest),
            _ => reading.wrong(field, "must be all, mobile or rest"),
        }
    }
}

impl LogKind {
    /// Whether a webhook body matches the filter. Only bodies of the bot webhook name the source of
    /// a message.
    pub fn has(self, body: &str) -> bool {
        #[derive(Deserialize)]
        struct Typed {
            r#type: String,
        }
        let wanted = match self {
            Self::All => return true,
            Self::Mobile => "post_comment_mobile",
            Self::Rest => "post_comment_rest",
        };
        serde_json::from_str::<Typed>(body).is_ok_and(|body| body.r#type == wanted)
    }
}

/// An attempt to deliver a webhook.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookLog)]
pub struct WebhookLogShape<'a> {
    /// Start of the attempt.
    #[schema(example = "2026-01-31T10:00:00Z")]
    attempted_at: String,
    /// URL to which the webhook was sent.
    endpoint: &'a str,
    /// Cause of the failure; empty if the attempt succeeded.
    error_message: String,
    /// Id of the delivery, which all of its attempts share.
    id: i64,
    /// Whether the receiver accepted the delivery.
    is_success: bool,
    /// Body of the request, with secret keys masked.
    request_body: String,
    /// Beginning of the response body.
    response_body: String,
    /// HTTP status of the response; 0 without a response.
    response_code: u16,
}

/// The `results` object of `webhook_logs`.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookLogs)]
pub struct WebhookLogList<'a> {
    /// Attempts, newest first.
    pub webhook_logs: Vec<WebhookLogShape<'a>>,
}

/// Returns an attempt as a log entry.
pub fn webhook_log<'a>(
    attempt: &'a Attempt,
    (delivery, endpoint): (DeliveryId, EndpointId),
    body: &str,
    endpoints: &'a [Endpoint],
) -> WebhookLogShape<'a> {
    let answer = masked(&attempt.answer).into_owned();
    // Without a response, `answer` is our own description of the failure.
    let (response_body, words) = match attempt.status {
        Some(_) => (answer, String::new()),
        None => (String::new(), answer),
    };
    let error_message = match attempt.error {
        None => String::new(),
        Some(class) if words.is_empty() => class.as_str().to_owned(),
        Some(class) => format!("{}: {words}", class.as_str()),
    };
    WebhookLogShape {
        attempted_at: to_the_second(attempt.at),
        // Old attempts have no recorded URL; show the endpoint's current one.
        endpoint: attempt.url.as_deref().unwrap_or_else(|| url_of(endpoint, endpoints)),
        error_message,
        id: delivery.0,
        is_success: attempt.error.is_none(),
        request_body: masked(body).into_owned(),
        response_body,
        response_code: attempt.status.unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_webhook_log_is_paged_and_refuses_unknown_types() {
        let read =
            |query: &str| WebhookLogs::read(&Body::from_form(query.as_bytes()).expect("a query"));
        let page = Page { number: 1, size: 20 };
        assert_eq!(read(""), Ok(WebhookLogs { page, kind: LogKind::All }));
        let page = Page { number: 3, size: 100 };
        assert_eq!(read("type=rest&page=3&limit=100").map(|it| it.page), Ok(page));
        assert!(read("type=web").is_err());
    }

    #[test]
    fn the_webhook_log_filters_bodies_by_their_message_source() {
        let mobile = r#"{"payload":{},"type":"post_comment_mobile"}"#;
        assert!(LogKind::Mobile.has(mobile) && LogKind::All.has(mobile));
        for other in [r#"{"type":"auth"}"#, "{}", "no JSON", r#"{"type":1}"#] {
            assert!(!LogKind::Rest.has(other) && LogKind::All.has(other), "{other}");
        }
        assert!(!LogKind::Rest.has(mobile));
    }
}
