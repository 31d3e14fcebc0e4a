//! Notes up to where somebody received and read.

use confab_domain::app::App;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::messages::acknowledging::{self, Acknowledgement};
use confab_store::WriteError;

use crate::services::Services;

/// Whether they are further than before.
pub(crate) async fn acknowledge(
    services: &Services,
    app: &App,
    given: Acknowledgement,
) -> Result<bool, WriteError> {
    let question = acknowledging::question(&given);
    let rule =
        move |facts: &Facts, stamp: &Stamp<'_>| acknowledging::acknowledge(facts, &given, stamp);
    services.store().decide(app.id, question, rule).await
}
