//! `POST /event_report` (wire facts 4.1)

use confab_wire::message_api::{Confirmed, Results, confirmed};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;

#[utoipa::path(
    post,
    path = "/event_report",
    operation_id = "sdk_event_report",
    tag = "Clients",
    summary = "Take what a client reports about itself, and keep nothing",
    security(("app_id" = [], "user_token" = [])),
    responses((status = 200, description = "Done", body = Results<Confirmed>), ClientFailures),
)]
pub(crate) async fn handler(_caller: UserCaller, _body: RequestBody) -> Answer {
    ok(confirmed("Thank you."))
}
