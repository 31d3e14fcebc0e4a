//! Single properties of a room's customer (design/support).
//!
//! - `GET /api/v2/customer_rooms/{room_id}/infos`
//! - `PUT` and `DELETE /api/v2/customer_rooms/{room_id}/infos/{key}`

use axum::extract::{Path, State};
use confab_app::queries::customer_rooms::seen_room;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::decision::rule::Rule;
use confab_domain::support::contacts::customer_info::SetOneInfo;
use confab_domain::webhooks::event::Info;
use confab_wire::omnichannel_api::support::infos::{
    InfoFields, InfoList, info_key, info_list, read_one_info,
};
use confab_wire::webhook_api::Data;

use crate::omnichannel::room_in_path;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    get,
    path = "/api/v2/customer_rooms/{room_id}/infos",
    operation_id = "list_infos",
    tag = "Dashboard",
    summary = "List the properties of a room's customer",
    params(("room_id" = String, Path, description = "Room id of the customer")),
    responses((status = 200, description = "Done", body = Data<InfoList<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(room): Path<String>,
) -> Answer {
    let room = room_in_path(&room)?;
    seen_room(&services, &caller.app, caller.agent.as_ref(), room).await?;
    data(info_list(&services.store().infos(room).await?))
}

#[utoipa::path(
    put,
    path = "/api/v2/customer_rooms/{room_id}/infos/{key}",
    operation_id = "set_info",
    tag = "Dashboard",
    summary = "Set a property of a room's customer",
    params(
        ("room_id" = String, Path, description = "Room id of the customer"),
        ("key" = String, Path, description = "Key of the property"),
    ),
    request_body = InfoFields,
    responses((status = 200, description = "Done", body = Data<InfoList<'static>>)),
)]
pub(crate) async fn set(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path((room, key)): Path<(String, String)>,
    body: OmnichannelBody,
) -> Answer {
    let room = room_in_path(&room)?;
    let Info { key, value } = read_one_info(&key, body.fields())?;
    let right = caller.must_be(&Role::ALL)?;
    let by = caller.agent.map(|agent| agent.profile.user);
    let rule = SetOneInfo { room, key, value: Some(value), by };
    data(info_list(&services.decide(&caller.app, rule.on_right(right)).await?))
}

#[utoipa::path(
    delete,
    path = "/api/v2/customer_rooms/{room_id}/infos/{key}",
    operation_id = "delete_info",
    tag = "Dashboard",
    summary = "Delete a property of a room's customer",
    params(
        ("room_id" = String, Path, description = "Room id of the customer"),
        ("key" = String, Path, description = "Key of the property"),
    ),
    responses((status = 200, description = "Done", body = Data<InfoList<'static>>)),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path((room, key)): Path<(String, String)>,
) -> Answer {
    let (room, key) = (room_in_path(&room)?, info_key(&key)?);
    let right = caller.must_be(&Role::ALL)?;
    let by = caller.agent.map(|agent| agent.profile.user);
    let rule = SetOneInfo { room, key, value: None, by };
    data(info_list(&services.decide(&caller.app, rule.on_right(right)).await?))
}
