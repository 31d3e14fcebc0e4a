//! Customers' rooms as the inbox lists them (wire facts 5.4, 5.5).

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::app::App;
use confab_domain::ids::RoomId;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_queries::customer_rooms::seen_room;
use confab_queries::inbox::find;
use confab_queries::inbox_counts;
use confab_queries::inbox_rows::RowExtras;
use confab_runtime::clock;
use confab_store::Store;
use confab_wire::body::Body;
use confab_wire::omnichannel_api::support::assignment::agents::{TotalUnresolved, TotalUnserved};
use confab_wire::omnichannel_api::support::assignment::counts::InboxCountsShape;
use confab_wire::omnichannel_api::support::rooms::{
    CustomerRoomBox, CustomerRoomList, CustomerRoomsFields, RoomFilter, one_room, room_list,
    rooms_meta,
};
use confab_wire::omnichannel_api::support::{DataPage, page};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::room_in_path;
use crate::requests::access::{Access, Agents, Everyone, Office};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::{ActingAgent, By};
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data, paged};

calls! {
    "Service";
    /// List customer rooms, latest change or longest wait first
    GET "/api/v2/customer_rooms" customer_rooms = list;
    /// List customer rooms, with the filters in the body
    POST "/api/v2/customer_rooms" find_customer_rooms = find_by_post;
    /// Get a customer room
    GET "/api/v2/customer_rooms/{room_id}" customer_room = load [403 404];
    /// Count customers who are waiting for an agent
    GET "/api/v2/admin/service/total_unserved" admin_total_unserved = count_unserved [403];
    /// Count customers who are waiting for an agent
    GET "/api/v2/agent/service/total_unserved" agent_total_unserved = count_unserved_as_agent [403];
    /// Count customers whom an agent may take over
    GET "/api/v1/admin/service/get_unresolved_count" count_unresolved = count_unresolved;

    "Dashboard";
    /// Count the conversations in each list of the inbox
    GET "/api/v2/customer_rooms/counts" customer_room_counts = count;
}

async fn list(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    query: RequestQuery<CustomerRoomsFields>,
    body: OmnichannelBody,
) -> Answer<DataPage<CustomerRoomList<'static>>> {
    found(&decisions, &caller, &query, body.fields()).await
}

async fn found<F>(
    decisions: &Decisions,
    caller: &By<impl Access>,
    query: &RequestQuery<F>,
    body: &Body<'_>,
) -> Answer<DataPage<CustomerRoomList<'static>>> {
    // Some callers send their filters in the body of a GET (wire facts 2).
    let wanted = match query.is_empty() {
        true => RoomFilter::read(body)?,
        false => RoomFilter::read(&query.fields()?)?,
    };
    let (viewer, app) = (caller.agent.as_ref(), caller.app.id);
    let wanted = wanted.of_caller(viewer.map(|it| it.profile.user.id))?;
    let store = decisions.store();
    let found = find(store, app, viewer, &wanted);
    let found = match wanted.text {
        Some(_) => store.search(found).await?,
        None => found.await?,
    };
    let beside = RowExtras::read_all(decisions.rows(), app, viewer, &found.rooms).await?;
    let now = clock::now();
    let views = found.rooms.iter().zip(&beside);
    let views: Vec<_> = views.map(|(room, beside)| beside.view(room, viewer, now)).collect();
    let meta = rooms_meta(found.after, found.before, wanted.size, found.total);
    paged(page(room_list(&views), meta))
}

async fn find_by_post(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    query: RequestQuery,
    body: OmnichannelBody<CustomerRoomsFields>,
) -> Answer<DataPage<CustomerRoomList<'static>>> {
    found(&decisions, &caller, &query, body.fields()).await
}

async fn load(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path(room): Path<String>,
) -> Answer<Data<CustomerRoomBox<'static>>> {
    one(&decisions, &caller.app, caller.agent.as_ref(), room_in_path(&room)?).await
}

/// Answers with a room as the inbox shows it, if the caller may see it.
pub(crate) async fn one(
    decisions: &Decisions,
    app: &App,
    agent: Option<&AgentRecord>,
    room: RoomId,
) -> Answer<Data<CustomerRoomBox<'static>>> {
    let (room, agents) = seen_room(decisions.store(), app, agent, room).await?;
    let beside = RowExtras::read(decisions.rows(), app.id, agent, &room, agents).await?;
    data(one_room(&beside.view(&room, agent, clock::now())))
}

async fn count(Part(store): Part<Store>, caller: By<Everyone>) -> Answer<Data<InboxCountsShape>> {
    let agent = caller.agent.as_ref();
    let counts = inbox_counts::count(&store, caller.app.id, agent).await?;
    data(InboxCountsShape::from(&counts))
}

async fn count_unserved(
    Part(store): Part<Store>,
    caller: By<Office>,
) -> Answer<Data<TotalUnserved>> {
    let total_unserved = store.waiting_count(caller.app.id).await?;
    data(TotalUnserved { total_unserved })
}

async fn count_unserved_as_agent(
    Part(store): Part<Store>,
    caller: ActingAgent<Agents>,
) -> Answer<Data<TotalUnserved>> {
    let total_unserved = store.waiting_count(caller.app.id).await?;
    data(TotalUnserved { total_unserved })
}

async fn count_unresolved(
    Part(store): Part<Store>,
    caller: By<Everyone>,
) -> Answer<Data<TotalUnresolved>> {
    let total_unresolved = store.waiting_count(caller.app.id).await?;
    data(TotalUnresolved { total_unresolved })
}
