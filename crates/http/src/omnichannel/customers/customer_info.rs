//! Properties of a customer, in one room and in all rooms (wire facts 5.5).

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::ids::RoomId;
use confab_domain::refusal::Refusal;
use confab_domain::support::contacts::customer_info::{SetCustomerInfo, SetCustomerProperty};
use confab_domain::webhooks::event::{self, Info};
use confab_queries::customer_rooms::seen_room;
use confab_store::ListedRoom;
use confab_wire::omnichannel_api::support::customers::infos::{
    ContactProperty, KnownCustomer, PropertyFields, TimeObject, UserInfo, UserInfoFields,
    changed_user_info, property, read_property, read_user_info, user_info,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::{contact_in_path, room_in_path};
use crate::requests::access::{Access, Everyone, Office};
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Service";
    /// Get the properties and notes of a room's customer
    GET "/api/v1/{brand}/room/{room}/user_info" user_info = load [403 404];
    /// Set the properties and notes of a room's customer
    POST "/api/v1/{brand}/room/{room}/user_info"
        add_user_info = add [403 404];
    /// Set a property of a customer
    POST "/api/v2/contacts/properties/{contact_id}" set_contact_property = set_property [403 404];
}

async fn load(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path(room): Path<String>,
) -> Answer<Data<UserInfo<'static, String>>> {
    let known = RoomCustomerInfo::read(&decisions, &caller, room_in_path(&room)?).await?;
    data(user_info(&known.shown()))
}

async fn add(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    Path(room): Path<String>,
    body: OmnichannelBody<UserInfoFields>,
) -> Answer<Data<UserInfo<'static, TimeObject>>> {
    let (room, told) = (room_in_path(&room)?, read_user_info(body.fields())?);
    let by = caller.user();
    let rule = SetCustomerInfo { room, told, by };
    decisions.decide(&caller, rule).await?;
    let known = RoomCustomerInfo::read(&decisions, &caller, room).await?;
    data(changed_user_info(&known.shown()))
}

async fn set_property(
    Part(decisions): Part<Decisions>,
    caller: By<Office>,
    Path(contact): Path<String>,
    body: OmnichannelBody<PropertyFields>,
) -> Answer<Data<ContactProperty<'static>>> {
    let customer = contact_in_path(&contact)?;
    let wanted = read_property(body.fields())?;
    let (label, value) = wanted;
    let rule = SetCustomerProperty { customer, label, value };
    let set = decisions.decide(&caller, rule).await?;
    data(property(customer, &set))
}

struct RoomCustomerInfo {
    room: ListedRoom,
    channel: event::ChannelSummary,
    infos: Vec<Info>,
    is_blocked: bool,
}

impl RoomCustomerInfo {
    async fn read(
        decisions: &Decisions,
        caller: &By<impl Access>,
        id: RoomId,
    ) -> Result<Self, Problem> {
        let (app, store) = (&caller.app, decisions.store());
        let (room, _) = seen_room(store, app, caller.agent.as_ref(), id).await?;
        let served = store.customer_of_room(app.id, id).await?;
        let (user, channel) = served.ok_or_else(|| Refusal::NotACustomerRoom(id.to_string()))?;
        let channel = room.customer_room.shown_channel(&channel, decisions.widget_source());
        let is_blocked = !user.is_active;
        Ok(Self { room, channel, infos: store.infos(id).await?, is_blocked })
    }

    fn shown(&self) -> KnownCustomer<'_> {
        let session = self.room.customer_room.session.as_ref();
        KnownCustomer {
            user_id: self.room.customer.as_str(),
            channel: &self.channel,
            infos: &self.infos,
            is_blocked: self.is_blocked,
            notes: session.and_then(|session| session.notes.as_deref()),
            opened_at: self.room.customer_room.created_at,
            taken_at: session.and_then(|session| session.taken_at),
        }
    }
}
