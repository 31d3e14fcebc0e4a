//! `POST /file_list` and `GET /file_list` (wire facts 4.3, D-0048)

use axum::extract::State;
use confab_wire::body::Body;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::messages::{CommentList, listed};
use confab_wire::sdk_api::searching::{Search, SearchFields};

use super::searching::found;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::{RequestBody, RequestQuery};
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/file_list",
    operation_id = "client_file_list",
    tag = "Clients",
    summary = "List files that were sent in one's rooms",
    request_body = SearchFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<CommentList<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    answer(&services, &caller, &body.fields()?).await
}

#[utoipa::path(
    get,
    path = "/file_list",
    operation_id = "client_file_list_by_query",
    tag = "Clients",
    summary = "List files that were sent in one's rooms",
    params(SearchFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<CommentList<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn by_query(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    answer(&services, &caller, &query.fields()?).await
}

async fn answer(services: &Services, caller: &UserCaller, fields: &Body<'_>) -> Answer {
    let found = found(services, caller, &Search::read_files(fields)?).await?;
    ok(listed(found.iter().map(|(said, room)| (&**said, &**room))))
}
