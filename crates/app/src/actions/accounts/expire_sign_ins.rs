//! Takes agents offline whose sign-ins have all expired.

use confab_domain::agents::signing_in::ExpireSignIns;
use confab_domain::decision::principal::Principal;
use confab_domain::limits;
use confab_runtime::{clock, ids};
use confab_store::WriteError;

use crate::decide::Decisions;

/// Expires the sign-ins of up to `CANDIDATES_MAX` agents.
pub(crate) async fn expire_sign_ins(decisions: &Decisions) -> Result<(), WriteError> {
    let (store, size) = (decisions.store(), limits::CANDIDATES_MAX);
    for (app, user) in store.lapsed_agents(clock::now(), size).await? {
        let Some(known) = decisions.apps().of_id(app).await? else { continue };
        let rule = ExpireSignIns { user, new_sdk_key: ids::secret() };
        decisions.decide(&Principal::server(&known.app), rule).await?;
    }
    Ok(())
}
