//! Push notifications for APNs, each in an envelope with its device token.
//!
//! The envelope is the stored body of a delivery, written when the message is stored; only the
//! notification inside it is sent. Lists of deliveries mask the device token (design/webhooks).

use std::borrow::Cow;
use std::collections::BTreeMap;

use confab_domain::limits;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::push::pushing::Push;
use confab_domain::rooms::room::RoomKind;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::raw_json::raw;
use crate::reading::json_string;

/// Envelope key of the device token.
pub(crate) const DEVICE_TOKEN: &str = "device_token";

/// A notification with its destination. It has no `Debug`, because the token must not be logged.
#[derive(Deserialize)]
pub struct Envelope<'a> {
    /// Device token that APNs assigned to the app on the phone.
    #[serde(borrow)]
    pub device_token: Cow<'a, str>,
    /// Whether the token belongs to a development build, which APNs serves at another address.
    pub is_development: bool,
    /// User key of the message's sender. Users who blocked the sender are not notified.
    #[serde(default)]
    pub sender: Option<i64>,
    /// APNs payload, sent byte for byte.
    #[serde(borrow)]
    pub notification: &'a RawValue,
}

impl<'a> Envelope<'a> {
    /// Parses a stored envelope; `None` if it is malformed.
    pub fn open(body: &'a str) -> Option<Self> {
        serde_json::from_str(body).ok()
    }

    /// Whether the notification neither displays nor plays anything. APNs requires another push
    /// type for such a notification.
    pub fn is_silent(&self) -> bool {
        let aps = fields(self.notification).and_then(|it| fields(it.get("aps")?));
        aps.is_some_and(|aps| {
            let is_shown = ["alert", "sound", "badge"].iter().any(|key| aps.contains_key(*key));
            aps.contains_key("content-available") && !is_shown
        })
    }
}

/// Builds the envelope of a push. Its notification is the one in the message's `extras`, if there
/// is one, or else is built from the message.
pub fn body(push: &Push<'_>, brands: &[String]) -> String {
    let own = own(&push.posted.message, brands);
    let notification = own.map_or_else(|| notification(push), |own| own.get().to_owned());
    format!(
        r#"{{"{DEVICE_TOKEN}":{},"is_development":{},"sender":{},"notification":{notification}}}"#,
        json_string(&push.device.token),
        push.device.is_development,
        push.posted.sender.key.0,
    )
}

/// Returns the notification in the message's `extras` under `<brand>_ios_pn` (spec 4.1) if it is an
/// object of at most `PUSH_BYTES_MAX` bytes.
fn own<'a>(message: &'a Message, brands: &[String]) -> Option<&'a RawValue> {
    let extras = fields(raw(message.extras.as_ref()?))?;
    let keys = brands.iter().map(|brand| format!("{}_ios_pn", brand.to_lowercase()));
    let own = keys.into_iter().find_map(|key| extras.get(key.as_str()).copied());
    own.filter(|own| own.get().starts_with('{') && own.get().len() <= limits::PUSH_BYTES_MAX)
}

/// Parses an object's fields; `None` if the value is not an object. If a key is repeated, its last
/// value counts.
fn fields(json: &RawValue) -> Option<BTreeMap<Cow<'_, str>, &RawValue>> {
    serde_json::from_str(json.get()).ok()
}

#[derive(Serialize)]
struct PushNotification<'a> {
    aps: Aps<'a>,
    payload: PushPayload<'a>,
}

#[derive(Serialize)]
struct Aps<'a> {
    alert: Alert<'a>,
    sound: &'static str,
}

#[derive(Serialize)]
struct Alert<'a> {
    title: &'a str,
    body: &'a str,
}

/// Data that the app on the phone needs to open the message.
#[derive(Serialize)]
struct PushPayload<'a> {
    room_id: String,
    room_type: &'static str,
    comment_id: i64,
    comment_id_str: String,
    unique_temp_id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
}

fn notification(push: &Push<'_>) -> String {
    let Push { posted, room, .. } = push;
    let message = &posted.message;
    let sender = posted.sender.username.as_str();
    let is_named = room.kind != RoomKind::Single && !room.name.is_empty();
    let title = if is_named { room.name.as_str() } else { sender };
    // In a named room the title is the room's name, so the text names the sender.
    let text = match is_named && message.kind != MessageKind::SystemEvent {
        true => format!("{sender}: {}", message.text),
        false => message.text.clone(),
    };
    let title: String = title.chars().take(limits::PUSH_TITLE_CHARS_MAX).collect();
    let unique_id = message.unique_id();
    let shape = |text: &str| {
        let payload = PushPayload {
            room_id: room.id.to_string(),
            room_type: room.kind.as_str(),
            comment_id: message.id.0,
            comment_id_str: message.id.0.to_string(),
            unique_temp_id: unique_id.as_str(),
            kind: message.kind.as_str(),
        };
        let alert = Alert { title: &title, body: text };
        let shape = PushNotification { aps: Aps { alert, sound: "default" }, payload };
        serde_json::to_string(&shape).expect("texts and numbers are JSON")
    };
    let whole = shape(&text);
    if whole.len() <= limits::PUSH_BYTES_MAX {
        return whole;
    }
    shape(cut(&text, limits::PUSH_BYTES_MAX.saturating_sub(shape("").len())).as_str())
}

/// Truncates a text to this many bytes of JSON, including an ellipsis.
fn cut(text: &str, bytes_max: usize) -> String {
    const MORE: &str = "…";
    let mut left = bytes_max.saturating_sub(MORE.len());
    let fits = |c: &char| {
        // Without the quotes.
        let bytes = json_string(c.encode_utf8(&mut [0; 4])).len() - 2;
        let fits = bytes <= left;
        left -= if fits { bytes } else { 0 };
        fits
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    kept.push_str(MORE);
    kept
}

#[cfg(test)]
mod tests;
