//! Schema and example of each message type's payload, for the OpenAPI document (spec 2.2, wire
//! facts 3.3).

use confab_domain::messages::message_kind::MessageKind;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

/// Asks a person to link an account. This payload's `text` is the text of the message.
#[derive(ToSchema)]
pub struct AccountLinkingPayload {
    /// Text of the message.
    pub text: String,
    /// Address of the sign-in page.
    pub url: String,
    /// Address to which the person is redirected afterwards.
    pub redirect_url: Option<String>,
    /// Parameters of the page: `user_id`, `topic_id`, `button_text`, `view_title` and
    /// `success_message`.
    #[schema(value_type = Option<Object>)]
    pub params: Option<Value>,
}

/// Action of the pressed button. The request's `message` is the button's label or `postback_text`.
#[derive(ToSchema)]
pub struct ButtonPostbackResponsePayload {
    /// Address in the button's action.
    pub url: Option<String>,
    /// HTTP method, such as `get`.
    pub method: Option<String>,
    /// Data of the button's action: any JSON value.
    pub payload: Option<Value>,
}

/// A text with 1 to 20 buttons. A channel shows as many as its provider supports.
#[derive(ToSchema)]
pub struct ButtonsPayload {
    /// Text above the buttons.
    pub text: String,
    pub buttons: Vec<PayloadButton>,
}

/// A button of a message.
#[derive(ToSchema)]
pub struct PayloadButton {
    /// Text on the button.
    pub label: String,
    /// Type of the button: `postback` or `link`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Text that a press posts. In cards and carousels, the server adds an empty string if it is
    /// absent.
    pub postback_text: Option<String>,
    /// Action of a press. A link needs only `url`.
    pub payload: Option<PayloadAction>,
}

/// Action of a button press.
#[derive(ToSchema)]
pub struct PayloadAction {
    /// Address that is opened or called.
    pub url: Option<String>,
    /// HTTP method, such as `get`.
    pub method: Option<String>,
    /// Data of the action: any JSON value.
    pub payload: Option<Value>,
}

/// A picture with text and buttons. This payload's `text` is the text of the message.
#[derive(ToSchema)]
pub struct CardPayload {
    /// Text of the message.
    pub text: String,
    /// Address of the picture.
    pub image: Option<String>,
    pub title: Option<String>,
    /// Description, possibly with several lines.
    pub description: Option<String>,
    /// Address that the card opens.
    pub url: Option<String>,
    pub buttons: Option<Vec<PayloadButton>>,
}

/// A list of 1 to 20 cards.
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
    /// Action of a press on the card itself.
    pub default_action: Option<CarouselAction>,
    pub buttons: Option<Vec<PayloadButton>>,
}

/// Action of a press on a card.
#[derive(ToSchema)]
pub struct CarouselAction {
    /// Type of the action: `postback` or `link`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Text that a press posts.
    pub postback_text: Option<String>,
    pub payload: Option<PayloadAction>,
}

/// A person's name with a phone number or e-mail address.
#[derive(ToSchema)]
pub struct ContactPersonPayload {
    pub name: String,
    /// Phone number or e-mail address.
    pub value: String,
    /// Type of the value: `phone` or `email`; default `phone`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// Content that the app defines. Returned as posted.
#[derive(ToSchema)]
pub struct CustomPayload {
    /// Subtype, defined by the app.
    #[serde(rename = "type")]
    pub kind: String,
    /// Content of the message: any JSON value.
    pub content: Value,
}

/// A file at an address. The request's `message` is its caption.
#[derive(ToSchema)]
pub struct FileAttachmentPayload {
    /// Address of the file.
    pub url: String,
    pub caption: Option<String>,
    pub file_name: Option<String>,
    /// Size in bytes.
    pub size: Option<i64>,
    /// Number of pages of the document.
    pub pages: Option<i64>,
}

/// A geographic location.
#[derive(ToSchema)]
pub struct LocationPayload {
    pub name: Option<String>,
    pub address: Option<String>,
    /// Degrees from -90 to 90.
    pub latitude: f64,
    /// Degrees from -180 to 180.
    pub longitude: f64,
    /// Address of a map of the location.
    pub map_url: Option<String>,
}

/// A reply to a message of the same room. The server adds `replied_comment_message`,
/// `replied_comment_sender_username`, `replied_comment_sender_email`, `replied_comment_type` and
/// `replied_comment_payload`.
#[derive(ToSchema)]
pub struct ReplyPayload {
    /// Text of the reply; default: the request's `message`.
    pub text: Option<String>,
    /// Id of the message that is replied to.
    pub replied_comment_id: i64,
}

/// Returns the schemas with their names in the OpenAPI document.
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

/// Returns an example of each type that callers may post: its `message` and its `payload`.
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
