//! Export of all conversations of an app (wire facts 5.7).
//!
//! - `GET /api/v1/export/conversations`

use axum::extract::State;
use confab_app::services::Services;
use confab_wire::omnichannel_api::support::DataPage;
use confab_wire::omnichannel_api::support::conversations::{
    ConversationList, Export, ExportFields, exported, read_export,
};

use crate::omnichannel::OFFICE;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, paged};

#[utoipa::path(
    get,
    path = "/api/v1/export/conversations",
    operation_id = "export_conversations",
    tag = "Service",
    summary = "List all conversations of the app, oldest first",
    params(ExportFields),
    responses((status = 200, description = "Done", body = DataPage<ConversationList<'static>>)),
)]
pub(crate) async fn export(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let Export { after, room, size } = read_export(&query.fields()?)?;
    let (store, app) = (services.store(), caller.app.id);
    let found = store.sessions_of_app(app, room, after, size).await?;
    let (channels, agents) = (store.channels(app).await?, store.agents(app).await?);
    paged(exported(&found, size, &channels, &agents))
}
