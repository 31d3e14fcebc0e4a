//! `GET /sync` (wire facts 4.3)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::messages::{SyncFields, Synced, read_sync, synced};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/sync",
    operation_id = "client_sync",
    tag = "Clients",
    summary = "Catch up with messages of all one's rooms",
    params(SyncFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<Synced<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let (after, size) = read_sync(&query.fields()?)?;
    let found = services.store().messages_after(caller.user.key, after, size).await?;
    ok(synced(&found, after))
}
