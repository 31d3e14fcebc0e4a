//! Calls of the Cloud API that an app makes directly, with its own body and the channel's
//! credentials (channel facts 2, D-0155).

use serde_json::Value;

use super::requests::{get, post};
use crate::credentials::Credentials;
use crate::json_lookup::{self, Unreadable};
use crate::meta;
use crate::step::{Purpose, Slot, Step};

/// Maximum number of characters of a file id.
const MEDIA_ID_CHARS_MAX: usize = 128;

/// Returns the request that sends a message body of the app. `messaging_product` is added if
/// absent, because most clients omit it.
pub fn direct_message(raw: &[u8], credentials: &Credentials) -> Result<Step, Unreadable> {
    let mut body = json_lookup::parsed(raw)?;
    let fields = body.as_object_mut().ok_or(Unreadable("is not a JSON object"))?;
    fields.entry("messaging_product").or_insert_with(|| "whatsapp".into());
    Ok(post(Purpose::Say, credentials, body))
}

/// Returns Meta's error body for the app. The channel's token is masked, because Meta includes a
/// malformed token in the error. `None` if the body is not a Meta error.
pub fn refusal_body(raw: &[u8], token: &str) -> Option<String> {
    let body = json_lookup::readable(raw).ok()?;
    let is_error = json_lookup::value(&body).ok()?["error"].is_object();
    let shown = if token.is_empty() { body } else { body.replace(token, "****") };
    is_error.then_some(shown)
}

/// Returns the requests for the URL and then for the content of a file in the channel's account.
/// `None` if the id is malformed.
pub fn locate_media(id: &str, credentials: &Credentials) -> Option<[Step; 2]> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !(1..=MEDIA_ID_CHARS_MAX).contains(&id.len()) || !id.bytes().all(is_plain) {
        return None;
    }
    let locate = get(Purpose::Locate, credentials, meta::path(credentials, &[id]));
    let fetch = get(Purpose::Fetch, credentials, "/".to_owned());
    Some([locate.giving("/url"), fetch.taking(Slot::Url)])
}

/// Returns the MIME type of a file from the response that contains the file's URL.
pub fn located(raw: &[u8]) -> Option<String> {
    let answer = json_lookup::parsed(raw).unwrap_or(Value::Null);
    let whole = json_lookup::text(&answer["mime_type"])?;
    whole.split(';').next().map(|it| it.trim().to_owned())
}
