//! Uploads of agents, handled like those of clients (design/files).
//!
//! - `POST /api/v2/files`

use axum::extract::{FromRequestParts, Request as HttpRequest, State};
use confab_app::services::Services;
use confab_wire::omnichannel_api::support::files::{SendFileFields, SentFile, SentFileBox};
use confab_wire::webhook_api::Data;

use crate::requests::callers::AgentCaller;
use crate::responses::answer::{Answer, data};
use crate::sdk::upload;

#[utoipa::path(
    post,
    path = "/api/v2/files",
    operation_id = "send_file",
    tag = "Dashboard",
    summary = "Upload a file and get its URL",
    request_body(content = SendFileFields, content_type = "multipart/form-data"),
    responses((status = 200, description = "Done", body = Data<SentFileBox<'static>>)),
)]
pub(crate) async fn post(State(services): State<Services>, request: HttpRequest) -> Answer {
    let (mut parts, body) = request.into_parts();
    let caller = AgentCaller::from_request_parts(&mut parts, &services).await?;
    let file = upload::received(&services, &parts, body).await?;
    let proof = caller.prove_again(&services);
    let kept = upload::keep(&services, &caller.app, caller.agent.speaker, file, proof).await?;
    data(SentFileBox { file: SentFile { name: &kept.name, size: kept.size, url: &kept.url } })
}
