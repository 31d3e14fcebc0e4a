//! The interactive API page at `/docs`, and the document behind it: generated from the routes, and
//! served from the binary without any other host.

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use confab_wire::realtime::schema::RealtimeClientFrame;
use confab_wire::refusal::{
    ErrorBody, ErrorsBody, ErrorsDetail, ServiceErrorBody, ServiceErrorData, ServiceErrorDetail,
};
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, License, OpenApi, OpenApiBuilder};
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::services::Services;

const ABOUT: &str = "Post, load and delete messages and system events in rooms. Every call of the \
    message API carries the app's id and SDK secret in two headers, every call of the webhook API \
    the app's id and secret key, or the token of an admin: press Authorize. Every answer carries \
    `x-request-id`; every failure of an API has the same shape.";

/// The parts of the document, in reading order.
const TAGS: [(&str, &str); 13] = [
    ("Messages", "Post, load and delete messages and system events."),
    ("Rooms", "A room must exist before anything is posted."),
    ("Users", "Whoever posts must be registered, and be in the room."),
    ("Clients", "What the published SDKs call on behalf of one user; also under /api/v2/mobile."),
    ("Webhooks", "Where the app is told of what happens, what was told, and trying it out."),
    ("People", "Who works in the app: signing in, adding, changing and listing them."),
    ("Configuration", "What the app is set to, and the webhooks of the specification."),
    ("Channels", "Where customers write from, the widget, and what agents and bots answer."),
    ("Service", "Who serves which customer, how that ends, and what an inbox shows."),
    ("Dashboard", "What the pages of the dashboard ask for: signing in, reading, seeing it live."),
    ("Office", "What those ask for who run an office: board, search, who changed what."),
    ("Realtime", "See what happens the moment it does, as a user."),
    ("Operating", "For those who watch the server; no credentials."),
];

const DOCUMENT: &str = "/openapi.json";

/// Nothing but what the page itself brings may run on it.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' \
    'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; \
    frame-ancestors 'none'; base-uri 'none'";

/// What the document says before its routes.
pub(super) fn front_page(brands: &[String]) -> OpenApi {
    let brand = brands.first().map_or("SERVICE", String::as_str);
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

/// The token of a sign-in, or that of an SDK, without any word before it.
fn authorization() -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("Authorization")))
}

/// Adds `/docs` and `/openapi.json`, which is this document: made when it is first asked for, and
/// kept as it is sent.
pub(super) fn with_docs(
    router: Router<Services>,
    make: impl Fn() -> OpenApi + Clone + Send + Sync + 'static,
) -> Router<Services> {
    let config = Config::from(DOCUMENT).try_it_out_enabled(true).persist_authorization(true);
    let page: Router<Services> = SwaggerUi::new("/docs").config(config).into();
    let json = [(header::CONTENT_TYPE, "application/json")];
    let made = Arc::new(OnceCell::<Bytes>::new());
    let document = async move || {
        let text = move || serde_json::to_vec(&make()).unwrap_or_default();
        let made = made.get_or_init(async || spawn_blocking(text).await.unwrap_or_default().into());
        (json, made.await.clone())
    };
    let page = page.route(DOCUMENT, get(document));
    router.merge(page.layer(axum::middleware::from_fn(only_ours)))
}

async fn only_ours(request: axum::extract::Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let policy = HeaderValue::from_static(PAGE_POLICY);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}
