//! Makes nonces, and uses them up.

use confab_domain::app::App;
use confab_domain::decision::change::UserChange;
use confab_domain::decision::question::{OmniQuestion, Question};
use confab_domain::decision::rule::Decision;
use confab_domain::service::initiating;
use confab_domain::time::Timestamp;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// A new nonce that is good for so many seconds, and until when.
pub(crate) async fn make_nonce(
    services: &Services,
    app: &App,
    good_s: i64,
) -> Result<(String, Timestamp), WriteError> {
    let nonce = ids::secret();
    let new = nonce.clone();
    let until = services
        .store()
        .decide(app.id, Question::default(), move |_, stamp| {
            let until = Timestamp(stamp.now.0 + good_s * 1_000_000);
            let added = UserChange::AddNonce { nonce: new.clone(), until };
            Ok(Decision::new(vec![added.into()], until))
        })
        .await?;
    Ok((nonce, until))
}

/// Uses up a nonce; refuses one that is not good.
pub(crate) async fn use_nonce(
    services: &Services,
    app: &App,
    nonce: String,
) -> Result<(), WriteError> {
    let omni = OmniQuestion { nonce: Some(nonce.clone()), ..OmniQuestion::default() };
    let question = Question { omni: Some(omni), ..Question::default() };
    services
        .store()
        .decide(app.id, question, move |facts, stamp| initiating::use_nonce(facts, &nonce, stamp))
        .await
}
