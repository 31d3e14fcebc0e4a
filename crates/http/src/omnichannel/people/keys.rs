//! The app's keys, for signed-in admins (design/sign-in-and-limits). Not available with the keys
//! themselves: a key must not give access to its successor.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use confab_app::actions;
use confab_app::services::Services;
use confab_domain::app::{App, KeyState};
use confab_domain::audit::deed::AuditAction;
use confab_domain::ids::{AuditId, ID_END};
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use confab_runtime::clock;
use confab_store::{AuditListing, Store, StoreError};
use confab_wire::omnichannel_api::people::keys::{
    AppKeysBox, KeyStepFields, RevealedKeysBox, app_keys, read_key_step,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::access::Admins;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::AgentCaller;
use crate::requests::part::Part;
use crate::requests::peer::ClientPeer;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Office";
    /// Get the last characters of the app's keys, and the state of a key change
    GET "/api/v2/app/keys" get_app_keys = load [403];
    /// Reveal the app's keys, or perform a step of a key change
    POST "/api/v2/app/keys/{step}" take_key_step = take_step [403 404 409];
}

async fn load(
    Part(store): Part<Store>,
    caller: AgentCaller<Admins>,
) -> Answer<Data<AppKeysBox<'static>>> {
    // Read the store: the cached app may be a second old.
    let app = store.app_by_id(caller.app.id).await?.ok_or(Refusal::SignedOut)?;
    data(app_keys(&app, since(&store, &app).await?, clock::now()))
}

async fn take_step(
    State(services): State<Services>,
    caller: AgentCaller<Admins>,
    ClientPeer(peer): ClientPeer,
    Path(step): Path<String>,
    body: OmnichannelBody<KeyStepFields>,
) -> Answer<Data<RevealedKeysBox>> {
    let wish = read_key_step(&step, body.fields())?.ok_or_else(|| {
        let message = "There is no such step. The steps are reveal, stage, unstage, promote, \
            retire and rotate.";
        Problem::new(StatusCode::NOT_FOUND, "not_found", message)
    })?;
    let user = &caller.agent.profile.user;
    let keys = actions::change_keys(&services, &caller, user, wish, peer).await?;
    data(RevealedKeysBox { keys })
}

/// Returns the time of the latest step of a running key change, from the audit log; `None` if no
/// key is being changed.
async fn since(store: &Store, app: &App) -> Result<Option<Timestamp>, StoreError> {
    let deed = match app.other_key.as_ref().map(|other| other.standing) {
        Some(KeyState::Staged) => AuditAction::KeysStaged,
        Some(KeyState::Old { .. }) => AuditAction::KeysPromoted,
        None => return Ok(None),
    };
    let listing = AuditListing {
        before: AuditId(ID_END),
        actor: None,
        what: Some(deed.as_str().to_owned()),
        from: Timestamp(0),
        until: Timestamp(i64::MAX),
    };
    Ok(store.audit(app.id, &listing, 1).await?.first().map(|entry| entry.at))
}
