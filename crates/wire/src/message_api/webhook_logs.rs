//! `GET /webhook_logs` (wire facts 3.1): attempts, as clients of the message API know them.

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
use crate::reading::{Given, Reading};
use crate::request::request;
use crate::time::to_the_second;
use crate::webhook_api::deliveries::url_of;
use crate::webhook_api::masking::masked;

request! {
    /// `GET /webhook_logs`
    pub struct WebhookLogsFields {
        /// From 1.
        page: fields::PageNumber, or 1, default = || 1.into();
        /// How many attempts on a page, at most 100.
        limit: fields::PageSize, or limits::PAGE_DEFAULT, default = || limits::PAGE_DEFAULT.into();
        /// `all`; or only messages that came in by a client (`mobile`) or the message API (`rest`).
        r#type: LogKind, or LogKind::All, default = || "all".into();
    }
}

/// Which attempts are wanted, by what was sent (D-0032).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// All of them.
    All,
    /// Messages of clients.
    Mobile,
    /// Messages of the message API.
    Rest,
}

/// A page of the log.
#[derive(Debug, PartialEq, Eq)]
pub struct WebhookLogs {
    /// Which page.
    pub page: Page,
    /// Of what.
    pub kind: LogKind,
}

impl WebhookLogs {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let WebhookLogsFields { page, limit, r#type: kind } = query.read_spelled()?;
        Ok(Self { page: Page { number: page, size: limit }, kind })
    }
}

impl Field for LogKind {
    type Value = Self;

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Self> {
        match reading.filled_text(field, given)?.as_str() {
            "all" => Some(Self::All),
            "mobile" => Some(Self::Mobile),
            "rest" => Some(Self::Rest),
            _ => reading.wrong(field, "must be all, mobile or rest"),
        }
    }
}

impl LogKind {
    /// Whether a body is of this kind. Only the bot webhook says how a message came in.
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

/// One attempt.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookLog)]
pub struct WebhookLogShape<'a> {
    /// When it began.
    #[schema(example = "2026-01-31T10:00:00Z")]
    attempted_at: String,
    /// The address that it went to.
    endpoint: &'a str,
    /// What went wrong, or an empty text.
    error_message: String,
    /// The delivery that the attempt is of.
    id: i64,
    /// Whether the receiver has it.
    is_success: bool,
    /// What was sent, with keys masked.
    request_body: String,
    /// The beginning of the answer.
    response_body: String,
    /// The status of the answer; 0 if there was none.
    response_code: u16,
}

/// `{webhook_logs}`
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookLogs)]
pub struct WebhookLogList<'a> {
    /// The newest first.
    pub webhook_logs: Vec<WebhookLogShape<'a>>,
}

/// One attempt as the log shows it.
pub fn webhook_log<'a>(
    attempt: &'a Attempt,
    (delivery, endpoint): (DeliveryId, EndpointId),
    body: &str,
    endpoints: &'a [Endpoint],
) -> WebhookLogShape<'a> {
    let answer = masked(&attempt.answer).into_owned();
    // Without an answer, the words are our own about what went wrong.
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
        // Before it was recorded: the endpoint's of now.
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
    fn a_log_is_of_all_of_clients_or_of_the_message_api() {
        let read =
            |query: &str| WebhookLogs::read(&Body::from_form(query.as_bytes()).expect("a query"));
        let page = Page { number: 1, size: 20 };
        assert_eq!(read(""), Ok(WebhookLogs { page, kind: LogKind::All }));
        let page = Page { number: 3, size: 100 };
        assert_eq!(read("type=rest&page=3&limit=100").map(|it| it.page), Ok(page));
        assert!(read("type=web").is_err());
    }

    #[test]
    fn only_the_bot_webhook_says_how_a_message_came_in() {
        let mobile = r#"{"payload":{},"type":"post_comment_mobile"}"#;
        assert!(LogKind::Mobile.has(mobile) && LogKind::All.has(mobile));
        for other in [r#"{"type":"auth"}"#, "{}", "no JSON", r#"{"type":1}"#] {
            assert!(!LogKind::Rest.has(other) && LogKind::All.has(other), "{other}");
        }
        assert!(!LogKind::Rest.has(mobile));
    }
}
