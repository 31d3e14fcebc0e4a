//! Canned replies: texts that agents insert by a shortcut (wire facts 5.7).
//!
//! - `GET /api/v1/chat_templates`
//! - `GET` and `POST /api/v2/canned_replies`
//! - `PUT` and `DELETE /api/v2/canned_replies/{id}`

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::AgentId;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::canned_reply::CannedReply;
use confab_domain::support::automation::canning::{PutCannedReply, RemoveCannedReply};
use confab_store::StoreError;
use confab_wire::omnichannel_api::support::canned_replies::{
    CannedRepliesFields, CannedRepliesQuery, CannedReplyBox, CannedReplyList, ChatTemplates,
    PutCannedReplyFields, canned_reply_list, chat_templates, one_canned_reply, read_canned_reply,
};
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::webhook_api::Data;

use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

#[utoipa::path(
    get,
    path = "/api/v1/chat_templates",
    operation_id = "chat_templates",
    tag = "Service",
    summary = "List shared and own canned replies, in the format of agent apps",
    params(CannedRepliesFields),
    responses((status = 200, description = "Done", body = Data<ChatTemplates<'static>>)),
)]
pub(crate) async fn list_templates(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = CannedRepliesQuery::read(&query.fields()?)?;
    data(chat_templates(&seen(&services, &caller).await?, &wanted))
}

#[utoipa::path(
    get,
    path = "/api/v2/canned_replies",
    operation_id = "list_canned_replies",
    tag = "Service",
    summary = "List shared and own canned replies",
    params(CannedRepliesFields),
    responses((status = 200, description = "Done", body = Data<CannedReplyList<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = CannedRepliesQuery::read(&query.fields()?)?;
    data(canned_reply_list(&seen(&services, &caller).await?, &wanted))
}

#[utoipa::path(
    post,
    path = "/api/v2/canned_replies",
    operation_id = "create_canned_reply",
    tag = "Service",
    summary = "Create a canned reply; admins and supervisors can share it",
    request_body = PutCannedReplyFields,
    responses((status = 200, description = "Done", body = Data<CannedReplyBox<'static>>)),
)]
pub(crate) async fn create(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    put(&services, &caller, None, &body).await
}

#[utoipa::path(
    put,
    path = "/api/v2/canned_replies/{id}",
    operation_id = "update_canned_reply",
    tag = "Service",
    summary = "Change a canned reply",
    params(("id" = i64, Path, description = "Id of the canned reply")),
    request_body = PutCannedReplyFields,
    responses((status = 200, description = "Done", body = Data<CannedReplyBox<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let before = found(&services, &caller, &id).await?;
    put(&services, &caller, Some(before), &body).await
}

#[utoipa::path(
    delete,
    path = "/api/v2/canned_replies/{id}",
    operation_id = "delete_canned_reply",
    tag = "Service",
    summary = "Delete a canned reply",
    params(("id" = i64, Path, description = "Id of the canned reply")),
    responses((status = 200, description = "Done", body = Data<CannedReplyBox<'static>>)),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    let (gone, right) = (found(&services, &caller, &id).await?, caller.must_be(&Role::ALL)?);
    let by = caller.agent.map(|agent| agent.profile.user);
    let rule = RemoveCannedReply { reply: gone.id, by };
    services.decide(&caller.app, rule.on_right(right)).await?;
    data(one_canned_reply(&gone))
}

async fn put(
    services: &Services,
    caller: &OmnichannelCaller,
    before: Option<CannedReply>,
    body: &OmnichannelBody,
) -> Answer {
    let right = caller.must_be(&Role::ALL)?;
    let by = caller.agent.as_ref().map(|agent| agent.profile.user.clone());
    let wanted = read_canned_reply(body.fields(), before.as_ref(), by.is_none())?;
    let rule = PutCannedReply { reply: before.map(|it| it.id), wanted, by };
    data(one_canned_reply(&services.decide(&caller.app, rule.on_right(right)).await?))
}

/// Reads the canned replies that the caller may see.
async fn seen(
    services: &Services,
    caller: &OmnichannelCaller,
) -> Result<Vec<CannedReply>, StoreError> {
    let own: Option<AgentId> = caller.agent.as_ref().map(|agent| agent.profile.user.id);
    services.store().canned_replies(caller.app.id, own).await
}

/// Finds a canned reply that the caller may see.
async fn found(
    services: &Services,
    caller: &OmnichannelCaller,
    id: &str,
) -> Result<CannedReply, Problem> {
    let id = id_in_path(id, Refusal::CannedReplyNotFound)?;
    let seen = seen(services, caller).await?;
    let found = seen.into_iter().find(|it| it.id.0 == id);
    Ok(found.ok_or(Refusal::CannedReplyNotFound(id))?)
}
