//! Generates the OpenAPI document from the routes. Only tests do so: they compare it with the
//! checked-in file, which the server serves (design/operations).

use confab_wire::described_payloads;
use confab_wire::realtime::schema::RealtimeClientFrame;
use confab_wire::refusal::{
    ErrorBody, ErrorsBody, ErrorsDetail, ServiceErrorBody, ServiceErrorData, ServiceErrorDetail,
};
use utoipa::openapi::schema::Schema;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, License, OpenApi, OpenApiBuilder, RefOr};

use self::description::Description;
use super::routes;

mod described;
pub(crate) mod description;
mod failures;
mod path_parameters;
mod samples;
mod webhooks;

const ABOUT: &str = "Post, load and delete messages and system events in rooms. Calls of the \
    message API require the app id and SDK secret in two headers; calls of the webhook API require \
    the app id and secret key, or the token of an admin: press Authorize. Every response has the \
    header `x-request-id`. Errors have one of two formats: ErrorBody in the message API and the \
    client API, ErrorsBody in the omnichannel API and the webhook API. Only calls that stand in \
    for a messaging provider return errors in that provider's format. docs/errors.md lists all \
    error codes.";

/// Sections of the document with their descriptions, in reading order.
const TAGS: [(&str, &str); 13] = [
    ("Messages", "Post, load and delete messages and system events."),
    ("Rooms", "A room must exist before anything is posted."),
    ("Users", "Senders must be registered and be participants of the room."),
    ("Clients", "Calls of the published SDKs on behalf of one user; also under /api/v2/mobile."),
    ("Webhooks", "Endpoints and deliveries of webhooks, and tests of both."),
    ("People", "Agents: sign in, add, change and list them."),
    ("Configuration", "Settings of the app, and the webhooks of the specification."),
    ("Channels", "Channels through which customers write, the widget, and replies."),
    ("Service", "Customer support: assignment and resolution of conversations, and the inbox."),
    ("Dashboard", "Calls of the dashboard: signing in, reading, and live updates."),
    ("Office", "Calls for admins and supervisors: board, statistics, search, audit log."),
    ("Realtime", "Live events of a user."),
    ("Operating", "Health and metrics of the server; no credentials."),
];

/// Builds the document of a server with these brands.
pub fn document(brands: &[String]) -> OpenApi {
    let mut document = front_page(brands);
    add_schemas(&mut document, described_payloads::schemas());
    let schemas = webhooks::add(&mut document, brand_of(brands));
    add_schemas(&mut document, schemas);
    let calls = routes::calls(brands).and(routes::operating());
    for (path, Description { methods, mut operation, schemas }) in calls.descriptions() {
        samples::offer(&mut operation, &schemas);
        document.paths.add_path_operation(path, methods, operation);
        add_schemas(&mut document, schemas);
    }
    document
}

/// Adds schemas. Two calls must not use one name for different schemas, because the document would
/// show one of them for both.
fn add_schemas(document: &mut OpenApi, schemas: Vec<(String, RefOr<Schema>)>) {
    let known = &mut document.components.get_or_insert_default().schemas;
    for (name, schema) in schemas {
        let before = known.entry(name.clone()).or_insert_with(|| schema.clone());
        assert!(*before == schema, "two schemas have the name {name}");
    }
}

fn brand_of(brands: &[String]) -> &str {
    brands.first().map_or("SERVICE", String::as_str)
}

/// Builds the document's front matter: description, schemes and tags.
fn front_page(brands: &[String]) -> OpenApi {
    let brand = brand_of(brands);
    let header = |name: &str| {
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(format!("{brand}-{name}"))))
    };
    let mut license = License::new("Apache-2.0");
    license.identifier = Some("Apache-2.0".to_owned());
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Confab")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(ABOUT))
                .license(Some(license))
                .build(),
        )
        .components(Some(
            ComponentsBuilder::new()
                .schema_from::<ErrorBody>()
                .schema_from::<ErrorsBody>()
                .schema_from::<ErrorsDetail>()
                .schema_from::<ServiceErrorBody>()
                .schema_from::<ServiceErrorDetail>()
                .schema_from::<ServiceErrorData>()
                .schema_from::<RealtimeClientFrame>()
                .security_scheme("app_id", header("SDK-APP-ID"))
                .security_scheme("sdk_secret", header("SDK-SECRET"))
                .security_scheme("user_token", header("SDK-TOKEN"))
                .security_scheme("app_code", header("App-Id"))
                .security_scheme("user_token", header("SDK-TOKEN"))
                .security_scheme("secret_key", header("Secret-Key"))
                .security_scheme("user_id", header("User-Id"))
                .security_scheme("token", authorization())
                .security_scheme("sdk_token", authorization())
                .build(),
        ))
        .tags(Some(
            TAGS.map(|(name, about)| TagBuilder::new().name(name).description(Some(about)).build()),
        ))
        .build()
}

/// Returns the scheme of credentials in the `Authorization` header: a token without a scheme such
/// as `Bearer`.
fn authorization() -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("Authorization")))
}
