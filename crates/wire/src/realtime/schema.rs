//! OpenAPI schemas of the frames of `/realtime`: one table for the server's frames, one for those
//! of clients.

use std::borrow::Cow;

use confab_domain::limits;
use utoipa::openapi::schema::{Object, ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::realtime::RealtimeFrame;
use crate::sdk_api::comment::ClientComment;

/// A frame that a client may send on a WebSocket.
pub struct RealtimeClientFrame;

type Fields = &'static [(&'static str, Type)];

const TEXT: Type = Type::String;
const INTEGER: Type = Type::Integer;
const FLAG: Type = Type::Boolean;

/// Frames of the server, except those that contain comments. Each entry has the type, whether the
/// frame has an id to resume from, and the fields of its data.
const SERVER_FRAMES: &[(&str, bool, Fields)] = &[
    ("hello", true, &[("user_id", TEXT), ("heartbeat_ms", INTEGER)]),
    ("room_cleared", true, &[("room_id", TEXT)]),
    ("delivered", true, RECEIPT),
    ("read", true, RECEIPT),
    (
        "typing",
        false,
        &[("room_id", TEXT), ("user_id", TEXT), ("username", TEXT), ("is_typing", FLAG)],
    ),
    ("presence", false, &[("user_id", TEXT), ("is_online", FLAG), ("at_ms", INTEGER)]),
    ("resync", false, MESSAGE),
    ("error", false, MESSAGE),
    ("pong", false, MESSAGE),
];

const RECEIPT: Fields =
    &[("room_id", TEXT), ("user_id", TEXT), ("comment_id", INTEGER), ("unique_id", TEXT)];
const MESSAGE: Fields = &[("message", TEXT)];

const CLIENT_FRAMES: &[(&str, Fields)] = &[
    ("typing", &[("room_id", TEXT), ("is_typing", FLAG)]),
    ("watch", &[("user_id", TEXT)]),
    ("unwatch", &[("user_id", TEXT)]),
    ("follow", &[("unique_id", TEXT)]),
    ("unfollow", &[("unique_id", TEXT)]),
    ("ping", &[]),
];

impl ToSchema for RealtimeFrame {
    fn name() -> Cow<'static, str> {
        "RealtimeFrame".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((ClientComment::name().into_owned(), ClientComment::schema()));
        ClientComment::schemas(schemas);
    }
}

impl PartialSchema for RealtimeFrame {
    fn schema() -> RefOr<Schema> {
        let comment = || RefOr::Ref(Ref::from_schema_name(ClientComment::name()));
        let plain = SERVER_FRAMES
            .iter()
            .map(|(name, has_id, fields)| frame(name, *has_id, object(fields).build().into()));
        let special = [
            frame("message", true, comment()),
            frame("message_updated", true, comment()),
            frame("messages_deleted", true, deleted().into()),
            frame("custom_event", false, custom_event().into()),
        ];
        let all = plain.chain(special).fold(OneOfBuilder::new(), OneOfBuilder::item);
        let about = "A frame of `/realtime`. Clients must ignore frames of unknown types.";
        all.description(Some(about)).into()
    }
}

impl ToSchema for RealtimeClientFrame {
    fn name() -> Cow<'static, str> {
        "RealtimeClientFrame".into()
    }
}

impl PartialSchema for RealtimeClientFrame {
    fn schema() -> RefOr<Schema> {
        let typed = |name: &str| ObjectBuilder::new().property("type", word(name)).required("type");
        let plain = CLIENT_FRAMES.iter().map(|(name, fields)| with(typed(name), fields).build());
        let custom = with(typed("custom_event"), &[("room_id", TEXT)])
            .property("data", any_json())
            .required("data");
        let all = plain.chain([custom.build()]).fold(OneOfBuilder::new(), OneOfBuilder::item);
        all.description(Some("A frame that a client may send on the WebSocket of `/realtime`."))
            .into()
    }
}

fn frame(name: &str, has_id: bool, data: RefOr<Schema>) -> Object {
    let id = text(
        "Frame id. A client that reconnects with it as `last_event_id` continues after this frame.",
    );
    let framed = ObjectBuilder::new().property("type", word(name)).required("type");
    let framed = framed.property("data", data).required("data");
    let framed = if has_id { framed.property("id", id).required("id") } else { framed };
    framed.build()
}

fn deleted() -> Object {
    let ids = utoipa::openapi::ArrayBuilder::new().items(ObjectBuilder::new().schema_type(TEXT));
    object(&[("room_id", TEXT), ("is_hard_delete", FLAG), ("by", TEXT)])
        .property("unique_ids", ids)
        .required("unique_ids")
        .build()
}

fn custom_event() -> Object {
    let named = object(&[("room_id", TEXT), ("user_id", TEXT)]);
    named.property("data", any_json()).required("data").build()
}

fn any_json() -> Object {
    let about = format!("Any JSON, at most {} bytes.", limits::CUSTOM_EVENT_BYTES_MAX);
    ObjectBuilder::new().schema_type(SchemaType::AnyValue).description(Some(about)).build()
}

fn object(fields: Fields) -> ObjectBuilder {
    with(ObjectBuilder::new(), fields)
}

fn with(object: ObjectBuilder, fields: Fields) -> ObjectBuilder {
    fields.iter().fold(object, |object, (name, kind)| {
        let field = ObjectBuilder::new().schema_type(kind.clone());
        object.property(*name, field).required(*name)
    })
}

fn text(about: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(TEXT).description(Some(about))
}

fn word(word: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(TEXT).enum_values(Some([word]))
}
