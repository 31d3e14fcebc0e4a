//! `POST /realtime` (wire facts 4.1)

use confab_wire::message_api::Results;
use confab_wire::sdk_api::config::{RealtimeFields, RealtimeStatus, read_topic};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;

#[utoipa::path(
    post,
    path = "/realtime",
    operation_id = "sdk_realtime",
    tag = "Clients",
    summary = "Whether what is sent to a topic is heard",
    request_body = RealtimeFields,
    security(("app_id" = [], "user_token" = [])),
    responses((status = 200, description = "Done", body = Results<RealtimeStatus>), ClientFailures),
)]
pub(crate) async fn handler(_caller: UserCaller, body: RequestBody) -> Answer {
    read_topic(&body.fields()?)?;
    ok(RealtimeStatus { status: true })
}
