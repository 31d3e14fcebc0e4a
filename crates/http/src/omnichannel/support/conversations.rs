//! Export of all conversations of an app (wire facts 5.7).

use confab_store::Store;
use confab_wire::omnichannel_api::support::DataPage;
use confab_wire::omnichannel_api::support::conversations::{
    ConversationList, Export, ExportFields, exported, read_export,
};

use crate::calls::calls;
use crate::requests::access::Office;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, paged};

calls! {
    "Service";
    /// List all conversations of the app, oldest first
    GET "/api/v1/export/conversations" export_conversations = export [403];
}

async fn export(
    Part(store): Part<Store>,
    caller: By<Office>,
    query: RequestQuery<ExportFields>,
) -> Answer<DataPage<ConversationList<'static>>> {
    let Export { after, room, size } = read_export(&query.fields()?)?;
    let app = caller.app.id;
    let found = store.sessions_of_app(app, room, after, size).await?;
    let (channels, agents) = (store.channels(app).await?, store.agents(app).await?);
    paged(exported(&found, size, &channels, &agents))
}
