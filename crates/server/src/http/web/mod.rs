//! The pages for people: the dashboard (D-0110, D-0111), and the widget (D-0131).
//!
//! - `GET /`, `GET /dashboard` lead to `/dashboard/`
//! - `GET /dashboard/assets/{name}`: what the page is built of
//! - `GET /dashboard/{path}`: the page, whatever screen the path names
//! - `GET /widget.js`, `/widget/assets/{name}`, `/chat/{app_code}`, `/widget/demo`: see `widget`
//!
//! Asked by browsers, with no credentials: a page holds nothing of any app, and reads what it shows
//! by the API like everybody. Everything comes from the binary (`confab_web`).

pub(super) mod asset;
mod page;
mod widget;

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;

use crate::services::Services;

/// The routes of the pages.
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

/// What pages of others load.
pub(super) fn for_other_pages() -> Router<Services> {
    Router::new()
        .route("/widget.js", get(widget::loader))
        .route("/widget/assets/{*name}", get(widget::part))
}
