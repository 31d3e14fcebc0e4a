//! Single properties of a room's customer (design/support).

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::support::contacts::customer_info::SetOneInfo;
use confab_domain::webhooks::event::Info;
use confab_queries::customer_rooms::seen_room;
use confab_store::Store;
use confab_wire::omnichannel_api::support::customers::infos::{
    InfoFields, InfoList, info_key, info_list, read_one_info,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::room_in_path;
use crate::requests::access::Everyone;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};

calls! {
    "Dashboard";
    /// List the properties of a room's customer
    GET "/api/v2/customer_rooms/{room_id}/infos" list_infos = list [403 404];
    /// Set a property of a room's customer
    PUT "/api/v2/customer_rooms/{room_id}/infos/{key}" set_info = set [403 404];
    /// Delete a property of a room's customer
    DELETE "/api/v2/customer_rooms/{room_id}/infos/{key}" delete_info = delete [403 404];
}

async fn list(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    Path(room): Path<String>,
) -> Answer<Data<InfoList<'static>>> {
    let room = room_in_path(&room)?;
    seen_room(&store, &caller.app, caller.agent.as_ref(), room).await?;
    data(info_list(&store.infos(room).await?))
}

async fn set(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path((room, key)): Path<(String, String)>,
    body: OmnichannelBody<InfoFields>,
) -> Answer<Data<InfoList<'static>>> {
    let room = room_in_path(&room)?;
    let Info { key, value } = read_one_info(&key, body.fields())?;
    let by = caller.user();
    let rule = SetOneInfo { room, key, value: Some(value), by };
    data(info_list(&decisions.decide(&caller, rule).await?))
}

async fn delete(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path((room, key)): Path<(String, String)>,
) -> Answer<Data<InfoList<'static>>> {
    let (room, key) = (room_in_path(&room)?, info_key(&key)?);
    let by = caller.user();
    let rule = SetOneInfo { room, key, value: None, by };
    data(info_list(&decisions.decide(&caller, rule).await?))
}
