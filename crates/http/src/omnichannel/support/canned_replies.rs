//! Canned replies: texts that agents insert by a shortcut (wire facts 5.7).

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::ids::AgentId;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::canned_reply::CannedReply;
use confab_domain::support::automation::canning::{PutCannedReply, RemoveCannedReply};
use confab_store::{Store, StoreError};
use confab_wire::omnichannel_api::support::automation::canned_replies::{
    CannedRepliesFields, CannedRepliesQuery, CannedReplyBox, CannedReplyList, ChatTemplates,
    PutCannedReplyFields, canned_reply_list, chat_templates, one_canned_reply, read_canned_reply,
};
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::access::{Access, Everyone};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Service";
    /// List shared and own canned replies, in the format of agent apps
    GET "/api/v1/chat_templates" chat_templates = list_templates;
    /// List shared and own canned replies
    GET "/api/v2/canned_replies" list_canned_replies = list;
    /// Create a canned reply; admins and supervisors can share it
    POST "/api/v2/canned_replies" create_canned_reply = create [403];
    /// Change a canned reply
    PUT "/api/v2/canned_replies/{id}" update_canned_reply = change [403 404];
    /// Delete a canned reply
    DELETE "/api/v2/canned_replies/{id}" delete_canned_reply = delete [403 404];
}

async fn list_templates(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    query: RequestQuery<CannedRepliesFields>,
) -> Answer<Data<ChatTemplates<'static>>> {
    let wanted = CannedRepliesQuery::read(&query.fields()?)?;
    data(chat_templates(&seen(&store, &caller).await?, &wanted))
}

async fn list(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    query: RequestQuery<CannedRepliesFields>,
) -> Answer<Data<CannedReplyList<'static>>> {
    let wanted = CannedRepliesQuery::read(&query.fields()?)?;
    data(canned_reply_list(&seen(&store, &caller).await?, &wanted))
}

async fn create(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    body: OmnichannelBody<PutCannedReplyFields>,
) -> Answer<Data<CannedReplyBox<'static>>> {
    put(&decisions, &caller, None, &body).await
}

async fn change(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path(id): Path<String>,
    body: OmnichannelBody<PutCannedReplyFields>,
) -> Answer<Data<CannedReplyBox<'static>>> {
    let before = found(decisions.store(), &caller, &id).await?;
    put(&decisions, &caller, Some(before), &body).await
}

async fn delete(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path(id): Path<String>,
) -> Answer<Data<CannedReplyBox<'static>>> {
    let gone = found(decisions.store(), &caller, &id).await?;
    let by = caller.user();
    let rule = RemoveCannedReply { reply: gone.id, by };
    decisions.decide(&caller, rule).await?;
    data(one_canned_reply(&gone))
}

async fn put(
    decisions: &Decisions,
    caller: &By<impl Access>,
    before: Option<CannedReply>,
    body: &OmnichannelBody<PutCannedReplyFields>,
) -> Answer<Data<CannedReplyBox<'static>>> {
    let by = caller.user();
    let wanted = read_canned_reply(body.fields(), before.as_ref(), by.is_none())?;
    let rule = PutCannedReply { reply: before.map(|it| it.id), wanted, by };
    data(one_canned_reply(&decisions.decide(caller, rule).await?))
}

/// Reads the canned replies that the caller may see.
async fn seen(store: &Store, caller: &By<impl Access>) -> Result<Vec<CannedReply>, StoreError> {
    let own: Option<AgentId> = caller.agent.as_ref().map(|agent| agent.profile.user.id);
    store.canned_replies(caller.app.id, own).await
}

/// Finds a canned reply that the caller may see.
async fn found(store: &Store, caller: &By<impl Access>, id: &str) -> Result<CannedReply, Problem> {
    let id = id_in_path(id, Refusal::CannedReplyNotFound)?;
    let seen = seen(store, caller).await?;
    let found = seen.into_iter().find(|it| it.id.0 == id);
    Ok(found.ok_or(Refusal::CannedReplyNotFound(id))?)
}
