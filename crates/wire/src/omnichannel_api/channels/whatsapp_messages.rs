//! Bodies of the calls with which an app uses WhatsApp directly (D-0155). Responses of WhatsApp are
//! passed on unchanged; their types are here for the OpenAPI document only.

use confab_domain::channels::channel_message::MessageState;
use confab_domain::channels::direct_send::DirectSend;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A message of the Cloud API, with additional fields that depend on its type.
#[derive(Debug, ToSchema)]
pub struct WhatsappMessage {
    /// Phone number of the customer.
    #[schema(example = "628123456789")]
    pub to: Option<String>,
    /// `text`, `template`, `image` and so on; the content is in the field of this name.
    #[serde(rename = "type")]
    #[schema(example = "template")]
    pub kind: Option<String>,
    /// Optional.
    #[schema(example = "whatsapp")]
    pub messaging_product: Option<String>,
    #[serde(flatten)]
    pub content: Map<String, Value>,
}

/// Response of WhatsApp to an accepted message.
#[derive(Debug, Serialize, ToSchema)]
pub struct TakenMessages {
    pub contacts: Vec<TakenContact>,
    pub messages: Vec<TakenMessage>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TakenContact {
    /// Phone number as in the request.
    pub input: String,
    /// Phone number in the notation of WhatsApp.
    pub wa_id: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TakenMessage {
    /// Message id at WhatsApp.
    #[schema(example = "wamid.HBgM")]
    pub id: String,
}

/// The delivery state of a message, in the format of WhatsApp's status webhooks.
#[derive(Debug, Serialize, ToSchema)]
pub struct WhatsappStatus<'a> {
    pub id: &'a str,
    /// `sent`, `delivered`, `read` or `failed`.
    #[schema(example = "delivered")]
    pub status: &'static str,
    /// Unix time in seconds.
    #[schema(example = "1794000000")]
    pub timestamp: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<WhatsappStatusError<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct WhatsappStatusError<'a> {
    /// Error code of WhatsApp.
    pub code: i64,
    /// Description of the error.
    pub title: &'a str,
}

/// Returns the stored delivery state of a message.
pub fn whatsapp_status(sent: &DirectSend) -> WhatsappStatus<'_> {
    let code = sent.code.as_deref().and_then(|code| code.parse().ok());
    let title = sent.reason.as_deref().unwrap_or_default();
    let error = WhatsappStatusError { code: code.unwrap_or(0), title };
    let has_failed = sent.state == MessageState::Failed;
    WhatsappStatus {
        id: &sent.external_id,
        status: sent.state.as_str(),
        timestamp: (sent.at.0 / 1_000_000).to_string(),
        errors: has_failed.then_some(error).into_iter().collect(),
    }
}
