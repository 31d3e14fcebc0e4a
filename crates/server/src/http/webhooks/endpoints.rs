//! Where an app is told of what happens.
//!
//! - `GET /endpoints`, `PUT /endpoints/{kind}`
//! - `POST /endpoints/{kind}/pause`, `POST /endpoints/{kind}/resume`

use axum::extract::{Path, State};
use confab_domain::decision::rule::Rule;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_domain::webhooks::subscribing::PauseEndpoint;
use confab_domain::webhooks::subscribing::PutEndpoint;
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::endpoints::{
    EndpointBox, EndpointList, PutEndpointFields, endpoint_list, one_endpoint, read_put_endpoint,
};

use crate::http::answer::{Answer, data};
use crate::http::bodies::RequestBody;
use crate::http::callers::KeyCaller;
use crate::http::targets;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/endpoints",
    operation_id = "list_webhook_endpoints",
    tag = "Webhooks",
    summary = "List where the app is told, and how that goes",
    responses((status = 200, description = "Done", body = Data<EndpointList<'static>>)),
)]
pub(crate) async fn list(State(services): State<Services>, caller: KeyCaller) -> Answer {
    let endpoints = services.store().endpoints(caller.app.id).await?;
    let backlogs = services.store().backlogs(caller.app.id).await?;
    data(endpoint_list(&endpoints, &backlogs))
}

#[utoipa::path(
    put,
    path = "/endpoints/{kind}",
    operation_id = "put_webhook_endpoint",
    tag = "Webhooks",
    summary = "Register where the app is told of a kind, or change it",
    params(("kind" = String, Path, description = "Which webhook", example = "bot")),
    request_body = PutEndpointFields,
    responses((status = 200, description = "Done", body = Data<EndpointBox<'static>>)),
)]
pub(crate) async fn put(
    State(services): State<Services>,
    caller: KeyCaller,
    Path(kind): Path<String>,
    body: RequestBody,
) -> Answer {
    let wanted = read_put_endpoint(&body.fields()?, kind_of(&kind)?)?;
    targets::check(&services, "url", &wanted.url)?;
    let endpoint = services.decide(&caller.app, PutEndpoint { wanted }.on_right(None)).await?;
    let backlogs = services.store().backlogs(caller.app.id).await?;
    data(one_endpoint(&endpoint, &backlogs))
}

#[utoipa::path(
    post,
    path = "/endpoints/{kind}/pause",
    operation_id = "pause_webhook_endpoint",
    tag = "Webhooks",
    summary = "Let the webhooks of a kind wait",
    params(("kind" = String, Path, description = "Which webhook", example = "bot")),
    responses((status = 200, description = "Done", body = Data<EndpointBox<'static>>)),
)]
pub(crate) async fn pause(
    State(services): State<Services>,
    caller: KeyCaller,
    Path(kind): Path<String>,
) -> Answer {
    let rule = PauseEndpoint { kind: kind_of(&kind)?, is_paused: true };
    let endpoint = services.decide(&caller.app, rule.on_right(None)).await?;
    let backlogs = services.store().backlogs(caller.app.id).await?;
    data(one_endpoint(&endpoint, &backlogs))
}

#[utoipa::path(
    post,
    path = "/endpoints/{kind}/resume",
    operation_id = "resume_webhook_endpoint",
    tag = "Webhooks",
    summary = "Send the webhooks that waited, and those to come",
    params(("kind" = String, Path, description = "Which webhook", example = "bot")),
    responses((status = 200, description = "Done", body = Data<EndpointBox<'static>>)),
)]
pub(crate) async fn resume(
    State(services): State<Services>,
    caller: KeyCaller,
    Path(kind): Path<String>,
) -> Answer {
    let rule = PauseEndpoint { kind: kind_of(&kind)?, is_paused: false };
    let endpoint = services.decide(&caller.app, rule.on_right(None)).await?;
    let backlogs = services.store().backlogs(caller.app.id).await?;
    data(one_endpoint(&endpoint, &backlogs))
}

/// The kind that stands in a path.
pub(super) fn kind_of(text: &str) -> Result<NoticeKind, Refusal> {
    NoticeKind::parse(text).ok_or_else(|| Refusal::KindNotFound(text.to_owned()))
}
