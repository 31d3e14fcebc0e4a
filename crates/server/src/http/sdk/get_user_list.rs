//! `GET /get_user_list` (wire facts 4.2)

use axum::extract::State;
use confab_domain::service::settings::UserList;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::{FindUsersFields, FoundUsers, found_users, read_find_users};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/get_user_list",
    operation_id = "sdk_get_user_list",
    tag = "Clients",
    summary = "Users of the app, by their names",
    description = "The app's setting `user_list` says what is shown: with `off` nobody, with \
        `names` no `extras`.",
    params(FindUsersFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<FoundUsers<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let (text, page) = read_find_users(&query.fields()?)?;
    let (store, skipped) = (services.store(), page.skipped());
    let shown = store.settings(caller.app.id).await?.user_list();
    if shown == UserList::Off {
        return ok(found_users(&[], 0, page, false));
    }
    let found = store.find_users(&caller.app, &text, skipped, page.size).await?;
    ok(found_users(&found.users, found.total, page, shown == UserList::All))
}
