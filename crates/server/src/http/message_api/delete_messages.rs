//! `DELETE /delete_messages` (spec 4.1)

use axum::extract::State;
use confab_wire::message_api::comments::{DeleteMessages, DeleteMessagesFields};
use confab_wire::message_api::{Confirmed, Results, confirmed};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::{RequestBody, RequestQuery};
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::http::message_api::counted;
use crate::services::Services;

#[utoipa::path(
    delete,
    path = "/delete_messages",
    operation_id = "delete_messages",
    tag = "Messages",
    summary = "Delete up to three messages",
    request_body = DeleteMessagesFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<Confirmed>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
    body: RequestBody,
) -> Answer {
    let DeleteMessages { ids } = DeleteMessages::read(&body.fields()?, &query.fields()?)?;
    let deleted = actions::delete_messages(&services, &caller.app, ids).await?;
    ok(confirmed(format!("{} deleted", counted(deleted.len(), "message"))))
}
