//! History of a customer's room, for callers that may see it (design/support).

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::refusal::Refusal;
use confab_queries::customer_rooms::seen_room;
use confab_queries::people::named;
use confab_queries::trail;
use confab_store::Store;
use confab_wire::omnichannel_api::support::DataPage;
use confab_wire::omnichannel_api::support::room_conversations::{
    RoomConversationList, RoomConversationsFields, read_room_conversations, room_conversations,
};
use confab_wire::omnichannel_api::support::trail::{
    TrailFields, TrailList, read_trail, trail_page,
};

use crate::calls::calls;
use crate::omnichannel::room_in_path;
use crate::requests::access::Everyone;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, paged};

calls! {
    "Dashboard";
    /// List assignments, resolutions and ratings of a customer's room, newest first
    GET "/api/v2/customer_rooms/{room_id}/trail" room_trail = list_trail [403 404];
    /// List the conversations of a customer's room, newest first
    GET "/api/v2/customer_rooms/{room_id}/conversations"
        room_conversations = list_conversations [403 404];
}

async fn list_trail(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    Path(room): Path<String>,
    query: RequestQuery<TrailFields>,
) -> Answer<DataPage<TrailList<'static>>> {
    let (before, size) = read_trail(&query.fields()?)?;
    let (app, agent, room) = (&caller.app, caller.agent.as_ref(), room_in_path(&room)?);
    seen_room(&store, app, agent, room).await?;
    let found = trail::find(&store, app.id, room, before, size + 1).await?;
    paged(trail_page(&found, size))
}

async fn list_conversations(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path(room): Path<String>,
    query: RequestQuery<RoomConversationsFields>,
) -> Answer<DataPage<RoomConversationList<'static>>> {
    let (before, size) = read_room_conversations(&query.fields()?)?;
    let (app, agent, store) = (&caller.app, caller.agent.as_ref(), decisions.store());
    let (seen, _) = seen_room(store, app, agent, room_in_path(&room)?).await?;
    let room = seen.customer_room;
    let found = store.sessions_of_room(app.id, room.room, before, size + 1).await?;
    let people = found.iter().flat_map(|it| [it.resolved_by, it.served_by, it.first_reply_by]);
    let people = named(store, app.id, people.flatten().collect()).await?;
    let served = store.customer_of_room(app.id, room.room).await?;
    let (_, channel) = served.ok_or_else(|| Refusal::NotACustomerRoom(room.room.to_string()))?;
    let channel = room.shown_channel(&channel, decisions.widget_source());
    paged(room_conversations(&found, size, &channel, &people))
}
