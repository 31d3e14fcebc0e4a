//! `GET` and `POST /api/v1/<brand>/room/{room}/user_info`: there once for each brand (D-0001).

use axum::extract::{Path, State};
use confab_domain::ids::RoomId;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::notice::{self, Info};
use confab_store::ListedRoom;
use confab_wire::omnichannel_api::service::infos::{
    KnownCustomer, TimeObject, UserInfo, UserInfoFields, changed_user_info, read_user_info,
    user_info,
};
use confab_wire::webhook_api::Data;

use super::{room_in_path, seen_room};
use crate::actions;
use crate::actions::desk::OwnedDesk;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::http::problem::Problem;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/room/{room}/user_info",
    operation_id = "user_info",
    tag = "Service",
    summary = "Show what is known about the customer of a room",
    params(("room" = String, Path, description = "The customer's room")),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses(
        (status = 200, description = "Done", body = Data<UserInfo<'static, String>>),
        OmniFailures,
    ),
)]
pub(crate) async fn show(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(room): Path<String>,
) -> Answer {
    let known = Known::read(&services, &caller, room_in_path(&room)?).await?;
    data(user_info(&known.shown()))
}

#[utoipa::path(
    post,
    path = "/room/{room}/user_info",
    operation_id = "add_user_info",
    tag = "Service",
    summary = "Add to what is known about the customer of a room",
    params(("room" = String, Path, description = "The customer's room")),
    request_body = UserInfoFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses(
        (status = 200, description = "Done", body = Data<UserInfo<'static, TimeObject>>),
        OmniFailures,
    ),
)]
pub(crate) async fn add(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(room): Path<String>,
    body: OmniBody,
) -> Answer {
    let (room, told) = (room_in_path(&room)?, read_user_info(body.fields())?);
    let desk = OwnedDesk::new(&services, &caller.app, 0);
    let by = caller.worker.as_ref().map(|worker| worker.profile.user.clone());
    actions::inform(&services, &desk, room, told, by).await?;
    let known = Known::read(&services, &caller, room).await?;
    data(changed_user_info(&known.shown()))
}

struct Known {
    room: ListedRoom,
    channel: notice::Channel,
    infos: Vec<Info>,
}

impl Known {
    async fn read(services: &Services, caller: &OmniCaller, id: RoomId) -> Result<Self, Problem> {
        let (app, store) = (&caller.app, services.store());
        let (room, _) = seen_room(services, app, caller.worker.as_ref(), id).await?;
        let served = store.customer_of_room(app.id, id).await?;
        let (_, channel) = served.ok_or_else(|| Refusal::NotACustomerRoom(id.to_string()))?;
        let channel = channel.shown(&services.widget_source());
        Ok(Self { room, channel, infos: store.infos(id).await? })
    }

    fn shown(&self) -> KnownCustomer<'_> {
        let session = self.room.customer_room.session.as_ref();
        KnownCustomer {
            user_id: self.room.customer.as_str(),
            channel: &self.channel,
            infos: &self.infos,
            notes: session.and_then(|session| session.notes.as_deref()),
            opened_at: self.room.customer_room.created_at,
            taken_at: session.and_then(|session| session.taken_at),
        }
    }
}
