//! Contacts: lists of customers, and changes to their profiles (design/support).

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::ids::{PropertyId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::contacts::customer_info::RemoveCustomerProperty;
use confab_domain::support::contacts::renaming::RenameCustomer;
use confab_domain::support::conversations::seeing;
use confab_queries::QueryError;
use confab_queries::contacts::{FoundContact, find};
use confab_queries::customer_rooms::{seen_contact, seen_room};
use confab_queries::inbox_rows::{RowExtras, source};
use confab_runtime::clock;
use confab_store::Store;
use confab_wire::omnichannel_api::support::customers::contact_list::{
    ContactFilter, ContactList, ContactView, ContactsFields, contact_list,
};
use confab_wire::omnichannel_api::support::customers::contacts::{
    ContactBox, ContactProperties, RenameContactFields, contact, read_rename,
};
use confab_wire::omnichannel_api::support::customers::infos::{ContactPropertyBox, property};
use confab_wire::omnichannel_api::support::rooms::{CustomerRoomList, room_list, rooms_meta};
use confab_wire::omnichannel_api::support::{DataPage, id_in_path, page};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::contact_in_path;
use crate::omnichannel::customers::contacts;
use crate::requests::access::{Access, Everyone, Office};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data, paged};
use crate::responses::problem::Problem;

calls! {
    "Dashboard";
    /// List the customers that the caller may see, latest activity first
    GET "/api/v2/contacts" list_contacts = list;
    /// Rename a customer
    PATCH "/api/v2/contacts/{contact_id}" rename_contact = rename [403 404];
    /// List a customer's rooms that the caller may see, newest first
    GET "/api/v2/contacts/{contact_id}/rooms" list_contact_rooms = list_rooms [403 404];
    /// List the properties of a customer
    GET "/api/v2/contacts/{contact_id}/properties" contact_properties = list_properties [403 404];
    /// Delete a property of a customer
    DELETE "/api/v2/contacts/{contact_id}/properties/{property_id}"
        delete_contact_property = delete_property [403 404];
}

async fn list(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    query: RequestQuery<ContactsFields>,
) -> Answer<DataPage<ContactList<'static>>> {
    let wanted = ContactFilter::read(&query.fields()?)?;
    let (store, app) = (decisions.store(), caller.app.id);
    let found = find(store, app, caller.agent.as_ref(), &wanted);
    let (found, after) = match wanted.text {
        Some(_) => store.search(found).await?,
        None => found.await?,
    };
    let sources: Vec<_> =
        found.iter().map(|it| source(decisions.widget_source(), &it.newest)).collect();
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

async fn rename(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path(id): Path<String>,
    body: OmnichannelBody<RenameContactFields>,
) -> Answer<Data<ContactBox<'static>>> {
    let (id, name) = (contact_in_path(&id)?, read_rename(body.fields())?);
    let room = served_room(decisions.store(), &caller, id).await?;
    let by = caller.user();
    let rule = RenameCustomer { room, name, by };
    let customer = decisions.decide(&caller, rule).await?;
    data(contact(&customer, &[]))
}

async fn list_rooms(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path(id): Path<String>,
) -> Answer<DataPage<CustomerRoomList<'static>>> {
    let (id, size) = (contact_in_path(&id)?, limits::CONTACT_ROOMS_SCANNED);
    let (app, store) = (&caller.app, decisions.store());
    let viewer = caller.agent.as_ref();
    let mut found = Vec::new();
    for room in store.rooms_of_contact(app.id, id, size).await? {
        match seen_room(store, app, viewer, room).await {
            Err(QueryError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
            Ok((room, _)) => found.push(room),
        }
    }
    if found.is_empty() {
        return Err(Refusal::ContactNotFound(id.0).into());
    }
    let beside = RowExtras::read_all(decisions.rows(), app.id, viewer, &found).await?;
    let (now, each) = (clock::now(), found.iter().zip(&beside));
    let views: Vec<_> = each.map(|(room, beside)| beside.view(room, viewer, now)).collect();
    paged(page(room_list(&views), rooms_meta(None, None, size, None)))
}

async fn list_properties(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    Path(id): Path<String>,
) -> Answer<Data<ContactProperties<'static>>> {
    contacts::known(&store, &caller, &id).await
}

async fn delete_property(
    Part(decisions): Part<Decisions>,
    caller: By<Office>,
    Path((id, gone)): Path<(String, String)>,
) -> Answer<Data<ContactPropertyBox<'static>>> {
    let customer = contact_in_path(&id)?;
    let gone = PropertyId(id_in_path(&gone, Refusal::PropertyNotFound)?);
    let rule = RemoveCustomerProperty { customer, property: gone };
    let gone = decisions.decide(&caller, rule).await?;
    data(ContactPropertyBox { customer_property: property(customer, &gone) })
}

/// Returns the newest of the customer's rooms to which the calling agent is assigned. For callers
/// that see every room, returns the customer's newest room.
async fn served_room(
    store: &Store,
    caller: &By<impl Access>,
    contact: UserKey,
) -> Result<RoomId, Problem> {
    let seen = seen_contact(store, &caller.app, caller.agent.as_ref(), contact).await?;
    let user = caller.agent.as_ref().map(|agent| &agent.profile.user);
    let Some(agent) = seeing::limited(user) else { return Ok(seen.room) };
    let (store, size) = (store, limits::CONTACT_ROOMS_SCANNED);
    for room in store.rooms_of_contact(caller.app.id, contact, size).await? {
        let serving = store.agents_of_room(room).await?;
        if serving.iter().any(|it| it.user.id == agent.id) {
            return Ok(room);
        }
    }
    Err(Refusal::NotServing(seen.room.to_string()).into())
}
