//! Tests the comparison of contracts with small documents.

use serde_json::{Value, json};

use super::facts::Contract;
use super::narrowed::narrowed;

fn document() -> Value {
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    json!({
        "paths": {"/rooms/{id}": {"post": {
            "security": [{"app_id": [], "secret": []}, {"token": []}],
            "parameters": [
                {"in": "path", "name": "id", "required": true, "schema": {"type": "string"}},
                {"in": "query", "name": "limit", "required": false,
                    "schema": {"type": "integer", "maximum": 100}},
            ],
            "requestBody": {"content": {"application/json": {"schema": reference("Post")}}},
            "responses": {
                "200": {"content": {"application/json": {"schema": reference("Posted")}}},
                "404": {"content": {"application/json": {"schema": {"type": "object"}}}},
            },
        }}},
        "webhooks": {"bot": {"post": {
            "requestBody": {"required": true, "content": {"application/json": {"schema": {
                "type": "object", "required": ["text"],
                "properties": {"text": {"type": "string", "description": "The text."}},
            }}}},
            "responses": {"200": {}},
        }}},
        "components": {
            "securitySchemes": {"token": {"in": "header", "name": "Authorization"}},
            "schemas": {
                "Post": {"type": "object", "required": ["text"], "properties": {
                    "text": {"type": "string", "maxLength": 4000},
                    "kind": {"type": ["string", "null"], "enum": ["card", "text"]},
                    "users": {"type": "array", "maxItems": 3, "items": {"type": "string"}},
                }},
                "Posted": {"type": "object", "required": ["id", "replied"], "properties": {
                    "id": {"type": "string"},
                    "state": {"type": "string", "enum": ["sent", "read"]},
                    "replied": {"oneOf": [{"type": "null"}, reference("Posted")]},
                    "event": {"oneOf": [
                        {"type": "object", "required": ["a"],
                            "properties": {"a": {"type": "string"}}},
                        {"type": "object", "required": ["b"],
                            "properties": {"b": {"type": "string"}}},
                    ]},
                }},
            },
        },
    })
}

/// Returns the reported changes after the value at a location is replaced or removed.
fn changes(place: &str, value: Option<Value>) -> Vec<String> {
    let mut later = document();
    let (parent, name) = place.rsplit_once('/').expect("a place within the document");
    let parent = later.pointer_mut(parent).expect("an existing place");
    let name = &name.replace("~1", "/");
    match (parent, value) {
        (Value::Object(parent), Some(value)) => parent.insert(name.to_owned(), value),
        (Value::Object(parent), None) => Some(parent.remove(name).expect("a value to remove")),
        (Value::Array(parent), None) => {
            Some(parent.remove(name.parse().expect("a number of the list")))
        }
        _ => panic!("{place} does not exist"),
    };
    let (old, new) = (Contract::of_document(&document()), Contract::of_document(&later));
    narrowed(&old, &new).into_iter().collect()
}

const CALL: &str = "/paths/~1rooms~1{id}/post";
const SCHEMAS: &str = "/components/schemas";

#[test]
fn every_removal_and_restriction_is_reported() {
    let call = |rest: &str| format!("{CALL}{rest}");
    let schema = |rest: &str| format!("{SCHEMAS}{rest}");
    let cases = [
        ("/paths/~1rooms~1{id}".to_owned(), None, "POST /rooms/{id}: the call is gone"),
        (call("/security/1"), None, "POST /rooms/{id}: token is no longer enough as proof"),
        (call("/parameters/1"), None, "POST /rooms/{id} query limit: is gone"),
        (
            call("/parameters/1/schema/maximum"),
            Some(json!(50)),
            "POST /rooms/{id} query limit: maximum is 50 now, was 100",
        ),
        (
            call("/parameters/1/required"),
            Some(json!(true)),
            "POST /rooms/{id} query limit: is required now",
        ),
        (call("/requestBody/required"), Some(json!(true)), "POST /rooms/{id}: needs a body now"),
        (
            call("/requestBody/content"),
            Some(json!({})),
            "POST /rooms/{id} request: application/json is gone",
        ),
        (call("/responses/404"), None, "POST /rooms/{id}: status 404 is gone"),
        (schema("/Post/properties/users"), None, "Post.users: is gone"),
        (schema("/Post/required"), Some(json!(["text", "kind"])), "Post.kind: is required now"),
        (
            schema("/Post/properties/text/maxLength"),
            Some(json!(3000)),
            "Post.text: maxLength is 3000 now, was 4000",
        ),
        (
            schema("/Post/properties/text/pattern"),
            Some(json!("^a$")),
            "Post.text: pattern is \"^a$\" now, was none",
        ),
        (
            schema("/Post/properties/kind/type"),
            Some(json!("string")),
            "Post.kind: is string now, was null or string",
        ),
        (schema("/Post/properties/kind/enum/0"), None, "Post.kind: the value \"card\" is gone"),
        (
            schema("/Post/properties/users/items/type"),
            Some(json!("integer")),
            "Post.users[]: is integer now, was string",
        ),
        (schema("/Posted/properties/id"), None, "Posted.id: is gone"),
        (schema("/Posted/required"), Some(json!(["replied"])), "Posted.id: may be absent now"),
        (
            schema("/Posted/properties/id/type"),
            Some(json!(["string", "null"])),
            "Posted.id: is null or string now, was string",
        ),
        (
            schema("/Posted/properties/state/enum/1"),
            None,
            "Posted.state: the value \"read\" is gone",
        ),
        (
            schema("/Posted/properties/event/oneOf/1/required"),
            Some(json!([])),
            "Posted.event|2.b: may be absent now",
        ),
        (
            "/webhooks/bot/post/requestBody/content/application~1json/schema/properties/text"
                .to_owned(),
            None,
            "webhook bot body.text: is gone",
        ),
        (
            "/components/securitySchemes/token/name".to_owned(),
            Some(json!("Token")),
            "proof token: the header has another name",
        ),
    ];
    for (place, value, expected) in cases {
        assert_eq!(changes(&place, value), [expected], "{place}");
    }
}

#[test]
fn additions_and_wider_limits_are_not_reported() {
    let cases = [
        (format!("{CALL}/responses/409"), json!({})),
        (format!("{SCHEMAS}/Post/properties/new"), json!({"type": "string"})),
        (format!("{SCHEMAS}/Posted/properties/new"), json!({"type": "string"})),
        (format!("{SCHEMAS}/Post/properties/text/maxLength"), json!(5000)),
        (format!("{SCHEMAS}/Post/properties/text/type"), json!(["string", "null"])),
        (format!("{SCHEMAS}/Post/required"), json!([])),
        (format!("{SCHEMAS}/Post/properties/kind/enum"), json!(["card", "new", "text"])),
        (format!("{SCHEMAS}/Posted/properties/state/enum"), json!(["sent", "read", "new"])),
        (
            format!("{SCHEMAS}/Posted/properties/replied"),
            json!({"$ref": "#/components/schemas/Posted"}),
        ),
        (format!("{SCHEMAS}/Post/description"), json!("Another text.")),
        (format!("{SCHEMAS}/Post/properties/text/example"), json!("Hello")),
    ];
    for (place, value) in cases {
        assert!(changes(&place, Some(value)).is_empty(), "{place}");
    }
    let mut later = document();
    let call = later["paths"]["/rooms/{id}"].take();
    later["paths"] = json!({"/rooms/{room_id}": call, "/new": {"get": {"responses": {}}}});
    let (old, new) = (Contract::of_document(&document()), Contract::of_document(&later));
    assert!(narrowed(&old, &new).is_empty());
}
