//! Uploads of agents, handled like those of clients (design/files).

use axum::extract::{FromRequestParts, State};
use confab_app::services::Services;
use confab_wire::omnichannel_api::support::files::{SendFileFields, SentFile, SentFileBox};
use confab_wire::webhook_api::Data;

use crate::api;
use crate::calls::calls;
use crate::requests::access::Everyone;
use crate::requests::bodies::StreamedForm;
use crate::requests::callers::{AgentCaller, Streaming, prove_again};
use crate::responses::answer::{Answer, data};
use crate::sdk::upload;

calls! {
    "Dashboard" of api::OMNI_SIGNED_IN;
    /// Upload a file and get its URL
    POST "/api/v2/files" send_file = post [403];
}

async fn post(
    State(services): State<Services>,
    _: Streaming,
    StreamedForm { request, .. }: StreamedForm<SendFileFields>,
) -> Answer<Data<SentFileBox<'static>>> {
    let (mut parts, body) = request.into_parts();
    let caller = AgentCaller::<Everyone>::from_request_parts(&mut parts, &services).await?;
    let file = upload::received(&services, &parts, body).await?;
    let proof = prove_again(&caller, services.store());
    let kept = upload::keep(&services, &caller, caller.agent.speaker, file, proof).await?;
    data(SentFileBox { file: SentFile { name: &kept.name, size: kept.size, url: &kept.url } })
}
