//! The messages of a conversation, for callers that may see it.

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::channels::channel_message::PartState;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_queries::conversation;
use confab_queries::customer_rooms::seen_room;
use confab_runtime::admission::response_backpressure::Asker;
use confab_wire::omnichannel_api::support::conversation::{
    ConversationFields, conversation_meta, read_conversation,
};
use confab_wire::omnichannel_api::support::{DataPage, page};
use confab_wire::sdk_api::comment::ClientComment;
use confab_wire::sdk_api::messages::{ClientCommentList, listed, status};

use crate::calls::calls;
use crate::omnichannel::room_in_path;
use crate::requests::access::Everyone;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::By;
use crate::responses::answer::Answer;
use crate::responses::json::write;
use crate::responses::large_answers::message_list;
use crate::sdk::receipts::reached;

calls! {
    "Dashboard";
    /// Load messages of a customer's room, oldest first
    GET "/api/v2/customer_rooms/{room_id}/messages" conversation = load [403 404];
}

async fn load(
    State(services): State<Services>,
    caller: By<Everyone>,
    Path(room): Path<String>,
    query: RequestQuery<ConversationFields>,
) -> Answer<DataPage<ClientCommentList<'static>>> {
    let (part, size) = read_conversation(&query.fields()?)?;
    let (app, agent, store) = (&caller.app, caller.agent.as_ref(), services.store());
    let (seen, _) = seen_room(store, app, agent, room_in_path(&room)?).await?;
    let id = seen.customer_room.room;
    let room = store.room(app.id, &RoomRef::Id(id)).await?;
    let room = room.ok_or_else(|| Refusal::NotACustomerRoom(id.to_string()))?;
    let found = conversation::find(store, id, part, size).await?;
    let marks = store.marks(id, limits::STATUS_PARTICIPANTS_MAX + 1).await?;
    let reached: Vec<_> = marks.iter().map(reached).collect();
    let (edited, states) = (found.edited, found.states);
    let shown = move |posted: &PostedMessage, out: &mut Vec<u8>| {
        let status = status(&room, &posted.message, &reached);
        let is_edited = edited.contains(&posted.message.id);
        let is_its = |it: &&PartState| it.message == posted.message.id;
        let parts: Vec<_> = states.iter().filter(is_its).cloned().collect();
        let comment = ClientComment::in_conversation(posted, &room, status, is_edited);
        write(out, &comment.with_channel_status(&parts));
    };
    let meta = conversation_meta(found.before, found.after, size);
    let shell = page(listed([]), meta);
    message_list(&services, Asker::app(app), &shell, found.messages, shown, 0).await
}
