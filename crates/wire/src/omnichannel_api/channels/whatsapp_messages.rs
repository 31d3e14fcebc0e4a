//! What is answered where an app speaks with WhatsApp by itself (D-0155). What WhatsApp answers
//! itself is given on as it came; its shape stands here for the document.

use confab_domain::channels::channel_message::MessageState;
use confab_domain::channels::direct_send::DirectSend;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A message of the Cloud API, with whatever its type needs.
#[derive(Debug, ToSchema)]
pub struct WhatsappMessage {
    /// The customer's number.
    #[schema(example = "628123456789")]
    pub to: Option<String>,
    /// `text`, `template`, `image` and so on; the content stands under the same name.
    #[serde(rename = "type")]
    #[schema(example = "template")]
    pub kind: Option<String>,
    /// May be left out.
    #[schema(example = "whatsapp")]
    pub messaging_product: Option<String>,
    #[serde(flatten)]
    pub content: Map<String, Value>,
}

/// What WhatsApp answers to a message that it takes.
#[derive(Debug, Serialize, ToSchema)]
pub struct TakenMessages {
    pub contacts: Vec<TakenContact>,
    pub messages: Vec<TakenMessage>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TakenContact {
    /// As the message named them.
    pub input: String,
    /// As WhatsApp does.
    pub wa_id: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TakenMessage {
    /// What WhatsApp calls the message.
    #[schema(example = "wamid.HBgM")]
    pub id: String,
}

/// How far a message is, in the words of WhatsApp's statuses.
#[derive(Debug, Serialize, ToSchema)]
pub struct WhatsappStatus<'a> {
    pub id: &'a str,
    /// `sent`, `delivered`, `read` or `failed`
    #[schema(example = "delivered")]
    pub status: &'static str,
    /// Seconds since 1970.
    #[schema(example = "1794000000")]
    pub timestamp: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<WhatsappStatusError<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct WhatsappStatusError<'a> {
    /// WhatsApp's number of the failure.
    pub code: i64,
    /// In plain words.
    pub title: &'a str,
}

/// As it is known here.
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
