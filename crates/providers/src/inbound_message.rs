//! Messages of customers, as read from the events of providers (channel facts 3.2).
//!
//! Each provider's module creates [`InboundMessage`]s. The caller fetches the file of a message,
//! looks up the message that it replies to, and then calls [`InboundMessage::posted`] for the
//! content to post.

use confab_domain::ids::MessageId;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::payload::Payload;
use serde_json::{Map, Value, json};

use super::json_lookup;

/// A message of a customer. One event may contain several.
#[derive(Debug, Clone, PartialEq)]
pub struct InboundMessage {
    pub content: InboundContent,
    /// Provider's id of the message to which the customer replied.
    pub reply_to: Option<String>,
    /// Id by which replies refer to this message, if it differs from the id of its event.
    pub also_known_as: Option<String>,
    extras: Map<String, Value>,
}

// Numbers in extras are compared as written, so every value equals itself.
impl Eq for InboundMessage {}

/// Content of an inbound message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboundContent {
    /// A text, or other content that can be posted without a file.
    Ready { text: String, payload: Payload },
    /// A file at the provider, to be fetched before the message is posted.
    File(Media),
    /// A text that is too long for a message, to be stored as a file.
    LongText(String),
}

/// A file at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    pub source: MediaSource,
    pub file_name: String,
    pub caption: String,
    /// MIME type that the provider reports, which may be wrong.
    pub mime_type: Option<String>,
    pub bytes: Option<u64>,
    /// SHA-256 of the content in hexadecimal.
    pub sha256: Option<String>,
    /// Whether the provider forbids storing the file, so that only its URL is posted. This applies
    /// to story mentions (channel facts 4.2).
    pub must_not_be_kept: bool,
}

/// Location from which a file of the provider is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaSource {
    /// Id of the file at the provider.
    Id(String),
    /// Public URL of the file, which is fetched without credentials.
    Url(String),
}

impl Media {
    pub(super) fn new(source: MediaSource, file_name: impl Into<String>) -> Self {
        Self {
            source,
            file_name: file_name.into(),
            caption: String::new(),
            mime_type: None,
            bytes: None,
            sha256: None,
            must_not_be_kept: false,
        }
    }
}

/// A fetched file in the file store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMedia {
    pub url: String,
    pub bytes: u64,
}

/// Reference from a posted message to the message to which the customer replied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyReference {
    /// No reference, because the replied message is unknown, deleted or of another customer.
    Nothing,
    /// Id of the replied message, which is in the same room.
    Message(MessageId),
    /// Text of the replied message, which is in another room of the same customer.
    Quotation(String),
}

/// Content of a message to post, without its sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftContent {
    pub text: String,
    pub payload: Payload,
    pub extras: Option<JsonText>,
}

impl InboundMessage {
    pub(super) fn new(content: InboundContent) -> Self {
        Self { content, reply_to: None, also_known_as: None, extras: Map::new() }
    }

    /// Creates the messages for a text. If it is too long for a message, the truncated text is
    /// followed by a file with the whole text.
    pub(super) fn text(text: &str) -> Vec<Self> {
        let fits = text.chars().count() <= limits::MESSAGE_CHARS_MAX;
        let shown: String = text.chars().take(limits::MESSAGE_CHARS_MAX).collect();
        let mut inbound_messages =
            vec![Self::new(InboundContent::Ready { text: shown, payload: Payload::Text })];
        if !fits {
            inbound_messages.push(Self::new(InboundContent::LongText(text.to_owned())));
        }
        inbound_messages
    }

    pub(super) fn file(mut media: Media) -> Vec<Self> {
        media.caption = media.caption.chars().take(limits::MESSAGE_CHARS_MAX).collect();
        vec![Self::new(InboundContent::File(media))]
    }

    /// Creates a text that names an unsupported kind of content (channel facts 1, rule 12).
    pub(super) fn unsupported(kind: &str, details: Option<&str>) -> Vec<Self> {
        let text = match details {
            Some(details) => format!("unsupported message ({kind}): {details}"),
            None => format!("unsupported message ({kind})"),
        };
        let mut inbound_messages = Self::text(&text);
        inbound_messages.iter_mut().for_each(|it| it.add("unsupported", kind));
        inbound_messages
    }

    pub(super) fn custom(kind: &str, content: &Value) -> Vec<Self> {
        let json = json_lookup::json(&json!({"type": kind, "content": content}));
        if json.as_str().len() > limits::PAYLOAD_BYTES_MAX {
            return Self::unsupported(kind, Some("it is too large"));
        }
        vec![Self::new(InboundContent::Ready {
            text: String::new(),
            payload: Payload::Custom(json),
        })]
    }

    /// Creates a message with a location; `None` if the coordinates are missing or out of range.
    pub(super) fn location(place: &Value, name: &Value, address: &Value) -> Option<Vec<Self>> {
        let latitude = json_lookup::number_within(&place["latitude"], 90.0)?;
        let longitude = json_lookup::number_within(&place["longitude"], 180.0)?;
        let [name, address] = [name, address].map(|it| json_lookup::name(it).unwrap_or_default());
        let map_url = map_url(latitude, longitude);
        let json = json_lookup::json(&json!({
            "name": name, "address": address, "latitude": latitude, "longitude": longitude,
            "map_url": map_url,
        }));
        let payload = Payload::Location { name, address, map_url, json };
        Some(vec![Self::new(InboundContent::Ready { text: String::new(), payload })])
    }

    /// Creates a message with a contact person; `kind` is `phone` or `email`.
    pub(super) fn contact_person(name: &str, kind: &str, value: &str) -> Self {
        let value: String = value.chars().take(limits::NAME_CHARS_MAX).collect();
        let json = json_lookup::json(&json!({"name": name, "value": value, "type": kind}));
        let name = name.to_owned();
        let payload = Payload::ContactPerson { name, value, json };
        Self::new(InboundContent::Ready { text: String::new(), payload })
    }

    /// Adds a field to the extras, unless its value is larger than an eighth of the extras' maximum
    /// size.
    pub(super) fn add(&mut self, key: &str, value: impl Into<Value>) {
        let value = value.into();
        if value.to_string().len() <= limits::EXTRAS_BYTES_MAX / 8 {
            self.extras.insert(key.to_owned(), value);
        }
    }

    /// Adds a field to the extras, unless they already contain the key.
    pub(super) fn add_if_absent(&mut self, key: &str, value: impl Into<Value>) {
        if !self.extras.contains_key(key) {
            self.add(key, value);
        }
    }

    /// Returns the file that must be fetched before the message is posted, if there is one.
    pub fn media(&self) -> Option<&Media> {
        match &self.content {
            InboundContent::File(media) if media.must_not_be_kept => None,
            InboundContent::File(media) => Some(media),
            InboundContent::Ready { .. } | InboundContent::LongText(_) => None,
        }
    }

    /// Whether the message is a story that mentions the business. An app may disable these messages
    /// (channel facts 4.2).
    pub fn is_story_mention(&self) -> bool {
        matches!(&self.content, InboundContent::File(media) if media.must_not_be_kept)
    }

    /// Returns the text that must be stored as a file before the message is posted, if there is
    /// one.
    pub fn long_text(&self) -> Option<&str> {
        match &self.content {
            InboundContent::LongText(text) => Some(text),
            InboundContent::Ready { .. } | InboundContent::File(_) => None,
        }
    }

    /// Returns the content to post. `kept` is the stored file, if the message has one, and
    /// `replied` is the message that `reply_to` refers to. Only a text can be posted as a reply or
    /// with a quotation.
    pub fn posted(&self, replied: &ReplyReference, kept: Option<&StoredMedia>) -> DraftContent {
        let (text, payload) = match (&self.content, kept) {
            (InboundContent::Ready { text, payload: Payload::Text }, _) => match replied {
                ReplyReference::Message(to) => replying(text, *to),
                ReplyReference::Quotation(quoted) => (quoting(text, quoted), Payload::Text),
                ReplyReference::Nothing => (text.clone(), Payload::Text),
            },
            (InboundContent::Ready { text, payload }, _) => (text.clone(), payload.clone()),
            (InboundContent::File(media), _) if media.must_not_be_kept => {
                let MediaSource::Url(url) = &media.source else {
                    return self.posted_without_file("is not available");
                };
                let there = StoredMedia { url: url.clone(), bytes: 0 };
                attached(&there, &media.file_name, &media.caption)
            }
            (InboundContent::File(media), Some(kept)) => {
                attached(kept, &media.file_name, &media.caption)
            }
            (InboundContent::LongText(_), Some(kept)) => attached(kept, LONG_TEXT_FILE, ""),
            (InboundContent::File(_) | InboundContent::LongText(_), None) => {
                return self.posted_without_file("is not available");
            }
        };
        DraftContent { text, extras: self.extras(replied, &payload), payload }
    }

    /// Returns a text to post instead of a message whose file is not available. `why` is the reason
    /// as the end of a sentence, such as `is too large`.
    pub fn posted_without_file(&self, why: &str) -> DraftContent {
        let (name, caption) = match &self.content {
            InboundContent::File(media) => (media.file_name.as_str(), media.caption.as_str()),
            InboundContent::Ready { .. } | InboundContent::LongText(_) => (LONG_TEXT_FILE, ""),
        };
        let sentence = format!("The file {name} {why}.");
        let text = if caption.is_empty() { sentence } else { format!("{caption}\n\n{sentence}") };
        let text = text.chars().take(limits::MESSAGE_CHARS_MAX).collect();
        let payload = Payload::Text;
        DraftContent { text, extras: self.extras(&ReplyReference::Nothing, &payload), payload }
    }

    /// Returns the extras of the posted message, which contain the replied message's id if the
    /// payload does not.
    fn extras(&self, replied: &ReplyReference, payload: &Payload) -> Option<JsonText> {
        let mut extras = self.extras.clone();
        let is_reply = matches!(payload, Payload::Reply { .. });
        match (replied, &self.reply_to) {
            (ReplyReference::Message(replied), _) if !is_reply => {
                extras.insert("replied_comment_id".to_owned(), replied.0.into());
            }
            (ReplyReference::Nothing | ReplyReference::Quotation(_), Some(external)) => {
                extras.insert("reply_to_external".to_owned(), external.as_str().into());
            }
            _ => {}
        }
        (!extras.is_empty()).then(|| json_lookup::json(&Value::Object(extras)))
    }
}

impl DraftContent {
    /// Replaces the payload of a reply by that of a plain text; other content is unchanged.
    pub fn without_reply(self) -> Self {
        let payload = match self.payload {
            Payload::Reply { .. } => Payload::Text,
            other => other,
        };
        Self { payload, ..self }
    }
}

/// Returns the URL of a map that shows a location.
pub(super) fn map_url(latitude: f64, longitude: f64) -> String {
    format!("https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}")
}

const LONG_TEXT_FILE: &str = "message.txt";

fn replying(text: &str, to: MessageId) -> (String, Payload) {
    let json = json_lookup::json(&json!({"text": text, "replied_comment_id": to.0}));
    (text.to_owned(), Payload::Reply { text: text.to_owned(), to, json })
}

/// Returns the text below a quotation of the beginning of `quoted`. The quotation is omitted if the
/// result would be too long for a message.
fn quoting(text: &str, quoted: &str) -> String {
    let quoted = quoted.trim();
    let mut shown: String = quoted.chars().take(limits::QUOTED_CHARS_MAX).collect();
    if shown.len() < quoted.len() {
        shown.push('…');
    }
    let lines: Vec<_> = shown.lines().map(|line| format!("> {line}\n")).collect();
    let whole = format!("{}\n{text}", lines.concat());
    let fits = !shown.is_empty() && whole.chars().count() <= limits::MESSAGE_CHARS_MAX;
    if fits { whole } else { text.to_owned() }
}

fn attached(kept: &StoredMedia, file_name: &str, caption: &str) -> (String, Payload) {
    let StoredMedia { url, bytes } = kept;
    let json = json!({"url": url, "caption": caption, "file_name": file_name, "size": bytes});
    let payload = Payload::FileAttachment { url: url.clone(), json: json_lookup::json(&json) };
    (caption.to_owned(), payload)
}
