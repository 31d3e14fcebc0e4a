//! Reveals or changes the app's keys for an admin (design/sign-in-and-limits).

use confab_domain::agents::agent::Agent;
use confab_domain::app::{App, KeyState};
use confab_domain::changing_keys::{ChangeKeys, RevealKeys};
use confab_domain::decision::principal::Principal;
use confab_domain::key_step::KeyStep;
use confab_domain::refusal::Refusal;
use confab_runtime::admission::peer::Peer;
use confab_runtime::{clock, ids};
use confab_wire::omnichannel_api::people::keys::{KeyAction, RevealedKeys};

use crate::actions::accounts::prove_password::{Proof, prove_password};
use crate::actions::accounts::sign_in::SignInError;
use crate::services::Services;

/// Reveals or changes the keys if the admin's password is correct. Returns the keys to show once.
pub async fn change_keys(
    services: &Services,
    by: &Principal,
    user: &Agent,
    (action, password): (KeyAction, String),
    peer: Peer,
) -> Result<RevealedKeys, SignInError> {
    let Proof::Right { .. } = prove_password(services, user, password, peer).await? else {
        return Err(Refusal::WrongPassword.into());
    };
    let Some((step, shown)) = step(action) else {
        let app = services.decisions().decide(by, RevealKeys).await?;
        return Ok(revealed(app));
    };
    services.decisions().decide(by, ChangeKeys { step }).await?;
    Ok(shown)
}

/// Returns the step of the key change and the new keys to show, or `None` if the action only
/// reveals the current keys.
fn step(action: KeyAction) -> Option<(KeyStep, RevealedKeys)> {
    let nothing = RevealedKeys::default;
    Some(match action {
        KeyAction::Reveal => return None,
        KeyAction::Stage => {
            let new_key = ids::secret();
            let shown = RevealedKeys { staged_key: Some(new_key.clone()), ..nothing() };
            (KeyStep::Stage { new_key }, shown)
        }
        KeyAction::Unstage => (KeyStep::Unstage, nothing()),
        KeyAction::Promote { overlap_days } => {
            (KeyStep::Promote { until: clock::now().days_later(overlap_days) }, nothing())
        }
        KeyAction::Retire => (KeyStep::Retire, nothing()),
        KeyAction::Rotate => {
            let (sdk_secret, secret_key) = (ids::secret(), ids::secret());
            let shown = RevealedKeys {
                secret_key: Some(secret_key.clone()),
                sdk_secret: Some(sdk_secret.clone()),
                ..nothing()
            };
            (KeyStep::Rotate { sdk_secret, secret_key }, shown)
        }
    })
}

fn revealed(app: App) -> RevealedKeys {
    let staged = app.other_key.filter(|other| other.standing == KeyState::Staged);
    RevealedKeys {
        secret_key: Some(app.secret_key),
        staged_key: staged.map(|other| other.key),
        sdk_secret: Some(app.sdk_secret),
    }
}
