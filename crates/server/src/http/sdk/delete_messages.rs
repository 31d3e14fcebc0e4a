//! `DELETE /delete_messages` of a client (wire facts 4.3)

use axum::extract::State;
use confab_domain::messages::message::{Message, Said};
use confab_wire::message_api::Results;
use confab_wire::sdk_api::messages::{CommentList, DeleteMessages, DeleteMessagesFields, listed};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::{RequestBody, RequestQuery};
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    delete,
    path = "/delete_messages",
    operation_id = "client_delete_messages",
    tag = "Clients",
    summary = "Delete one's own messages for everyone",
    request_body = DeleteMessagesFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<CommentList<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
    body: RequestBody,
) -> Answer {
    let DeleteMessages { ids, is_hard } = DeleteMessages::read(&body.fields()?, &query.fields()?)?;
    let (app, user) = (&caller.app, caller.user.itself());
    services.quotas().count_message(caller.app.id, Some(caller.user.key))?;
    let deleted = actions::delete_own_messages(&services, app, user, ids, is_hard).await?;
    let gone = |message: &Message| Said {
        message: Message {
            text: String::new(),
            payload: None,
            extras: None,
            is_deleted: true,
            ..message.clone()
        },
        sender: caller.user.clone(),
    };
    let said: Vec<_> = deleted.iter().map(|(message, _)| gone(message)).collect();
    let rooms = deleted.iter().map(|(_, room)| &**room);
    ok(listed(said.iter().zip(rooms)))
}
