//! `GET /config` (wire facts 4.1)

use confab_wire::message_api::Results;
use confab_wire::sdk_api::config::{ClientConfig, client_config};

use crate::http::answer::{Answer, ok};
use crate::http::callers::ClientApp;
use crate::http::docs::Failures;

#[utoipa::path(
    get,
    path = "/config",
    operation_id = "sdk_config",
    tag = "Clients",
    summary = "How clients shall behave",
    security(("app_id" = [])),
    responses((status = 200, description = "Done", body = Results<ClientConfig>), Failures),
)]
pub(crate) async fn handler(_caller: ClientApp) -> Answer {
    ok(client_config())
}
