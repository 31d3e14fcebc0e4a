//! Editing and deleting messages to customers (design/support).

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::messages::message::PostedMessage;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::correcting::{CorrectText, DeletePosted};
use confab_store::Store;
use confab_wire::omnichannel_api::support::conversation::{CorrectionFields, read_correction};
use confab_wire::sdk_api::comment::{ClientComment, SdkStatus};
use confab_wire::sdk_api::messages::ClientCommentBox;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::room_in_path;
use crate::requests::access::{Access, Everyone};
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::AgentCaller;
use crate::responses::answer::{Answer, data};

calls! {
    "Dashboard";
    /// Edit one of the caller's own messages
    PATCH "/api/v2/customer_rooms/{room_id}/messages/{unique_id}"
        correct_message = change [403 404];
    /// Delete an own message; admins and supervisors can delete any message
    DELETE "/api/v2/customer_rooms/{room_id}/messages/{unique_id}"
        delete_message = delete [403 404];
}

async fn change(
    State(services): State<Services>,
    caller: AgentCaller<Everyone>,
    Path((room, message)): Path<(String, String)>,
    body: OmnichannelBody<CorrectionFields>,
) -> Answer<Data<ClientCommentBox<'static>>> {
    let (room, message) = (room_in_path(&room)?, UniqueId::from_stored(message));
    let text = read_correction(body.fields())?;
    let by = caller.agent.profile.clone();
    services.admission().rate_limits.count_post(caller.app.id, &by.sdk_user.clone().into())?;
    services.admission().quotas.count_message(caller.app.id, None)?;
    let rule = CorrectText { room, message, text, by };
    let posted = services.decisions().decide(&caller, rule).await?;
    shown(services.store(), &caller, &posted, true).await
}

async fn delete(
    State(services): State<Services>,
    caller: AgentCaller<Everyone>,
    Path((room, message)): Path<(String, String)>,
) -> Answer<Data<ClientCommentBox<'static>>> {
    let (room, message) = (room_in_path(&room)?, UniqueId::from_stored(message));
    services.admission().quotas.count_message(caller.app.id, None)?;
    let rule = DeletePosted { room, message, by: caller.agent.profile.clone() };
    let trace = services.decisions().decide(&caller, rule).await?;
    shown(services.store(), &caller, &trace, false).await
}

async fn shown(
    store: &Store,
    caller: &AgentCaller<impl Access>,
    posted: &PostedMessage,
    is_edited: bool,
) -> Answer<Data<ClientCommentBox<'static>>> {
    let room = RoomRef::Id(posted.message.room);
    let found = store.room(caller.app.id, &room).await?;
    let room = found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?;
    let comment = ClientComment::in_conversation(posted, &room, SdkStatus::Sent, is_edited);
    data(ClientCommentBox { comment })
}
