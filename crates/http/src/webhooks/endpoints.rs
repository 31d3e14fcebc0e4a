//! Webhook endpoints of an app.
//!
//! Except for `PUT`, a path may contain an endpoint's id in place of its kind.

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::ids::AppId;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::delivery::Backlog;
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::subscribing::{
    PauseEndpoint, PutEndpoint, RemoveEndpoint, WhichEndpoint,
};
use confab_store::{Store, StoreError};
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::endpoints::{
    EndpointBox, EndpointExtras, EndpointList, PutEndpointFields, endpoint_list, one_endpoint,
    read_put_endpoint,
};

use crate::calls::calls;
use crate::requests::bodies::RequestBody;
use crate::requests::callers::WebhookCaller;
use crate::requests::targets;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Webhooks";
    /// List endpoints and their state
    GET "/endpoints" list_webhook_endpoints = list [403];
    /// Register or change the endpoint of a kind of webhook
    PUT "/endpoints/{kind}" put_webhook_endpoint = put [403 404 409];
    /// Pause the deliveries of an endpoint
    POST "/endpoints/{kind}/pause" pause_webhook_endpoint = pause [403 404];
    /// Resume the deliveries of an endpoint
    POST "/endpoints/{kind}/resume" resume_webhook_endpoint = resume [403 404];
    /// Delete an endpoint and give up its waiting deliveries; past ones stay listed
    DELETE "/endpoints/{kind}" delete_webhook_endpoint = delete [403 404 409];
}

async fn list(
    State(services): State<Services>,
    caller: WebhookCaller,
) -> Answer<Data<EndpointList<'static>>> {
    let endpoints = services.store().endpoints(caller.app.id).await?;
    let beside = OwnedExtras::load(services.store(), caller.app.id).await?;
    data(endpoint_list(&endpoints, &beside.shown()))
}

async fn put(
    State(services): State<Services>,
    caller: WebhookCaller,
    Path(kind): Path<String>,
    body: RequestBody<PutEndpointFields>,
) -> Answer<Data<EndpointBox<'static>>> {
    let wanted = read_put_endpoint(&body.fields()?, kind_of(&kind)?)?;
    targets::check(&services, "url", &wanted.url)?;
    let endpoint = services.decisions().decide(&caller, PutEndpoint { wanted }).await?;
    let beside = OwnedExtras::load(services.store(), caller.app.id).await?;
    data(one_endpoint(&endpoint, &beside.shown()))
}

async fn pause(
    State(services): State<Services>,
    caller: WebhookCaller,
    Path(kind): Path<String>,
) -> Answer<Data<EndpointBox<'static>>> {
    let which = endpoint_of(services.store(), caller.app.id, &kind).await?;
    let rule = PauseEndpoint { which, is_paused: true };
    let endpoint = services.decisions().decide(&caller, rule).await?;
    let beside = OwnedExtras::load(services.store(), caller.app.id).await?;
    data(one_endpoint(&endpoint, &beside.shown()))
}

async fn resume(
    State(services): State<Services>,
    caller: WebhookCaller,
    Path(kind): Path<String>,
) -> Answer<Data<EndpointBox<'static>>> {
    let which = endpoint_of(services.store(), caller.app.id, &kind).await?;
    let rule = PauseEndpoint { which, is_paused: false };
    let endpoint = services.decisions().decide(&caller, rule).await?;
    let beside = OwnedExtras::load(services.store(), caller.app.id).await?;
    data(one_endpoint(&endpoint, &beside.shown()))
}

async fn delete(
    State(services): State<Services>,
    caller: WebhookCaller,
    Path(kind): Path<String>,
) -> Answer<Data<EndpointBox<'static>>> {
    let app = caller.app.id;
    let which = endpoint_of(services.store(), app, &kind).await?;
    let beside = OwnedExtras::load(services.store(), app).await?;
    let has_owner = beside.has_owner(&which);
    let rule = RemoveEndpoint { which, has_owner };
    let endpoint = services.decisions().decide(&caller, rule).await?;
    data(one_endpoint(&endpoint, &beside.shown()))
}

/// Backlogs of an app's endpoints, and the buttons and channels to which endpoints belong.
struct OwnedExtras {
    backlogs: Vec<Backlog>,
    owners: Vec<(EventKind, String, String)>,
}

impl OwnedExtras {
    async fn load(store: &Store, app: AppId) -> Result<Self, StoreError> {
        let buttons = store.buttons(app).await?.into_iter();
        let buttons = buttons.map(|it| (EventKind::CustomButton, it.id.to_string(), it.label));
        let channels = store.channels(app).await?.into_iter();
        let channels = channels.flat_map(|it| {
            let kinds = match it.kind.is_service() {
                true => EventKind::ALL.into_iter().filter(|it| it.is_of_channel()).collect(),
                false => vec![EventKind::ChannelMessage],
            };
            kinds.into_iter().map(move |kind| (kind, it.id.to_string(), it.name.clone()))
        });
        Ok(Self { backlogs: store.backlogs(app).await?, owners: buttons.chain(channels).collect() })
    }

    fn shown(&self) -> EndpointExtras<'_> {
        EndpointExtras { backlogs: &self.backlogs, owners: &self.owners }
    }

    fn has_owner(&self, which: &WhichEndpoint) -> bool {
        self.owners.iter().any(|it| it.0 == which.kind && it.1 == which.name)
    }
}

/// Finds the endpoint that a path names by its kind or its id.
pub(super) async fn endpoint_of(
    store: &Store,
    app: AppId,
    text: &str,
) -> Result<WhichEndpoint, Problem> {
    if let Some(kind) = EventKind::parse(text) {
        return Ok(WhichEndpoint::only(kind));
    }
    let endpoints = store.endpoints(app).await?;
    let found = endpoints.into_iter().find(|it| it.id.to_string() == text);
    let found = found.ok_or_else(|| Refusal::KindNotFound(text.to_owned()))?;
    Ok(WhichEndpoint { kind: found.kind, name: found.name })
}

/// Parses the endpoint kind in a path.
fn kind_of(text: &str) -> Result<EventKind, Refusal> {
    EventKind::parse(text).ok_or_else(|| Refusal::KindNotFound(text.to_owned()))
}
