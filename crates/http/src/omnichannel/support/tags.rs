//! Tags of customers' rooms (wire facts 5.5, 5.7).

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::ids::{RoomId, TagId};
use confab_domain::refusal::Refusal;
use confab_domain::support::annotations::tag_keeping::DeleteTag;
use confab_domain::support::annotations::tags::{AddTag, RemoveTag};
use confab_queries::customer_rooms::seen_room;
use confab_store::Store;
use confab_wire::omnichannel_api::support::annotations::tags::{
    AppTagBox, AppTagShape, ChangeTagFields, CreateTagFields, RoomTagFields, TagList,
    TagListFields, TagShape, app_tag, read_change_of_tag, read_create_tag, read_room_tag, tag,
    tags,
};
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::room_in_path;
use crate::requests::access::{Access, Everyone, Office};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, List, data};

calls! {
    "Service";
    /// List the tags of a room
    GET "/api/v1/room_tag/{room}" room_tag = list [403 404];
    /// List the tags of a room
    GET "/api/v2/room_tags/{room}" room_tags = list_v2 [403 404];
    /// Add a tag to a room
    POST "/api/v2/room_tags/{room}" add_room_tag = add [403 404];
    /// List the tags of the app, sorted by name
    GET "/api/v2/tags" list_tags = list_all;
    /// Add a tag to a room
    POST "/api/v1/room_tag/create" create_room_tag = create [403 404];
    /// Remove a tag from a room
    DELETE "/api/v1/room_tag/{room}/{tag_id}" delete_room_tag = delete [403 404];
    /// Remove a tag from a room
    DELETE "/api/v2/room_tags/{room}/{tag_id}" remove_room_tag = delete_v2 [403 404];
    /// Rename a tag, change its color, or merge it into another one
    PUT "/api/v2/tags/{id}" change_tag = change [403 404];
    /// Delete a tag, and remove it from all rooms
    DELETE "/api/v2/tags/{id}" delete_tag = delete_of_app [403 404];
}

async fn list(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    Path(room): Path<String>,
) -> Answer<Data<List<TagShape<'static>>>> {
    listed(&store, &caller, &room).await
}

async fn list_v2(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    Path(room): Path<String>,
) -> Answer<Data<List<TagShape<'static>>>> {
    listed(&store, &caller, &room).await
}

async fn add(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path(room): Path<String>,
    body: OmnichannelBody<RoomTagFields>,
) -> Answer<Data<TagShape<'static>>> {
    let room = room_in_path(&room)?;
    tagged(&decisions, caller, room, read_room_tag(body.fields())?).await
}

async fn list_all(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    query: RequestQuery<TagListFields>,
) -> Answer<Data<List<AppTagShape<'static>>>> {
    let wanted = TagList::read(&query.fields()?)?;
    let mut counts = Vec::new();
    let found = wanted.of(store.tags(caller.app.id).await?);
    for it in &found {
        counts.push(store.count_tagged(it.tag.id).await?);
    }
    let shown = found.iter().zip(counts).map(|(it, count)| app_tag(it, count));
    data(shown.collect::<Vec<_>>())
}

async fn create(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    body: OmnichannelBody<CreateTagFields>,
) -> Answer<Data<TagShape<'static>>> {
    let (room, name) = read_create_tag(body.fields())?;
    tagged(&decisions, caller, room, name).await
}

async fn delete(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path((room, tag)): Path<(String, String)>,
) -> Answer<Data<List<TagShape<'static>>>> {
    taken_off(&decisions, caller, room, &tag).await
}

async fn delete_v2(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path((room, tag)): Path<(String, String)>,
) -> Answer<Data<List<TagShape<'static>>>> {
    taken_off(&decisions, caller, room, &tag).await
}

async fn change(
    Part(decisions): Part<Decisions>,
    caller: By<Office>,
    Path(id): Path<String>,
    body: OmnichannelBody<ChangeTagFields>,
) -> Answer<Data<AppTagBox<'static>>> {
    let rule = read_change_of_tag(tag_in_path(&id)?, body.fields())?;
    let now = decisions.decide(&caller, rule).await?;
    let count = decisions.store().count_tagged(now.tag.id).await?;
    data(AppTagBox { tag: app_tag(&now, count) })
}

async fn delete_of_app(
    Part(decisions): Part<Decisions>,
    caller: By<Office>,
    Path(id): Path<String>,
) -> Answer<Data<AppTagBox<'static>>> {
    let rule = DeleteTag { tag: tag_in_path(&id)? };
    let gone = decisions.decide(&caller, rule).await?;
    data(AppTagBox { tag: app_tag(&gone, 0) })
}

fn tag_in_path(text: &str) -> Result<TagId, Refusal> {
    id_in_path(text, Refusal::TagOfAppNotFound).map(TagId)
}

async fn taken_off(
    decisions: &Decisions,
    caller: By<Everyone>,
    room: String,
    tag: &str,
) -> Answer<Data<List<TagShape<'static>>>> {
    let shown = room.clone();
    let room = room_in_path(&room)?;
    let tag = id_in_path(tag, |tag| Refusal::TagNotFound { tag, room: shown })?;
    let by = caller.user();
    let rule = RemoveTag { room, tag: TagId(tag), by };
    decisions.decide(&caller, rule).await?;
    data(tags(&decisions.store().tags_of_room(room).await?))
}

async fn listed(
    store: &Store,
    caller: &By<impl Access>,
    room: &str,
) -> Answer<Data<List<TagShape<'static>>>> {
    let room = room_in_path(room)?;
    seen_room(store, &caller.app, caller.agent.as_ref(), room).await?;
    data(tags(&store.tags_of_room(room).await?))
}

/// Adds a tag to a room and answers with the tag.
async fn tagged(
    decisions: &Decisions,
    caller: By<Everyone>,
    room: RoomId,
    name: String,
) -> Answer<Data<TagShape<'static>>> {
    let by = caller.user();
    let rule = AddTag { room, name: name.clone(), by };
    decisions.decide(&caller, rule).await?;
    let there = decisions.store().tags_of_room(room).await?;
    let made = there.iter().find(|it| it.name == name);
    // The tag may have been removed again in the meantime.
    data(made.map(tag))
}
