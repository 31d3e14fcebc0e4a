//! Creates nonces.

use confab_domain::decision::principal::Principal;
use confab_domain::support::conversations::initiating::CreateNonce;
use confab_domain::time::Timestamp;
use confab_runtime::ids;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Creates a nonce that is valid for `good_s` seconds. Returns it with its expiry time.
pub async fn make_nonce(
    decisions: &Decisions,
    by: &Principal,
    good_s: i64,
) -> Result<(String, Timestamp), WriteError> {
    let nonce = ids::secret();
    let until = decisions.decide(by, CreateNonce { nonce: nonce.clone(), good_s }).await?;
    Ok((nonce, until))
}
