//! The payload of each message type, for the document: its schema and an example (spec 2.2, wire
//! facts 3.3).

use confab_domain::messages::message_kind::MessageKind;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

/// Asks a person to link an account; shown by its text.
#[derive(ToSchema)]
pub struct AccountLinkingPayload {
    /// Text of the message.
    pub text: String,
    /// Where the person signs in.
    pub url: String,
    /// Where the person is sent afterwards.
    pub redirect_url: Option<String>,
    /// What the page is shown with: `user_id`, `topic_id`, `button_text`, `view_title` and
    /// `success_message`.
    #[schema(value_type = Option<Object>)]
    pub params: Option<Value>,
}

/// What the pressed button did. `message` is its label or its `postback_text`.
#[derive(ToSchema)]
pub struct ButtonPostbackResponsePayload {
    /// Address of the button.
    pub url: Option<String>,
    /// HTTP method, such as `get`.
    pub method: Option<String>,
    /// Any JSON.
    pub payload: Option<Value>,
}

/// A text with at most 3 buttons.
#[derive(ToSchema)]
pub struct ButtonsPayload {
    /// Text above the buttons.
    pub text: String,
    pub buttons: Vec<PayloadButton>,
}

/// A button.
#[derive(ToSchema)]
pub struct PayloadButton {
    /// Text on the button.
    pub label: String,
    /// `postback` or `link`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Text that a press posts; empty where absent.
    pub postback_text: Option<String>,
    /// What a press does. A link needs only `url`.
    pub payload: Option<PayloadAction>,
}

/// What a press does.
#[derive(ToSchema)]
pub struct PayloadAction {
    /// Address that is opened or called.
    pub url: Option<String>,
    /// HTTP method, such as `get`.
    pub method: Option<String>,
    /// Any JSON.
    pub payload: Option<Value>,
}

/// A picture with text and buttons; shown by its text.
#[derive(ToSchema)]
pub struct CardPayload {
    /// Text of the message.
    pub text: String,
    /// Address of the picture.
    pub image: Option<String>,
    pub title: Option<String>,
    /// Description; it may have several lines.
    pub description: Option<String>,
    /// Address that the card opens.
    pub url: Option<String>,
    pub buttons: Option<Vec<PayloadButton>>,
}

/// Several cards.
#[derive(ToSchema)]
pub struct CarouselPayload {
    pub cards: Vec<CarouselCard>,
}

/// A card of a carousel.
#[derive(ToSchema)]
pub struct CarouselCard {
    /// Address of the picture.
    pub image: Option<String>,
    pub title: Option<String>,
    pub description: Option<String>,
    /// What a press of the card itself does.
    pub default_action: Option<CarouselAction>,
    pub buttons: Option<Vec<PayloadButton>>,
}

/// What a press of a card does.
#[derive(ToSchema)]
pub struct CarouselAction {
    /// `postback` or `link`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Text that a press posts.
    pub postback_text: Option<String>,
    pub payload: Option<PayloadAction>,
}

/// Name of a person, with a phone number or an e-mail address.
#[derive(ToSchema)]
pub struct ContactPersonPayload {
    pub name: String,
    /// Phone number or e-mail address.
    pub value: String,
    /// `phone` or `email`; default `phone`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// Anything that the app defines; returned as posted.
#[derive(ToSchema)]
pub struct CustomPayload {
    /// Sub-type, named by the app.
    #[serde(rename = "type")]
    pub kind: String,
    /// Any JSON value.
    pub content: Value,
}

/// A file by its address. `message` is its caption.
#[derive(ToSchema)]
pub struct FileAttachmentPayload {
    /// Address of the file.
    pub url: String,
    pub caption: Option<String>,
    pub file_name: Option<String>,
    /// Size in bytes.
    pub size: Option<i64>,
    /// Number of pages.
    pub pages: Option<i64>,
}

/// A place on the map.
#[derive(ToSchema)]
pub struct LocationPayload {
    pub name: Option<String>,
    pub address: Option<String>,
    /// Degrees from -90 to 90.
    pub latitude: f64,
    /// Degrees from -180 to 180.
    pub longitude: f64,
    /// Address of a map that shows the place.
    pub map_url: Option<String>,
}

/// An answer to a message of the same room. The server adds `replied_comment_message`,
/// `replied_comment_sender_username`, `replied_comment_sender_email`, `replied_comment_type` and
/// `replied_comment_payload`.
#[derive(ToSchema)]
pub struct ReplyPayload {
    /// Text of the answer; `message` where absent.
    pub text: Option<String>,
    /// Id of the answered message.
    pub replied_comment_id: i64,
}

/// The schemas, by their names in the document.
pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    fn add<T: ToSchema>(found: &mut Vec<(String, RefOr<Schema>)>) {
        found.push((T::name().into_owned(), <T as PartialSchema>::schema()));
    }
    let mut found = Vec::new();
    add::<AccountLinkingPayload>(&mut found);
    add::<ButtonPostbackResponsePayload>(&mut found);
    add::<ButtonsPayload>(&mut found);
    add::<PayloadButton>(&mut found);
    add::<PayloadAction>(&mut found);
    add::<CardPayload>(&mut found);
    add::<CarouselPayload>(&mut found);
    add::<CarouselCard>(&mut found);
    add::<CarouselAction>(&mut found);
    add::<ContactPersonPayload>(&mut found);
    add::<CustomPayload>(&mut found);
    add::<FileAttachmentPayload>(&mut found);
    add::<LocationPayload>(&mut found);
    add::<ReplyPayload>(&mut found);
    found
}

/// An example of each type that callers may post: its `message` and its `payload`.
pub fn examples() -> Vec<(MessageKind, Option<&'static str>, Option<Value>)> {
    let example = |kind| {
        let (message, payload) = example_of(kind);
        let payload = payload.map(|json| serde_json::from_str(json).expect("an example is JSON"));
        (kind, message, payload)
    };
    MessageKind::POSTED.map(example).into()
}

fn example_of(kind: MessageKind) -> (Option<&'static str>, Option<&'static str>) {
    let payload = match kind {
        MessageKind::Text | MessageKind::SystemEvent => return (Some("Hello"), None),
        MessageKind::ButtonPostbackResponse => {
            let payload = r#"{"url": "https://example.com/orders", "method": "get",
                "payload": {"order": 1017}}"#;
            return (Some("Track it"), Some(payload));
        }
        MessageKind::AccountLinking => {
            r#"{"text": "Link your account", "url": "https://example.com/sign-in",
                "redirect_url": "https://example.com/done", "params": {"user_id": "ana",
                "topic_id": 55, "button_text": "Sign in", "view_title": "Sign in",
                "success_message": "Your account is linked."}}"#
        }
        MessageKind::Buttons => {
            r#"{"text": "Where is your parcel?", "buttons": [
                {"label": "Track it", "type": "postback", "postback_text": "Track it",
                "payload": {"url": "https://example.com/orders", "method": "get",
                "payload": {"order": 1017}}}, {"label": "Open the shop", "type": "link",
                "payload": {"url": "https://example.com"}}]}"#
        }
        MessageKind::Card => {
            r#"{"text": "Your order", "image": "https://example.com/shoe.png",
                "title": "Shoe", "description": "Red, size 42", "url": "https://example.com/shoe",
                "buttons": [{"label": "Buy", "type": "link",
                "payload": {"url": "https://example.com/buy"}}]}"#
        }
        MessageKind::Carousel => {
            r#"{"cards": [{"image": "https://example.com/shoe.png", "title": "Shoe",
                "description": "Red, size 42", "default_action": {"type": "postback",
                "postback_text": "Shoe", "payload": {"url": "https://example.com/shoe",
                "method": "get", "payload": null}}, "buttons": [{"label": "Buy", "type": "link",
                "payload": {"url": "https://example.com/buy"}}]}]}"#
        }
        MessageKind::ContactPerson => {
            r#"{"name": "Bob", "value": "+6281234567890", "type": "phone"}"#
        }
        MessageKind::Custom => r#"{"type": "order", "content": {"number": 1017}}"#,
        MessageKind::FileAttachment => {
            r#"{"url": "https://example.com/bill.pdf", "caption": "Your bill",
                "file_name": "bill.pdf", "size": 48213, "pages": 2}"#
        }
        MessageKind::Location => {
            r#"{"name": "Tugu", "address": "Yogyakarta", "latitude": -7.7829,
                "longitude": 110.3671, "map_url": "https://maps.example.com/tugu"}"#
        }
        MessageKind::Reply => r#"{"text": "At noon.", "replied_comment_id": 371}"#,
    };
    (None, Some(payload))
}
