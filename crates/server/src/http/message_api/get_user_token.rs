//! `GET /get_user_token` (wire facts 3.1)

use axum::extract::State;
use confab_domain::app::App;
use confab_domain::refusal::Refusal;
use confab_wire::message_api::Results;
use confab_wire::message_api::users::{OneUserFields, TokenBox, read_one_user};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::http::message_api::unknown_user;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/get_user_token",
    operation_id = "get_user_token",
    tag = "Users",
    summary = "Read what a user connects with",
    params(OneUserFields),
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<TokenBox>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let user_id = read_one_user(&query.fields()?)?;
    if user_id == App::system_user_id(&caller.app.code) {
        return Err(Refusal::SystemUser(user_id.as_str().to_owned()).into());
    }
    let found = services.store().token(caller.app.id, &user_id).await?;
    ok(TokenBox { token: found.ok_or_else(|| unknown_user(&user_id))? })
}
