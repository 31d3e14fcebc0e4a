//! The app's keys, for signed-in admins (design/sign-in-and-limits). Not available with the keys
//! themselves: a key must not give access to its successor.
//!
//! - `GET /api/v2/app/keys`
//! - `POST /api/v2/app/keys/{step}`

use axum::extract::{Path, State};
use axum::http::StatusCode;
use confab_app::services::Services;
use confab_app::{actions, clock};
use confab_domain::agents::role::Role;
use confab_domain::app::{App, KeyState};
use confab_domain::audit::deed::AuditAction;
use confab_domain::ids::{AuditId, ID_END};
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use confab_store::{AuditListing, Store, StoreError};
use confab_wire::omnichannel_api::people::keys::{
    AppKeysBox, KeyStepFields, RevealedKeysBox, app_keys, read_key_step,
};
use confab_wire::webhook_api::Data;

use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::AgentCaller;
use crate::requests::peer::ClientPeer;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

const ADMIN: &[Role] = &[Role::Admin];

#[utoipa::path(
    get,
    path = "/api/v2/app/keys",
    operation_id = "get_app_keys",
    tag = "Office",
    summary = "Get the last characters of the app's keys, and the state of a key change",
    responses((status = 200, description = "Done", body = Data<AppKeysBox<'static>>)),
)]
pub(crate) async fn load(State(services): State<Services>, caller: AgentCaller) -> Answer {
    caller.must_be(ADMIN)?;
    let store = services.store();
    // Read the store: the cached app may be a second old.
    let app = store.app_by_id(caller.app.id).await?.ok_or(Refusal::SignedOut)?;
    data(app_keys(&app, since(store, &app).await?, clock::now()))
}

#[utoipa::path(
    post,
    path = "/api/v2/app/keys/{step}",
    operation_id = "take_key_step",
    tag = "Office",
    summary = "Reveal the app's keys, or perform a step of a key change",
    params((
        "step" = String,
        Path,
        description = "`reveal`, `stage`, `unstage`, `promote`, `retire` or `rotate`"
    )),
    request_body = KeyStepFields,
    responses((status = 200, description = "Done", body = Data<RevealedKeysBox>)),
)]
pub(crate) async fn take_step(
    State(services): State<Services>,
    caller: AgentCaller,
    ClientPeer(peer): ClientPeer,
    Path(step): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(ADMIN)?;
    let wish = read_key_step(&step, body.fields())?.ok_or_else(|| {
        let message = "There is no such step. The steps are reveal, stage, unstage, promote, \
            retire and rotate.";
        Problem::new(StatusCode::NOT_FOUND, "not_found", message)
    })?;
    let user = (&caller.agent.profile.user, by);
    let keys = actions::change_keys(&services, &caller.app, user, wish, peer).await?;
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
