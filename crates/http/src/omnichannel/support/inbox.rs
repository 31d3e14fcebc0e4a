//! Customers' rooms as the inbox lists them (wire facts 5.4, 5.5).
//!
//! - `GET` and `POST /api/v2/customer_rooms`, `GET /api/v2/customer_rooms/{room_id}`
//! - `GET /api/v2/customer_rooms/counts`
//! - `GET /api/v1/admin/service/get_unresolved_count`
//! - `GET /api/v2/admin/service/total_unserved`, `GET /api/v2/agent/service/total_unserved`

use axum::extract::{Path, State};
use confab_app::clock;
use confab_app::queries::customer_rooms::seen_room;
use confab_app::queries::inbox::find;
use confab_app::queries::inbox_counts;
use confab_app::queries::inbox_rows::RowExtras;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::ids::RoomId;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_wire::omnichannel_api::support::agents::{TotalUnresolved, TotalUnserved};
use confab_wire::omnichannel_api::support::counts::InboxCountsShape;
use confab_wire::omnichannel_api::support::rooms::{
    CustomerRoomBox, CustomerRoomList, CustomerRoomsFields, RoomFilter, one_room, room_list,
    rooms_meta,
};
use confab_wire::omnichannel_api::support::{DataPage, page};
use confab_wire::webhook_api::Data;

use crate::omnichannel::{OFFICE, room_in_path};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::{ActingAgent, OmnichannelCaller};
use crate::responses::answer::{Answer, data, paged};

#[utoipa::path(
    get,
    path = "/api/v2/customer_rooms",
    operation_id = "customer_rooms",
    tag = "Service",
    summary = "List customer rooms, latest change or longest wait first",
    params(CustomerRoomsFields),
    responses((status = 200, description = "Done", body = DataPage<CustomerRoomList<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
    body: OmnichannelBody,
) -> Answer {
    // Some callers send their filters in the body of a GET (wire facts 2).
    let wanted = match query.is_empty() {
        true => RoomFilter::read(body.fields())?,
        false => RoomFilter::read(&query.fields()?)?,
    };
    let (viewer, app) = (caller.agent.as_ref(), caller.app.id);
    let wanted = wanted.of_caller(viewer.map(|it| it.profile.user.id))?;
    let store = services.store();
    let found = find(store, app, viewer, &wanted);
    let found = match wanted.text {
        Some(_) => store.search(found).await?,
        None => found.await?,
    };
    let beside = RowExtras::read_all(&services, app, viewer, &found.rooms).await?;
    let now = clock::now();
    let views = found.rooms.iter().zip(&beside);
    let views: Vec<_> = views.map(|(room, beside)| beside.view(room, viewer, now)).collect();
    let meta = rooms_meta(found.after, found.before, wanted.size, found.total);
    paged(page(room_list(&views), meta))
}

#[utoipa::path(
    post,
    path = "/api/v2/customer_rooms",
    operation_id = "find_customer_rooms",
    tag = "Service",
    summary = "List customer rooms, with the filters in the body",
    request_body = CustomerRoomsFields,
    responses((status = 200, description = "Done", body = DataPage<CustomerRoomList<'static>>)),
)]
pub(crate) async fn find_by_post(
    services: State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
    body: OmnichannelBody,
) -> Answer {
    list(services, caller, query, body).await
}

#[utoipa::path(
    get,
    path = "/api/v2/customer_rooms/{room_id}",
    operation_id = "customer_room",
    tag = "Service",
    summary = "Get a customer room",
    params(("room_id" = String, Path, description = "Room id of the customer")),
    responses((status = 200, description = "Done", body = Data<CustomerRoomBox<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(room): Path<String>,
) -> Answer {
    one(&services, &caller.app, caller.agent.as_ref(), room_in_path(&room)?).await
}

/// Answers with a room as the inbox shows it, if the caller may see it.
pub(crate) async fn one(
    services: &Services,
    app: &App,
    agent: Option<&AgentRecord>,
    room: RoomId,
) -> Answer {
    let (room, agents) = seen_room(services, app, agent, room).await?;
    let beside = RowExtras::read(services, app.id, agent, &room, agents).await?;
    data(one_room(&beside.view(&room, agent, clock::now())))
}

#[utoipa::path(
    get,
    path = "/api/v2/customer_rooms/counts",
    operation_id = "customer_room_counts",
    tag = "Dashboard",
    summary = "Count the conversations in each list of the inbox",
    responses((status = 200, description = "Done", body = Data<InboxCountsShape>)),
)]
pub(crate) async fn count(State(services): State<Services>, caller: OmnichannelCaller) -> Answer {
    let agent = caller.agent.as_ref();
    let counts = inbox_counts::count(services.store(), caller.app.id, agent).await?;
    data(InboxCountsShape::from(&counts))
}

#[utoipa::path(
    get,
    path = "/api/v2/admin/service/total_unserved",
    operation_id = "admin_total_unserved",
    tag = "Service",
    summary = "Count customers who are waiting for an agent",
    responses((status = 200, description = "Done", body = Data<TotalUnserved>)),
)]
pub(crate) async fn count_unserved(
    State(services): State<Services>,
    caller: OmnichannelCaller,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let total_unserved = services.store().waiting_count(caller.app.id).await?;
    data(TotalUnserved { total_unserved })
}

#[utoipa::path(
    get,
    path = "/api/v2/agent/service/total_unserved",
    operation_id = "agent_total_unserved",
    tag = "Service",
    summary = "Count customers who are waiting for an agent",
    responses((status = 200, description = "Done", body = Data<TotalUnserved>)),
)]
pub(crate) async fn count_unserved_as_agent(
    State(services): State<Services>,
    caller: ActingAgent,
) -> Answer {
    caller.must_be(&[Role::Agent])?;
    let total_unserved = services.store().waiting_count(caller.app.id).await?;
    data(TotalUnserved { total_unserved })
}

#[utoipa::path(
    get,
    path = "/api/v1/admin/service/get_unresolved_count",
    operation_id = "count_unresolved",
    tag = "Service",
    summary = "Count customers whom an agent may take over",
    responses((status = 200, description = "Done", body = Data<TotalUnresolved>)),
)]
pub(crate) async fn count_unresolved(
    State(services): State<Services>,
    caller: OmnichannelCaller,
) -> Answer {
    let total_unresolved = services.store().waiting_count(caller.app.id).await?;
    data(TotalUnresolved { total_unresolved })
}
