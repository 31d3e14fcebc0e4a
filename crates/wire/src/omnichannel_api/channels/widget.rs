//! `initiate_chat`, the first call of the widget, and its response (wire facts 5.5).

use confab_domain::app::AppCode;
use confab_domain::ids::ChannelId;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::CustomerRoom;
use confab_domain::support::conversations::initiating::Visitor;
use confab_domain::webhooks::event::{ChannelSummary, Info};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::incoming::CustomerName;
use crate::body::Body;
use crate::fields::{self, NonEmpty, Text, field};
use crate::raw_json::{empty, raw};
use crate::reading::FieldReader;
use crate::request::{GivenFields, Part, Request, request};
use crate::shown_extras::{ShownExtras, shown_extras};

request! {
    /// Body of `POST /api/v2/{brand}/initiate_chat`.
    pub struct InitiateChatFields as "InitiateChat" {
        /// App code, which identifies the app.
        app_id: NonEmpty<Text>, required, example = "shop";
        /// User id of the customer, as assigned by the page; a phone number may begin with `+`.
        user_id: fields::ChannelUser, required, example = "visitor-1";
        /// Display name of the customer.
        name: CustomerName, required;
        /// Picture URL of the customer.
        avatar: NonEmpty<fields::Picture>, optional, also = "avatar_url";
        /// Nonce from `auth/nonce`; can be used once.
        nonce: NonEmpty<Text>, required;
        /// Token from the app's server for this `user_id` and `nonce`; the setting `visitor_proof`
        /// may require it.
        identity_token: NonEmpty<Text>, optional;
        /// Secret from the response to the first visit; the setting `visitor_proof` may require it.
        visitor_secret: NonEmpty<Text>, optional;
        /// Id of the channel; defaults to the app's widget channel.
        channel_id: ChannelInteger, optional;
        known: CustomerMetadata, group;
    }
}

request! {
    struct CustomerMetadataFields {
        /// Metadata to store with the user.
        sdk_user_extras: KeptJson, optional;
        /// Metadata to store with the room.
        extras: KeptJson, optional;
        /// Properties of the customer: a list of `{key, value}`, or an object.
        user_properties: UserProperties, or vec![];
    }
}

/// Metadata about a customer, limited in size.
struct CustomerMetadata(CustomerMetadataFields);

impl Request for CustomerMetadata {
    const PARTS: &'static [Part] = CustomerMetadataFields::PARTS;

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        let known = CustomerMetadataFields::read(fields, reading)?;
        let kept = [("sdk_user_extras", &known.sdk_user_extras), ("extras", &known.extras)];
        for (field, json) in kept {
            reading.check_bytes(field, json.as_ref(), limits::OPTIONS_BYTES_MAX);
        }
        Some(Self(known))
    }
}

field! {
    KeptJson -> JsonText, fields::Properties::SHAPE;
    |reading, field, given| reading.json_object(field, given)
}

/// The credentials of a visitor (D-0070). No `Debug`, because they are secret.
pub struct VisitorCredentials {
    /// Nonce from `auth/nonce`.
    pub nonce: String,
    /// Token by which the app's server authenticates the visitor.
    pub identity_token: Option<String>,
    /// Secret from the response to the first visit.
    pub visitor_secret: Option<String>,
}

/// A request to open the widget.
pub struct InitiateChat {
    pub app: AppCode,
    /// Credentials of the visitor.
    pub shown: VisitorCredentials,
    /// Channel in which the chat takes place; `None` for the app's widget channel.
    pub channel: Option<ChannelId>,
    pub visitor: Visitor,
}

impl InitiateChat {
    /// Parses the request. `brand` is the brand in the request's path, in lower case.
    pub fn read(body: &Body<'_>, brand: &str) -> Result<Self, Refusal> {
        let fields: InitiateChatFields = body.read()?;
        let CustomerMetadata(CustomerMetadataFields {
            sdk_user_extras,
            extras,
            user_properties: infos,
        }) = fields.known;
        let visitor = Visitor {
            user_id: fields.user_id,
            name: Some(fields.name),
            avatar_url: fields.avatar,
            extras: sdk_user_extras,
            room_extras: Some(room_extras(extras.as_ref(), &infos)),
            infos,
            brand: Some(brand.to_owned()),
        };
        let (identity_token, visitor_secret) = (fields.identity_token, fields.visitor_secret);
        let shown = VisitorCredentials { nonce: fields.nonce, identity_token, visitor_secret };
        let app = AppCode::parse(&fields.app_id)?;
        Ok(Self { app, shown, channel: fields.channel_id, visitor })
    }
}

field! {
    ChannelInteger -> ChannelId, fields::Integer::SHAPE;
    |reading, field, given| {
        let text = reading.key(field, given).filter(|text| !text.is_empty())?;
        match text.parse() {
            Ok(id) => Some(ChannelId(id)),
            Err(_) => reading.wrong(field, "must be the integer id of a channel"),
        }
    }
}

field! {
    /// Properties of a customer: a list of keys and values, or an object.
    UserProperties -> Vec<Info>, fields::Properties::SHAPE;
    |reading, field, given| {
        let json = reading.free_json(field, given)?;
        let pairs = read_pairs(&json).filter(|pairs| pairs.iter().all(is_fine));
        let pairs = pairs.filter(|pairs| pairs.len() <= limits::USER_PROPERTIES_MAX);
        let Some(pairs) = pairs else {
            let most = limits::USER_PROPERTIES_MAX;
            let problem =
                format!("must be a list or object of at most {most} pairs of key and value");
            return reading.wrong(field, problem);
        };
        Some(pairs.into_iter().map(|(key, value)| Info { key, value }).collect())
    }
}

fn read_pairs(json: &JsonText) -> Option<Vec<(String, String)>> {
    match serde_json::from_str(json.as_str()) {
        Ok(Value::Object(object)) => {
            object.iter().map(|(key, value)| Some((key.clone(), shown(value)?))).collect()
        }
        Ok(Value::Array(items)) => {
            let pair = |item: &Value| Some((shown(item.get("key")?)?, shown(item.get("value")?)?));
            items.iter().map(pair).collect()
        }
        Ok(Value::String(text)) if text.is_empty() => Some(Vec::new()),
        _ => None,
    }
}

fn is_fine((key, value): &(String, String)) -> bool {
    let is_short = |text: &str, max| text.chars().count() <= max && !text.contains('\0');
    !key.is_empty()
        && !key.contains(char::is_control)
        && is_short(key, limits::NAME_CHARS_MAX)
        && is_short(value, limits::MESSAGE_CHARS_MAX)
}

/// Returns a scalar value as a string; `None` for lists and objects.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => Some(String::new()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Returns the room's metadata in the format of webhooks (wire facts 6.5).
fn room_extras(additional: Option<&JsonText>, infos: &[Info]) -> JsonText {
    let additional = additional.and_then(|json| serde_json::from_str::<Value>(json.as_str()).ok());
    let additional = additional.unwrap_or_else(|| json!({}));
    let property = |info: &Info| json!({"key": info.key, "value": info.value});
    let user_properties: Vec<_> = infos.iter().map(property).collect();
    let timezone_offset = additional.get("timezone_offset").cloned();
    let extras = json!({
        "additional_extras": additional,
        "notes": null,
        "timezone_offset": timezone_offset,
        "user_properties": user_properties,
    });
    JsonText::from_checked(extras.to_string())
}

/// The values from which the response of `initiate_chat` is created.
pub struct InitiatedParts<'a> {
    /// The customer's room.
    pub room: &'a CustomerRoom,
    /// The widget's channel.
    pub channel: &'a ChannelSummary,
    pub customer: &'a User,
    /// Token with which the widget authenticates as the customer.
    pub identity_token: &'a str,
    /// Secret for the visitor's later visits; `None` unless the customer is new.
    pub visitor_secret: Option<&'a str>,
    /// Whether visitors need a secret or an identity token, in addition to the customer's user id,
    /// to authenticate.
    pub is_secure: bool,
    /// Whether customers get a new room once their old one is resolved.
    pub is_sessional: bool,
}

/// Response data of `initiate_chat`.
#[derive(Serialize, ToSchema)]
pub struct InitiatedChat<'a> {
    customer_room: WidgetRoom<'a>,
    /// Token for `auth/verify_identity_token`; can be used once.
    identity_token: &'a str,
    /// Whether visitors need a secret or an identity token, in addition to the `user_id`, to
    /// authenticate (setting `visitor_proof`).
    is_secure: bool,
    /// Whether customers get a new room once their old one is resolved.
    is_sessional: bool,
    sdk_user: SdkUser<'a>,
    /// Secret for later visits, which the browser must store. Present only in the response to the
    /// first visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    visitor_secret: Option<&'a str>,
}

#[derive(Serialize, ToSchema)]
struct WidgetRoom<'a> {
    channel_id: i64,
    contact_id: i64,
    #[schema(value_type = Object)]
    extras: &'a RawValue,
    id: i64,
    is_handled_by_bot: bool,
    is_resolved: bool,
    is_waiting: bool,
    name: &'a str,
    room_badge: Option<&'a str>,
    room_id: String,
    room_type: &'static str,
    session_id: Option<String>,
    source: &'a str,
    user_avatar_url: &'a str,
    user_id: &'a str,
}

#[derive(Serialize, ToSchema)]
struct SdkUser<'a> {
    avatar_url: &'a str,
    display_name: &'a str,
    email: &'a str,
    #[schema(value_type = Object)]
    extras: ShownExtras<'a>,
    id: i64,
}

/// Returns the response data of `initiate_chat`.
pub fn initiated<'a>(parts: &InitiatedParts<'a>) -> InitiatedChat<'a> {
    let InitiatedParts { room, channel, customer, identity_token, .. } = *parts;
    let InitiatedParts { visitor_secret, is_secure, is_sessional, .. } = *parts;
    let customer_room = WidgetRoom {
        channel_id: room.channel.0,
        contact_id: customer.key.0,
        extras: room.extras.as_ref().map_or(empty(), raw),
        id: room.room.0,
        is_handled_by_bot: room.is_handled_by_bot,
        is_resolved: room.is_resolved(),
        is_waiting: room.waits_since.is_some(),
        name: &customer.username,
        room_badge: room.badge_url.as_deref(),
        room_id: room.room.to_string(),
        room_type: "individual",
        session_id: room.session.as_ref().map(|session| session.id.to_string()),
        source: &channel.source,
        user_avatar_url: &customer.avatar_url,
        user_id: customer.user_id.as_str(),
    };
    let sdk_user = SdkUser {
        avatar_url: &customer.avatar_url,
        display_name: &customer.username,
        email: customer.user_id.as_str(),
        extras: shown_extras(customer),
        id: customer.key.0,
    };
    InitiatedChat {
        customer_room,
        identity_token,
        is_secure,
        is_sessional,
        sdk_user,
        visitor_secret,
    }
}

/// Response data of `initiate_chat` when it is called by its older path (wire facts 5.7).
#[derive(Serialize, ToSchema)]
pub struct InitiatedV1<'a> {
    room_id: String,
    /// Token for `auth/verify_identity_token`; can be used once.
    identity_token: &'a str,
    /// Whether customers get a new room once their old one is resolved.
    is_sessional: bool,
    /// Secret for later visits, which the browser must store. Present only in the response to the
    /// first visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    visitor_secret: Option<&'a str>,
}

/// Returns the response data of `initiate_chat` when it is called by its older path.
pub fn initiated_v1<'a>(parts: &InitiatedParts<'a>) -> InitiatedV1<'a> {
    let InitiatedParts { room, identity_token, visitor_secret, is_sessional, .. } = *parts;
    InitiatedV1 { room_id: room.room.to_string(), identity_token, is_sessional, visitor_secret }
}

/// Response data of `GET /{app_code}/get_session`.
#[derive(Serialize, ToSchema)]
pub struct SessionShape {
    /// Whether customers get a new room once their old one is resolved.
    is_sessional: bool,
}

/// Returns the response data of `get_session`.
pub fn session(is_sessional: bool) -> SessionShape {
    SessionShape { is_sessional }
}
