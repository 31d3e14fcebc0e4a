//! `GET /api/v2/customer_rooms`

use axum::extract::State;
use confab_wire::omnichannel_api::service::DataPage;
use confab_wire::omnichannel_api::service::page;
use confab_wire::omnichannel_api::service::rooms::{
    CustomerRoomList, CustomerRoomsFields, WantedRooms, room_list, rooms_meta,
};

use super::inbox::{Beside, find};
use crate::clock;
use crate::http::answer::{Answer, paged};
use crate::http::bodies::{OmniBody, RequestQuery};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/customer_rooms",
    operation_id = "customer_rooms",
    tag = "Service",
    summary = "List customers' rooms, the one that last changed first",
    params(CustomerRoomsFields),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses(
        (status = 200, description = "Done", body = DataPage<CustomerRoomList<'static>>),
        OmniFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    query: RequestQuery,
    body: OmniBody,
) -> Answer {
    // Some callers send their filters in the body of a GET (wire facts 2).
    let wanted = match query.is_empty() {
        true => WantedRooms::read(body.fields())?,
        false => WantedRooms::read(&query.fields()?)?,
    };
    let (store, app) = (services.store(), caller.app.id);
    let found = find(store, app, caller.worker.as_ref(), &wanted).await?;
    let mut beside = Vec::with_capacity(found.rooms.len());
    let channels = store.channels(app).await?;
    for room in &found.rooms {
        let agents = store.agents_of_room(room.customer_room.room).await?;
        beside.push(Beside::read(&services, app, room, agents, &channels).await?);
    }
    let now = clock::now();
    let views = found.rooms.iter().zip(&beside).map(|(room, beside)| beside.view(room, now));
    let views: Vec<_> = views.collect();
    let meta = rooms_meta(found.after, found.before, wanted.size, found.total);
    paged(page(room_list(&views), meta))
}
