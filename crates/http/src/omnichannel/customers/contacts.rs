//! Customers as agent apps read them (wire facts 5.7).

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::contacts::customer_blocking::BlockCustomer;
use confab_queries::customer_rooms::{SeenContact, seen_contact, seen_room};
use confab_store::Store;
use confab_wire::omnichannel_api::support::customers::contacts::{
    BlockCustomerFields, BlockedCustomer, ContactBox, ContactConversationFields, ContactProperties,
    Conversation, contact, properties, read_block, read_conversation,
};
use confab_wire::sdk_api::messages::listed;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::{contact_in_path, room_in_path};
use crate::requests::access::{Access, Everyone};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, Bare, bare, data};

calls! {
    "Service";
    /// Get a customer
    GET "/api/v2/contacts/{contact_id}" get_contact = load [403 404];
    /// List the properties of a customer
    GET "/api/v2/contacts/properties/{contact_id}"
        list_contact_properties = list_properties [403 404];
    /// Load messages of a customer's room, newest first, 20 at a time
    GET "/api/v2/contacts/{contact_id}/conversations/{room_id}"
        get_contact_conversation = load_conversation [403 404];
    /// Block or unblock the customer of a room
    POST "/api/v1/customer/block" block_customer = block [403 404];
}

async fn load(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    Path(id): Path<String>,
) -> Answer<Data<ContactBox<'static>>> {
    let (app, id) = (&caller.app, contact_in_path(&id)?);
    let SeenContact { customer, room } =
        seen_contact(&store, app, caller.agent.as_ref(), id).await?;
    let room = RoomRef::Id(room);
    let page = store.page(app.id, &room, 0, limits::LAST_MESSAGES_SCANNED).await?;
    let posted = store.loaded(page.unwrap_or_default()).await?;
    data(contact(&customer, &posted))
}

async fn list_properties(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    Path(id): Path<String>,
) -> Answer<Data<ContactProperties<'static>>> {
    known(&store, &caller, &id).await
}

/// Answers with the properties of a customer that apply in all of the customer's rooms.
pub(crate) async fn known(
    store: &Store,
    caller: &By<impl Access>,
    id: &str,
) -> Answer<Data<ContactProperties<'static>>> {
    let id = contact_in_path(id)?;
    seen_contact(store, &caller.app, caller.agent.as_ref(), id).await?;
    data(properties(id, &store.properties_of(id).await?))
}

async fn load_conversation(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    Path((id, room)): Path<(String, String)>,
    query: RequestQuery<ContactConversationFields>,
) -> Answer<Bare<Conversation<'static>>> {
    let app = &caller.app;
    let (id, room) = (contact_in_path(&id)?, room_in_path(&room)?);
    let before = read_conversation(&query.fields()?)?;
    let (found, _) = seen_room(&store, app, caller.agent.as_ref(), room).await?;
    if found.customer_room.customer != id {
        return Err(Refusal::NotACustomerRoom(room.to_string()).into());
    }
    let (asked, size) = (RoomRef::Id(room), limits::PAGE_DEFAULT);
    let page = match before {
        None => store.page(app.id, &asked, 0, size).await?,
        Some(before) => {
            let ids = (MessageId(0), MessageId(before.0 - 1));
            store.range(app.id, &asked, ids, size).await?
        }
    };
    let room = store.room(app.id, &asked).await?;
    let room = room.ok_or_else(|| Refusal::RoomNotFound(asked.shown()))?;
    let posted = store.loaded(page.unwrap_or_default()).await?;
    let comments = listed(posted.iter().map(|posted| (&**posted, &room)));
    bare(Conversation::of(&comments))
}

async fn block(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    body: OmnichannelBody<BlockCustomerFields>,
) -> Answer<Data<BlockedCustomer>> {
    let (room, is_blocked) = read_block(body.fields())?;
    let by = caller.user();
    let rule = BlockCustomer { room, is_blocked, by };
    decisions.decide(&caller, rule).await?;
    data(BlockedCustomer { room_id: room.to_string(), is_blocked })
}
