//! Where rules of the omnichannel half decide: whose, in which words, and what led to it.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::context::Context;
use confab_domain::decision::rule::Rule;
use confab_store::WriteError;

use crate::services::Services;

/// What a rule is handed; cheap to clone, because rules run on the store's thread.
#[derive(Clone)]
pub(crate) struct OwnedDesk(Context);

impl OwnedDesk {
    /// For a request that so many webhooks led to.
    pub(crate) fn new(services: &Services, app: &Arc<App>, depth_before: u32) -> Self {
        Self(services.context(app, depth_before))
    }

    /// Whose it is.
    pub(crate) fn app(&self) -> &Arc<App> {
        &self.0.app
    }

    /// As the rules know it.
    pub(crate) fn desk(&self) -> &Context {
        &self.0
    }

    pub(crate) async fn decide<R: Rule>(
        &self,
        services: &Services,
        rule: R,
    ) -> Result<R::Outcome, WriteError> {
        services.decide_after(self.0.depth_before, &self.0.app, rule).await
    }
}
