//! The whole server as one router: the routes, the pages, and the layers around them.

use std::time::Duration;

use axum::Router;
use axum::http::HeaderName;
use axum::routing::get;
use tower_http::cors::{AllowHeaders, AllowMethods, CorsLayer};

use super::error_shape::ErrorShape;
use super::{docs, envelope, mqtt, routes, web};
use crate::services::Services;

/// The whole server.
pub fn router(services: Services) -> Router {
    let brands = &services.config().brands;
    let around = |router, shape| enveloped(router, services.clone(), shape);
    let socket = Router::new().route("/mqtt", get(mqtt::handler));
    around(socket.merge(docs::docs()), None)
        .merge(routes::apis(brands).into_router(around))
        .merge(around(web::for_other_pages(), None))
        .layer(any_origin())
        .merge(around(routes::operating().into_router(), None))
        .merge(around(web::pages(), None))
        .with_state(services.clone())
}

/// Puts the layers around a router that every request goes through.
pub fn layered(router: Router, services: Services) -> Router {
    enveloped(router, services, None).layer(any_origin())
}

/// The same without what pages of others may read.
fn enveloped<S>(router: Router<S>, services: Services, shape: Option<ErrorShape>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    router.layer(axum::middleware::from_fn_with_state((services, shape), envelope::envelope))
}

/// Clients run in browsers, on pages of anybody. Nothing here is proven by a cookie, so a page can
/// do no more than whoever holds the same token (D-0050).
fn any_origin() -> CorsLayer {
    let shown = ["x-request-id", "retry-after"].map(HeaderName::from_static);
    CorsLayer::new()
        .allow_origin(tower_http::cors::Any)
        .allow_methods(AllowMethods::mirror_request())
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(shown)
        .max_age(Duration::from_secs(86_400))
}
