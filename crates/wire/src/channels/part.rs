//! What is sent to a customer, in parts: each becomes one delivery, frozen as JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::buttons::PartButton;
use super::provider_event::{ExternalId, SendTag};

/// What one request to the provider says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub room: i64,
    pub message: i64,
    /// Its place among the parts of the message, from 0.
    pub place: u32,
    /// A person answers, not a bot.
    pub is_by_person: bool,
    /// The message of ours that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<i64>,
    #[serde(flatten)]
    pub say: Say,
}

/// The content of a part. It fits the provider that it was made for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum Say {
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
        /// Shown above the text.
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
    /// Somebody to reach by phone.
    Phone {
        name: String,
        number: String,
    },
    /// A template that the provider approved, as its API takes it.
    Template {
        template: Value,
    },
    /// What was said before now reads so.
    Edit {
        text: String,
    },
    /// What was said before is taken back.
    Delete,
    /// The provider cannot show it: `steps` refuses with this reason.
    Unsayable {
        why: String,
    },
}

impl Part {
    /// Opens a stored body; nothing if it is none.
    pub fn open(body: &str) -> Option<Self> {
        serde_json::from_str(body).ok()
    }

    /// The body of its delivery.
    pub fn frozen(&self) -> String {
        serde_json::to_string(self).expect("all keys are text, and its numbers are on earth")
    }

    /// The file that is sent with it: `steps` wants to know about it.
    pub fn file_url(&self) -> Option<&str> {
        match &self.say {
            Say::File { url, .. } => Some(url),
            Say::Buttons { image, .. } => image.as_deref(),
            _ => None,
        }
    }

    /// Our own name of it, which some providers give back.
    pub(super) fn tag(&self, delivery: i64) -> SendTag {
        SendTag { delivery, room: self.room, message: self.message }
    }
}

/// Where a part goes, and what is known only when it is sent. No `Debug`: it may hold a token.
#[derive(Clone, Copy)]
pub struct Destination<'a> {
    /// Where the customer wrote from last (channel facts 1, rule 4).
    pub address: &'a ExternalId,
    /// The delivery, the same on every attempt.
    pub delivery: i64,
    /// The id at the provider of the message that `reply_to` names.
    pub reply_to: Option<&'a str>,
    /// The id at the provider of what is edited or deleted.
    pub target: Option<&'a str>,
    /// What is known of `file_url`.
    pub file: Option<FileFacts<'a>>,
    /// What LINE lets us reply with for free, while it is good.
    pub reply_token: Option<&'a str>,
    /// The provider's window for free answers is open.
    pub is_window_open: bool,
    /// A person may answer after the window, too (`HUMAN_AGENT`, channel facts 4.2).
    pub may_tag_person: bool,
}

/// A file that is to be sent.
#[derive(Debug, Clone, Copy)]
pub struct FileFacts<'a> {
    /// It is in our store, so it can be uploaded; else only its address can be given.
    pub is_ours: bool,
    pub bytes: Option<u64>,
    /// As the store knows it.
    pub mime_type: Option<&'a str>,
}
