//! Requests and responses of the calls that pass an app's messages directly to WhatsApp (D-0155).
//! WhatsApp's responses are passed on unchanged; their types exist only for the OpenAPI document.

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
    /// Type of the message, such as `text`, `template` or `image`; the field with the same name has
    /// the content.
    #[serde(rename = "type")]
    #[schema(example = "template")]
    pub kind: Option<String>,
    /// May be omitted; the default is `whatsapp`.
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
    /// Phone number in WhatsApp's notation.
    pub wa_id: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TakenMessage {
    /// WhatsApp's id of the message.
    #[schema(example = "wamid.HBgM")]
    pub id: String,
}

/// The delivery state of a message, in the format of WhatsApp's status webhooks.
#[derive(Debug, Serialize, ToSchema)]
pub struct WhatsappStatus<'a> {
    pub id: &'a str,
    /// Delivery state: `sent`, `delivered`, `read` or `failed`.
    #[schema(example = "delivered")]
    pub status: &'static str,
    /// Time at which the message entered this state, as Unix time in seconds.
    #[schema(example = "1794000000")]
    pub timestamp: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<WhatsappStatusError<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct WhatsappStatusError<'a> {
    /// WhatsApp's error code.
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
