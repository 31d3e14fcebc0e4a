//! Makes nonces, and uses them up.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::service::initiating::{MakeNonce, UseNonce};
use confab_domain::time::Timestamp;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// A new nonce that is good for so many seconds, and until when.
pub(crate) async fn make_nonce(
    services: &Services,
    app: &Arc<App>,
    good_s: i64,
) -> Result<(String, Timestamp), WriteError> {
    let nonce = ids::secret();
    let until = services.decide(app, MakeNonce { nonce: nonce.clone(), good_s }).await?;
    Ok((nonce, until))
}

/// Uses up a nonce; refuses one that is not good.
pub(crate) async fn use_nonce(
    services: &Services,
    app: &Arc<App>,
    nonce: String,
) -> Result<(), WriteError> {
    services.decide(app, UseNonce { nonce }).await
}
