//! `GET /listen`: waits for new webhooks, for a developer's terminal.

use std::time::Duration;

use axum::extract::State;
use confab_app::services::Services;
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::listening::{
    Listen, ListenFields, ListenedWebhooks, event, masked_event,
};

use crate::calls::calls;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::{WebhookCaller, prove_again};
use crate::responses::answer::{Answer, data};

calls! {
    "Webhooks";
    /// Wait for new webhooks
    GET "/listen" listen_to_webhooks = listen [403];
}

async fn listen(
    State(services): State<Services>,
    caller: WebhookCaller,
    query: RequestQuery<ListenFields>,
) -> Answer<Data<ListenedWebhooks<'static>>> {
    let Listen { after, wait_s } = Listen::read(&query.fields()?)?;
    let wait = Duration::from_secs(wait_s);
    let (events, next) = services.decisions().listeners().listen(caller.app.id, after, wait).await;
    prove_again(&caller, services.store()).await?;
    // A caller with the app's key gets the unmasked body, to check its signature. For a signed-in
    // admin, keys are masked.
    let event = if caller.right().is_some() { masked_event } else { event };
    let events = events.iter().map(|it| event(it.id, &it.delivery, &it.headers)).collect();
    data(ListenedWebhooks { events, next })
}
