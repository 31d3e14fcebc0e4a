//! Contacts: lists of customers, and changes to their profiles (design/support).
//!
//! - `GET /api/v2/contacts` (design/support)
//! - `PATCH /api/v2/contacts/{contact_id}`, `GET /api/v2/contacts/{contact_id}/rooms`
//! - `GET /api/v2/contacts/{contact_id}/properties`
//! - `DELETE /api/v2/contacts/{contact_id}/properties/{property_id}`

use axum::extract::{Path, State};
use confab_app::clock;
use confab_app::queries::QueryError;
use confab_app::queries::contacts::{FoundContact, find};
use confab_app::queries::customer_rooms::{seen_contact, seen_room};
use confab_app::queries::inbox_rows::{RowExtras, source};
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{PropertyId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::contacts::customer_info::RemoveCustomerProperty;
use confab_domain::support::contacts::renaming::RenameCustomer;
use confab_domain::support::conversations::seeing;
use confab_wire::omnichannel_api::support::contact_list::{
    ContactFilter, ContactList, ContactView, ContactsFields, contact_list,
};
use confab_wire::omnichannel_api::support::contacts::{
    ContactBox, ContactProperties, RenameContactFields, contact, read_rename,
};
use confab_wire::omnichannel_api::support::infos::{ContactPropertyBox, property};
use confab_wire::omnichannel_api::support::rooms::{CustomerRoomList, room_list, rooms_meta};
use confab_wire::omnichannel_api::support::{DataPage, id_in_path, page};
use confab_wire::webhook_api::Data;

use crate::omnichannel::customers::contacts;
use crate::omnichannel::{OFFICE, contact_in_path};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data, paged};
use crate::responses::problem::Problem;

#[utoipa::path(
    get,
    path = "/api/v2/contacts",
    operation_id = "list_contacts",
    tag = "Dashboard",
    summary = "List the customers that the caller may see, latest activity first",
    params(ContactsFields),
    responses((status = 200, description = "Done", body = DataPage<ContactList<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = ContactFilter::read(&query.fields()?)?;
    let (store, app) = (services.store(), caller.app.id);
    let found = find(store, app, caller.agent.as_ref(), &wanted);
    let (found, after) = match wanted.text {
        Some(_) => store.search(found).await?,
        None => found.await?,
    };
    let sources: Vec<_> = found.iter().map(|it| source(&services, &it.newest)).collect();
    let views: Vec<_> = found.iter().zip(&sources).map(listed).collect();
    paged(contact_list(&views, after, wanted.size))
}

/// Renders a contact as an item of a list. `source` names the kind of its channel.
pub(crate) fn listed<'a>((it, source): (&'a FoundContact, &'a String)) -> ContactView<'a> {
    ContactView {
        contact: it.newest.customer_room.customer,
        name: &it.newest.customer_name,
        channel: it.newest.customer_room.channel,
        channel_name: &it.newest.channel_name,
        source,
        last_seen_at: it.newest.customer_room.updated_at,
        rooms: it.rooms,
        is_blocked: it.newest.is_blocked,
    }
}

#[utoipa::path(
    patch,
    path = "/api/v2/contacts/{contact_id}",
    operation_id = "rename_contact",
    tag = "Dashboard",
    summary = "Rename a customer",
    params(("contact_id" = i64, Path, description = "Customer id: `contact_id` of a room")),
    request_body = RenameContactFields,
    responses((status = 200, description = "Done", body = Data<ContactBox<'static>>)),
)]
pub(crate) async fn rename(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let (id, name) = (contact_in_path(&id)?, read_rename(body.fields())?);
    let room = served_room(&services, &caller, id).await?;
    let right = caller.must_be(&Role::ALL)?;
    let by = caller.agent.map(|agent| agent.profile.user);
    let rule = RenameCustomer { room, name, by }.on_right(right);
    let customer = services.decide(&caller.app, rule).await?;
    data(contact(&customer, &[]))
}

#[utoipa::path(
    get,
    path = "/api/v2/contacts/{contact_id}/rooms",
    operation_id = "list_contact_rooms",
    tag = "Dashboard",
    summary = "List a customer's rooms that the caller may see, newest first",
    params(("contact_id" = i64, Path, description = "Customer id: `contact_id` of a room")),
    responses((status = 200, description = "Done", body = DataPage<CustomerRoomList<'static>>)),
)]
pub(crate) async fn list_rooms(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    let (id, size) = (contact_in_path(&id)?, limits::CONTACT_ROOMS_SCANNED);
    let (app, store) = (&caller.app, services.store());
    let viewer = caller.agent.as_ref();
    let mut found = Vec::new();
    for room in store.rooms_of_contact(app.id, id, size).await? {
        match seen_room(&services, app, viewer, room).await {
            Err(QueryError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
            Ok((room, _)) => found.push(room),
        }
    }
    if found.is_empty() {
        return Err(Refusal::ContactNotFound(id.0).into());
    }
    let beside = RowExtras::read_all(&services, app.id, viewer, &found).await?;
    let (now, each) = (clock::now(), found.iter().zip(&beside));
    let views: Vec<_> = each.map(|(room, beside)| beside.view(room, viewer, now)).collect();
    paged(page(room_list(&views), rooms_meta(None, None, size, None)))
}

#[utoipa::path(
    get,
    path = "/api/v2/contacts/{contact_id}/properties",
    operation_id = "contact_properties",
    tag = "Dashboard",
    summary = "List the properties of a customer",
    params(("contact_id" = i64, Path, description = "Customer id: `contact_id` of a room")),
    responses((status = 200, description = "Done", body = Data<ContactProperties<'static>>)),
)]
pub(crate) async fn list_properties(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    contacts::known(&services, &caller, &id).await
}

#[utoipa::path(
    delete,
    path = "/api/v2/contacts/{contact_id}/properties/{property_id}",
    operation_id = "delete_contact_property",
    tag = "Dashboard",
    summary = "Delete a property of a customer",
    params(
        ("contact_id" = i64, Path, description = "Customer id: `contact_id` of a room"),
        ("property_id" = i64, Path, description = "Id of the property"),
    ),
    responses((status = 200, description = "Done", body = Data<ContactPropertyBox<'static>>)),
)]
pub(crate) async fn delete_property(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path((id, gone)): Path<(String, String)>,
) -> Answer {
    let by = caller.must_be(&OFFICE)?;
    let customer = contact_in_path(&id)?;
    let gone = PropertyId(id_in_path(&gone, Refusal::PropertyNotFound)?);
    let rule = RemoveCustomerProperty { customer, property: gone };
    let gone = services.decide(&caller.app, rule.on_right(by)).await?;
    data(ContactPropertyBox { customer_property: property(customer, &gone) })
}

/// Returns the newest of the customer's rooms to which the calling agent is assigned. For callers
/// that see every room, returns the customer's newest room.
async fn served_room(
    services: &Services,
    caller: &OmnichannelCaller,
    contact: UserKey,
) -> Result<RoomId, Problem> {
    let seen = seen_contact(services, &caller.app, caller.agent.as_ref(), contact).await?;
    let user = caller.agent.as_ref().map(|agent| &agent.profile.user);
    let Some(agent) = seeing::limited(user) else { return Ok(seen.room) };
    let (store, size) = (services.store(), limits::CONTACT_ROOMS_SCANNED);
    for room in store.rooms_of_contact(caller.app.id, contact, size).await? {
        let serving = store.agents_of_room(room).await?;
        if serving.iter().any(|it| it.user.id == agent.id) {
            return Ok(room);
        }
    }
    Err(Refusal::NotServing(seen.room.to_string()).into())
}
