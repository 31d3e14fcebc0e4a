//! `POST /search_messages` (wire facts 4.3, D-0048)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::messages::CommentList;
use confab_wire::sdk_api::searching::{Search, SearchFields};

use super::searching::found;
use crate::http::answer::Answer;
use crate::http::bodies::PostedFields;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/search_messages",
    operation_id = "client_search_messages",
    tag = "Clients",
    summary = "Search for messages in one's rooms, as older clients do",
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
    given: PostedFields,
) -> Answer {
    found(&services, &caller, &Search::read(&given.fields()?)?).await
}
