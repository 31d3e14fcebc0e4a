//! `PUT /endpoints/{kind}`

use axum::extract::{Path, State};
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::endpoints::{
    EndpointBox, PutEndpointFields, one_endpoint, read_put_endpoint,
};

use super::kind_of;
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::RequestBody;
use crate::http::callers::KeyCaller;
use crate::http::docs::KeyFailures;
use crate::http::targets;
use crate::services::Services;

#[utoipa::path(
    put,
    path = "/endpoints/{kind}",
    operation_id = "put_webhook_endpoint",
    tag = "Webhooks",
    summary = "Register where the app is told of a kind, or change it",
    params(("kind" = String, Path, description = "Which webhook", example = "bot")),
    request_body = PutEndpointFields,
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<EndpointBox<'static>>), KeyFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    Path(kind): Path<String>,
    body: RequestBody,
) -> Answer {
    let wanted = read_put_endpoint(&body.fields()?, kind_of(&kind)?)?;
    targets::check(&services, "url", &wanted.url)?;
    let endpoint = actions::put_endpoint(&services, &caller.app, wanted).await?;
    let backlogs = services.store().backlogs(caller.app.id).await?;
    data(one_endpoint(&endpoint, &backlogs))
}
