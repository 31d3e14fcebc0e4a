//! Examples of each message type for the calls that post messages. Swagger UI lists them and
//! selects the first.

use confab_domain::messages::message_kind::MessageKind;
use confab_wire::described_payloads;
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{Object, Schema};

/// Adds an example of each message type to the request body of a call that posts messages. Does
/// nothing for other calls.
pub(super) fn offer(call: &mut Operation, schemas: &[(String, RefOr<Schema>)]) {
    let Some(RefOr::T(body)) = &mut call.request_body else { return };
    let Some(RefOr::T(content)) = body.content.get_mut("application/json") else { return };
    let Some(Value::Object(base)) = schemas.iter().find_map(posted_of) else { return };
    let mut types = described_payloads::examples();
    // The first example must work when executed unchanged, and text messages do.
    types.sort_by_key(|(kind, ..)| *kind != MessageKind::Text);
    for (at, (kind, message, payload)) in types.into_iter().enumerate() {
        let value = filled(base.clone(), kind, message, payload);
        let example = ExampleBuilder::new().summary(kind.as_str()).value(Some(value)).build();
        content.examples.insert(format!("{:02}-{}", at + 1, kind.as_str()), RefOr::T(example));
    }
}

/// Returns the example of a schema, if the schema has a payload that depends on the message type.
fn posted_of((_, schema): &(String, RefOr<Schema>)) -> Option<Value> {
    let RefOr::T(Schema::Object(Object { properties, example, .. })) = schema else { return None };
    let payload = properties.get("payload")?;
    matches!(payload, RefOr::T(Schema::AnyOf(_))).then(|| example.clone()).flatten()
}

fn filled(
    mut fields: Map<String, Value>,
    kind: MessageKind,
    message: Option<&str>,
    payload: Option<Value>,
) -> Value {
    // Client calls name the text of a message `comment`.
    let text = if fields.contains_key("comment") { "comment" } else { "message" };
    fields.remove(text);
    fields.insert("type".to_owned(), kind.as_str().into());
    fields.extend(message.map(|message| (text.to_owned(), message.into())));
    fields.extend(payload.map(|payload| ("payload".to_owned(), payload)));
    Value::Object(fields)
}
