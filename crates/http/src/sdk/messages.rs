//! Messages of the client API: post, edit, load, delete and clear (wire facts 4.2, 4.3).

use std::sync::Arc;

use axum::extract::State;
use confab_app::actions;
use confab_app::services::Services;
use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::people::blocking;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::clearing::ClearRooms;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::answering::{AnswerCustomer, Answerer};
use confab_domain::webhooks::event::MessageSource;
use confab_queries::client_rooms::{VisibleRoom, visible};
use confab_queries::visible_messages;
use confab_runtime::admission::response_backpressure::Asker;
use confab_store::{PageEntry, Store};
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::comment::ClientComment;
use confab_wire::sdk_api::messages::{
    ClearRoomsFields, ClearedRooms, ClientCommentBox, ClientCommentList,
    ClientDeleteMessagesFields, ClientLoadCommentsFields, ClientPostCommentFields,
    LoadClientComments, MessagesToDelete, UpdateMessage, UpdateMessageFields, cleared, listed, one,
    read_clear_rooms, read_post, status,
};

use super::receipts::reached;
use crate::calls::calls;
use crate::requests::bodies::{RequestBody, RequestQuery, RoomUniqueIds, UniqueIds, WebhookDepth};
use crate::requests::callers::ClientCaller;
use crate::responses::answer::{Answer, ok};
use crate::responses::compressing::AcceptsGzip;
use crate::responses::json::write;
use crate::responses::large_answers::message_list;
use crate::responses::problem::Problem;

calls! {
    "Clients";
    /// Post a message; an agent's message to a customer is sent through the channel
    POST "/post_comment" client_post_comment = post [403 404 409];
    /// Edit an own message
    POST "/update_message" client_update_message = change [403 404];
    /// Load messages of a room, newest first
    GET "/load_comments" client_load_comments = load [403 404];
    /// Delete own messages for everyone, or hide messages from the caller
    DELETE "/delete_messages" client_delete_messages = delete [403 404];
    /// Clear the messages of rooms for the caller
    DELETE "/clear_room_messages" client_clear_room_messages = clear [403 404];
}

async fn post(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    WebhookDepth(depth): WebhookDepth,
    body: RequestBody<ClientPostCommentFields>,
) -> Answer<Results<ClientCommentBox<'static>>> {
    let app = &caller.app;
    let (asked, draft) = read_post(&body.fields()?, &caller.user)?;
    services.admission().rate_limits.count_post(app.id, &draft.sender)?;
    services.admission().quotas.count_message(app.id, Some(caller.user.key))?;
    let found = services.store().room(app.id, &asked).await?;
    let room = found.ok_or_else(|| Refusal::RoomNotFound(asked.shown()))?;
    if blocking::matters_in(&room) {
        let is_blocked = services.store().is_blocked_in(room.id, caller.user.key).await?;
        blocking::check(&room, is_blocked)?;
    }
    let posted = match caller.user.works_as().filter(|_| room.customer.is_some()) {
        Some(agent) => {
            // Hide the existence of the room from agents that may not see it.
            visible(services.store(), &caller.user, &asked).await?;
            let answerer = Answerer::Staff(agent);
            let answer = AnswerCustomer { room: room.id, draft, answerer };
            services.decisions().decide_after(depth, &caller, answer).await?
        }
        None => {
            actions::post_message(
                services.decisions(),
                &caller,
                asked,
                draft,
                MessageSource::Client,
                depth,
            )
            .await?
        }
    };
    ok(one(&posted, &room))
}

async fn change(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody<UpdateMessageFields>,
) -> Answer<Results<ClientCommentBox<'static>>> {
    let (app, user) = (&caller.app, &caller.user);
    let update = UpdateMessage::read(&body.fields()?)?;
    services.admission().rate_limits.count_post(app.id, &user.itself())?;
    services.admission().quotas.count_message(app.id, Some(caller.user.key))?;
    let id = update.unique_id.clone();
    let draft = |message: &_| update.draft(message, user);
    let posted = actions::edit_message(services.decisions(), &caller, user.key, id, draft).await?;
    let room = RoomRef::Id(posted.message.room);
    let found = services.store().room(app.id, &room).await?;
    let room = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    ok(one(&posted, &room))
}

async fn load(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    gzip: AcceptsGzip,
    query: RequestQuery<ClientLoadCommentsFields>,
) -> Answer<Results<ClientCommentList<'static>>> {
    let wanted = LoadClientComments::read(&query.fields()?)?;
    let visible = visible(services.store(), &caller.user, &wanted.room).await?;
    let page = page(services.store(), &visible, &wanted).await?;
    let room = visible.room;
    let marks = services.store().marks(room.id, limits::STATUS_PARTICIPANTS_MAX + 1).await?;
    let reached: Vec<_> = marks.iter().map(reached).collect();
    let shown = move |posted: &PostedMessage, out: &mut Vec<u8>| {
        let status = status(&room, &posted.message, &reached);
        write(out, &ClientComment::answered(posted, &room, status));
    };
    let asker = Asker::user(&caller.user);
    gzip.compressed(message_list(&services, asker, &results(listed([])), page, shown, 0).await)
}

async fn delete(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery<UniqueIds>,
    body: RequestBody<ClientDeleteMessagesFields>,
) -> Answer<Results<ClientCommentList<'static>>> {
    let MessagesToDelete { ids, is_for_everyone, is_hard } =
        MessagesToDelete::read(&body.fields()?, &query.fields()?)?;
    let user = caller.user.itself();
    services.admission().quotas.count_message(caller.app.id, Some(caller.user.key))?;
    if !is_for_everyone {
        let hidden =
            actions::hide_messages(services.decisions(), &caller, &caller.user, ids).await?;
        let posted: Vec<_> =
            hidden.iter().map(|(posted, _)| gone(&posted.message, &posted.sender)).collect();
        return ok(listed(posted.iter().zip(hidden.iter().map(|(_, room)| &**room))));
    }
    let deleted =
        actions::delete_own_messages(services.decisions(), &caller, user, ids, is_hard).await?;
    let posted: Vec<_> = deleted.iter().map(|(message, _)| gone(message, &caller.user)).collect();
    let rooms = deleted.iter().map(|(_, room)| &**room);
    ok(listed(posted.iter().zip(rooms)))
}

/// Returns a copy of a message without its content, as clients receive deleted and hidden messages.
fn gone(message: &Message, sender: &Arc<User>) -> PostedMessage {
    let (text, payload, extras, is_deleted) = (String::new(), None, None, true);
    let message = Message { text, payload, extras, is_deleted, ..message.clone() };
    PostedMessage { message, sender: sender.clone() }
}

async fn clear(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    query: RequestQuery<RoomUniqueIds>,
    body: RequestBody<ClearRoomsFields>,
) -> Answer<Results<ClearedRooms<'static>>> {
    let rooms = read_clear_rooms(&body.fields()?, &query.fields()?)?;
    let user = caller.user.itself();
    services.admission().quotas.count_message(caller.app.id, Some(caller.user.key))?;
    let rooms = services.decisions().decide(&caller, ClearRooms { by: user, rooms }).await?;
    ok(cleared(&rooms))
}

/// Reads a page without messages that the caller cleared or hid, newest first.
async fn page(
    store: &Store,
    visible: &VisibleRoom,
    wanted: &LoadClientComments,
) -> Result<Vec<PageEntry>, Problem> {
    if !wanted.is_after {
        return Ok(visible_messages::newest(store, visible, wanted.from, wanted.size).await?);
    }
    let after = wanted.from.unwrap_or(MessageId(0));
    let mut page = visible_messages::following(store, visible, after, wanted.size).await?;
    page.reverse();
    Ok(page)
}
