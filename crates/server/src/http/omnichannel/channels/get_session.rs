//! `GET /{app_code}/get_session` (wire facts 5.5)

use axum::extract::State;
use axum::http::StatusCode;
use confab_domain::service::settings::Settings;
use confab_wire::omnichannel_api::channels::{SessionShape, session};
use confab_wire::webhook_api::Data;

use crate::http::answer::{Answer, data};
use crate::http::callers::PathApp;
use crate::http::docs::OmniFailures;
use crate::http::problem::Problem;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/{app_code}/get_session",
    operation_id = "get_session",
    tag = "Channels",
    summary = "Whether a resolved customer who writes again gets a new room",
    params(("app_code" = String, Path, description = "The app")),
    responses((status = 200, description = "Done", body = Data<SessionShape>), OmniFailures),
)]
pub(crate) async fn handler(State(services): State<Services>, PathApp(named): PathApp) -> Answer {
    let _running = named.count(&services)?;
    let Some(app) = named.app() else { return Err(unknown_app()) };
    let settings = services.store().settings(app.id).await?;
    data(session(settings.is_on(Settings::IS_SESSIONAL)))
}

/// No app has this code.
pub(super) fn unknown_app() -> Problem {
    let message = "There is no app of this code.";
    Problem::new(StatusCode::NOT_FOUND, "app_not_found", message)
}
