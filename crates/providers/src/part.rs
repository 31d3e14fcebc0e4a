//! Parts of a message to a customer. Each becomes one delivery whose body is the part as JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::buttons::PartButton;
use super::provider_event::{ExternalId, SendTag};

/// A part of a message to a customer that fits into one message of the provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub room: i64,
    pub message: i64,
    /// Position among the parts of the message, from 0.
    pub place: u32,
    /// Whether a staff member wrote the message, not a bot.
    pub is_by_person: bool,
    /// Confab's id of the message to which this message replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<i64>,
    #[serde(flatten)]
    pub say: PartContent,
}

/// Content of a part, within the limits of its provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum PartContent {
    Text {
        text: String,
    },
    File {
        url: String,
        name: String,
        mime_type: String,
        caption: String,
    },
    Buttons {
        text: String,
        /// URL of a picture above the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        image: Option<String>,
        buttons: Vec<PartButton>,
    },
    Location {
        latitude: f64,
        longitude: f64,
        name: String,
        address: String,
    },
    /// Contact with a phone number.
    Phone {
        name: String,
        number: String,
    },
    /// An approved template, in the format of the provider's API.
    Template {
        template: Value,
    },
    /// New text of a sent message.
    Edit {
        text: String,
    },
    /// Deletion of a sent message.
    Delete,
    /// Content that the provider cannot show: `steps` refuses it with this reason.
    Unsayable {
        why: String,
    },
}

impl Part {
    /// Parses the stored body of a delivery; `None` if it is malformed.
    pub fn open(body: &str) -> Option<Self> {
        serde_json::from_str(body).ok()
    }

    /// Serializes the part as the body of its delivery.
    pub fn frozen(&self) -> String {
        serde_json::to_string(self).expect("all keys are strings and all numbers are finite")
    }

    /// Returns the URL of the file that is sent with the part, if there is one.
    /// [`Destination::file`] must then contain the facts about this file.
    pub fn file_url(&self) -> Option<&str> {
        match &self.say {
            PartContent::File { url, .. } => Some(url),
            PartContent::Buttons { image, .. } => image.as_deref(),
            _ => None,
        }
    }

    /// Returns the tag that is sent with a delivery of the part. Some providers return it in
    /// statuses and echoes.
    pub(super) fn tag(&self, delivery: i64) -> SendTag {
        SendTag { delivery, room: self.room, message: self.message }
    }
}

/// Destination of a part, with facts that are known only when it is sent. No `Debug`: it may
/// contain a token.
#[derive(Clone, Copy)]
pub struct Destination<'a> {
    /// Address from which the customer wrote last (channel facts 1, rule 4).
    pub address: &'a ExternalId,
    /// Delivery id, the same for every attempt.
    pub delivery: i64,
    /// Provider's id of the message that [`Part::reply_to`] refers to.
    pub reply_to: Option<&'a str>,
    /// Provider's id of the message that is edited or deleted. For a typing indicator in WhatsApp,
    /// the id of the customer's last message.
    pub target: Option<&'a str>,
    /// Facts about the file at [`Part::file_url`].
    pub file: Option<FileFacts<'a>>,
    /// LINE's token for a free reply, while it is valid.
    pub reply_token: Option<&'a str>,
    /// Whether the provider accepts free-form messages now. WhatsApp, Messenger and Instagram do so
    /// only for 24 hours after the customer's last message.
    pub is_window_open: bool,
    /// Whether staff may still answer after the 24-hour messaging window of Messenger or Instagram,
    /// by the tag `HUMAN_AGENT` (channel facts 4.2).
    pub may_tag_person: bool,
}

/// Facts about a file that is to be sent.
#[derive(Debug, Clone, Copy)]
pub struct FileFacts<'a> {
    /// Whether the file is in our file store and can be uploaded; otherwise only its URL is sent.
    pub is_ours: bool,
    pub bytes: Option<u64>,
    /// MIME type of a stored file, according to its name.
    pub mime_type: Option<&'a str>,
}
