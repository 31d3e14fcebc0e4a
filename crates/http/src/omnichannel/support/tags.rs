//! Tags of customers' rooms (wire facts 5.5, 5.7).
//!
//! - `GET /api/v2/tags`
//! - `GET /api/v1/room_tag/{room}`, `GET /api/v2/room_tags/{room}`
//! - `POST /api/v1/room_tag/create`, `POST /api/v2/room_tags/{room}`
//! - `DELETE /api/v1/room_tag/{room}/{tag_id}`, `DELETE /api/v2/room_tags/{room}/{tag_id}`
//! - `PUT` and `DELETE /api/v2/tags/{id}` (design/support)

use axum::extract::{Path, State};
use confab_app::queries::customer_rooms::seen_room;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{RoomId, TagId};
use confab_domain::refusal::Refusal;
use confab_domain::support::annotations::tag_keeping::DeleteTag;
use confab_domain::support::annotations::tags::{AddTag, RemoveTag};
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::omnichannel_api::support::tags::{
    AppTagBox, AppTagShape, ChangeTagFields, CreateTagFields, RoomTagFields, TagList,
    TagListFields, TagShape, app_tag, read_change_of_tag, read_create_tag, read_room_tag, tag,
    tags,
};
use confab_wire::webhook_api::Data;

use crate::omnichannel::{OFFICE, room_in_path};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    get,
    path = "/api/v1/room_tag/{room}",
    operation_id = "room_tag",
    tag = "Service",
    summary = "List the tags of a room",
    params(("room" = String, Path, description = "Room id of the customer")),
    responses((status = 200, description = "Done", body = Data<Vec<TagShape<'static>>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(room): Path<String>,
) -> Answer {
    listed(&services, &caller, &room).await
}

#[utoipa::path(
    get,
    path = "/api/v2/room_tags/{room}",
    operation_id = "room_tags",
    tag = "Service",
    summary = "List the tags of a room",
    params(("room" = String, Path, description = "Room id of the customer")),
    responses((status = 200, description = "Done", body = Data<Vec<TagShape<'static>>>)),
)]
pub(crate) async fn list_v2(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(room): Path<String>,
) -> Answer {
    listed(&services, &caller, &room).await
}

#[utoipa::path(
    post,
    path = "/api/v2/room_tags/{room}",
    operation_id = "add_room_tag",
    tag = "Service",
    summary = "Add a tag to a room",
    params(("room" = String, Path, description = "Room id of the customer")),
    request_body = RoomTagFields,
    responses((status = 200, description = "Done", body = Data<TagShape<'static>>)),
)]
pub(crate) async fn add(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(room): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let room = room_in_path(&room)?;
    tagged(&services, caller, room, read_room_tag(body.fields())?).await
}

#[utoipa::path(
    get,
    path = "/api/v2/tags",
    operation_id = "list_tags",
    tag = "Service",
    summary = "List the tags of the app, sorted by name",
    params(TagListFields),
    responses((status = 200, description = "Done", body = Data<Vec<AppTagShape<'static>>>)),
)]
pub(crate) async fn list_all(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = TagList::read(&query.fields()?)?;
    let (store, mut counts) = (services.store(), Vec::new());
    let found = wanted.of(store.tags(caller.app.id).await?);
    for it in &found {
        counts.push(store.count_tagged(it.tag.id).await?);
    }
    let shown = found.iter().zip(counts).map(|(it, count)| app_tag(it, count));
    data(shown.collect::<Vec<_>>())
}

#[utoipa::path(
    post,
    path = "/api/v1/room_tag/create",
    operation_id = "create_room_tag",
    tag = "Service",
    summary = "Add a tag to a room",
    request_body = CreateTagFields,
    responses((status = 200, description = "Done", body = Data<TagShape<'static>>)),
)]
pub(crate) async fn create(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let (room, name) = read_create_tag(body.fields())?;
    tagged(&services, caller, room, name).await
}

#[utoipa::path(
    delete,
    path = "/api/v1/room_tag/{room}/{tag_id}",
    operation_id = "delete_room_tag",
    tag = "Service",
    summary = "Remove a tag from a room",
    params(
        ("room" = String, Path, description = "Room id of the customer"),
        ("tag_id" = i64, Path, description = "Tag id"),
    ),
    responses((status = 200, description = "Done", body = Data<Vec<TagShape<'static>>>)),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path((room, tag)): Path<(String, String)>,
) -> Answer {
    taken_off(&services, caller, room, &tag).await
}

#[utoipa::path(
    delete,
    path = "/api/v2/room_tags/{room}/{tag_id}",
    operation_id = "remove_room_tag",
    tag = "Service",
    summary = "Remove a tag from a room",
    params(
        ("room" = String, Path, description = "Room id of the customer"),
        ("tag_id" = i64, Path, description = "Tag id"),
    ),
    responses((status = 200, description = "Done", body = Data<Vec<TagShape<'static>>>)),
)]
pub(crate) async fn delete_v2(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path((room, tag)): Path<(String, String)>,
) -> Answer {
    taken_off(&services, caller, room, &tag).await
}

#[utoipa::path(
    put,
    path = "/api/v2/tags/{id}",
    operation_id = "change_tag",
    tag = "Service",
    summary = "Rename a tag, change its color, or merge it into another one",
    params(("id" = i64, Path, description = "Tag id")),
    request_body = ChangeTagFields,
    responses((status = 200, description = "Done", body = Data<AppTagBox<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&OFFICE)?;
    let rule = read_change_of_tag(tag_in_path(&id)?, body.fields())?;
    let now = services.decide(&caller.app, rule.on_right(by)).await?;
    let count = services.store().count_tagged(now.tag.id).await?;
    data(AppTagBox { tag: app_tag(&now, count) })
}

#[utoipa::path(
    delete,
    path = "/api/v2/tags/{id}",
    operation_id = "delete_tag",
    tag = "Service",
    summary = "Delete a tag, and remove it from all rooms",
    params(("id" = i64, Path, description = "Tag id")),
    responses((status = 200, description = "Done", body = Data<AppTagBox<'static>>)),
)]
pub(crate) async fn delete_of_app(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&OFFICE)?;
    let rule = DeleteTag { tag: tag_in_path(&id)? };
    let gone = services.decide(&caller.app, rule.on_right(by)).await?;
    data(AppTagBox { tag: app_tag(&gone, 0) })
}

fn tag_in_path(text: &str) -> Result<TagId, Refusal> {
    id_in_path(text, Refusal::TagOfAppNotFound).map(TagId)
}

async fn taken_off(
    services: &Services,
    caller: OmnichannelCaller,
    room: String,
    tag: &str,
) -> Answer {
    let shown = room.clone();
    let room = room_in_path(&room)?;
    let tag = id_in_path(tag, |tag| Refusal::TagNotFound { tag, room: shown })?;
    let right = caller.must_be(&Role::ALL)?;
    let by = caller.agent.map(|agent| agent.profile.user);
    let rule = RemoveTag { room, tag: TagId(tag), by }.on_right(right);
    services.decide(&caller.app, rule).await?;
    data(tags(&services.store().tags_of_room(room).await?))
}

async fn listed(services: &Services, caller: &OmnichannelCaller, room: &str) -> Answer {
    let room = room_in_path(room)?;
    seen_room(services, &caller.app, caller.agent.as_ref(), room).await?;
    data(tags(&services.store().tags_of_room(room).await?))
}

/// Adds a tag to a room and answers with the tag.
async fn tagged(
    services: &Services,
    caller: OmnichannelCaller,
    room: RoomId,
    name: String,
) -> Answer {
    let right = caller.must_be(&Role::ALL)?;
    let by = caller.agent.map(|agent| agent.profile.user);
    let rule = AddTag { room, name: name.clone(), by }.on_right(right);
    services.decide(&caller.app, rule).await?;
    let there = services.store().tags_of_room(room).await?;
    let made = there.iter().find(|it| it.name == name);
    // The tag may have been removed again in the meantime.
    data(made.map(tag))
}
