//! `GET /webhook_logs`: the delivery attempts of webhooks (wire facts 3.1).

use confab_store::Store;
use confab_wire::message_api::Results;
use confab_wire::message_api::webhook_logs::{
    WebhookLogList, WebhookLogs, WebhookLogsFields, webhook_log,
};

use crate::calls::calls;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::SdkCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, ok};

calls! {
    "Webhooks";
    /// List webhook delivery attempts, newest first
    GET "/webhook_logs" webhook_logs = list;
}

async fn list(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<WebhookLogsFields>,
) -> Answer<Results<WebhookLogList<'static>>> {
    let WebhookLogs { page, kind } = WebhookLogs::read(&query.fields()?)?;
    let app = caller.app.id;
    let logged = store.logged_attempts(app, page.skipped(), page.size).await?;
    let endpoints = store.endpoints(app).await?;
    let wanted = logged.iter().filter(|it| kind.has(&it.body));
    let webhook_logs = wanted
        .map(|it| webhook_log(&it.attempt, (it.delivery, it.endpoint), &it.body, &endpoints))
        .collect();
    ok(WebhookLogList { webhook_logs })
}
