//! Where rules of the omnichannel half decide: whose, in which words, and what led to it.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::json_text::JsonText;
use confab_domain::service::serving::{Desk, Served, Words};
use confab_domain::webhooks::notice::Channel;
use confab_wire::complete_payload;
use confab_wire::webhooks::{self, RoomOptions};

use crate::services::Services;

/// What a rule is handed; cheap to clone, because rules run on the store's thread.
#[derive(Clone)]
pub(crate) struct OwnedDesk {
    app: Arc<App>,
    words: Arc<Words>,
    depth_before: u32,
}

impl OwnedDesk {
    /// For a request that so many webhooks led to.
    pub(crate) fn new(services: &Services, app: &Arc<App>, depth_before: u32) -> Self {
        let words = Words {
            complete: complete_payload,
            body: webhooks::body,
            options,
            widget_source: services.widget_source(),
        };
        Self { app: app.clone(), words: Arc::new(words), depth_before }
    }

    /// Whose it is.
    pub(crate) fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// As the rules know it.
    pub(crate) fn desk(&self) -> Desk<'_> {
        Desk { app: &self.app, words: &self.words, depth_before: self.depth_before }
    }

    /// Tells outsiders what was decided, and has somebody assigned if somebody waits.
    pub(crate) fn announce<Outcome>(
        &self,
        services: &Services,
        served: Served<Outcome>,
    ) -> Outcome {
        services.announce(&self.app, &served.told);
        if served.is_allocating {
            services.wake_allocation(self.app.id);
        }
        served.outcome
    }
}

fn options(channel: &Channel, is_resolved: bool, is_waiting: bool) -> JsonText {
    RoomOptions { channel, phone: "", is_resolved, is_waiting }.to_json()
}
