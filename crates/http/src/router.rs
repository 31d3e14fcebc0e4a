//! The server's router: routes, pages and the middleware around them.

use std::time::Duration;

use axum::Router;
use axum::http::HeaderName;
use axum::routing::get;
use confab_app::services::Services;
use tower_http::cors::{AllowHeaders, AllowMethods, CorsLayer};

use super::{docs, envelope, health, mqtt, routes, web};
use crate::responses::error_shape::ErrorShape;

/// Builds the router of the whole server.
pub fn router(services: Services) -> Router {
    let brands = &services.config().brands;
    let around = |router, shape| enveloped(router, services.clone(), shape);
    let socket = Router::new().route("/mqtt", get(mqtt::handler));
    around(socket.merge(docs::docs()), None)
        .merge(routes::calls(brands).into_router(around))
        .merge(around(web::for_other_pages(), None))
        .layer(any_origin())
        .merge(routes::operating().into_router(around))
        .merge(around(Router::new().route("/health/stream", get(health::probe)), None))
        .merge(around(web::pages(), None))
        .with_state(services.clone())
}

/// Adds the middleware of every request to a router, with CORS.
pub fn layered(router: Router, services: Services) -> Router {
    enveloped(router, services, None).layer(any_origin())
}

/// Adds the middleware of every request, without CORS.
fn enveloped<S>(router: Router<S>, services: Services, shape: Option<ErrorShape>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    router.layer(axum::middleware::from_fn_with_state((services, shape), envelope::envelope))
}

/// Allows pages of any origin, because clients run in browsers on any site. Responses allow no
/// credentials, and the dashboard's cookie is accepted from pages of this server only, so a page
/// has no more rights than the token that it holds.
fn any_origin() -> CorsLayer {
    let shown = ["x-request-id", "retry-after"].map(HeaderName::from_static);
    CorsLayer::new()
        .allow_origin(tower_http::cors::Any)
        .allow_methods(AllowMethods::mirror_request())
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(shown)
        .max_age(Duration::from_secs(86_400))
}
