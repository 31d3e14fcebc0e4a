//! The web pages: the dashboard (D-0110, D-0111) and the widget (design/pages).
//!
//! - `GET /`, `GET /dashboard` redirect to `/dashboard/`
//! - `GET /dashboard/assets/{name}`: the page's assets
//! - `GET /dashboard/{path}`: the page, for any screen
//! - `GET /widget.js`, `/widget/assets/{name}`, `/chat/{app_code}`, `/widget/demo`: see `widget`
//!
//! Requested by browsers, without credentials: a page contains no data of any app, and loads it by
//! the public API. All files are part of the binary (`confab_web`).

pub(super) mod asset;
mod page;
mod widget;

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;

use confab_app::services::Services;

/// Returns the routes of the pages and of the dashboard's assets.
pub(super) fn pages() -> Router<Services> {
    let to_dashboard = || async { Redirect::temporary("/dashboard/") };
    Router::new()
        .route("/", get(to_dashboard))
        .route("/dashboard", get(to_dashboard))
        .route("/dashboard/", get(page::dashboard))
        .route("/dashboard/{*screen}", get(page::dashboard))
        .route("/dashboard/assets/{*name}", get(asset::of_dashboard))
        .route("/chat/{app_code}", get(widget::chat))
        .route("/widget/demo", get(widget::demo))
        .route("/widget/demo/shop", get(widget::demo_shop))
}

/// Returns the routes of files that pages of other sites load.
pub(super) fn for_other_pages() -> Router<Services> {
    Router::new()
        .route("/widget.js", get(widget::loader))
        .route("/widget/assets/{*name}", get(widget::part))
}
