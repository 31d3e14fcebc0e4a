//! The live stream of a user's rooms.

use std::sync::Arc;

use confab_app::services::Services;
use confab_domain::people::user::User;
use confab_realtime::watching::{NextSignals, UserStream};
use confab_store::StoreError;
use confab_wire::realtime::frames;

use super::client_frames;
use super::connected_user::ConnectedUser;
use crate::live::{LiveFrame, LiveSource, NextFrames};

/// The live stream of a user, who is online while it exists.
pub(super) struct UserSource {
    services: Services,
    user: Arc<User>,
    watching: UserStream,
    _staying: Box<ConnectedUser>,
}

impl UserSource {
    pub(super) fn new(
        services: Services,
        user: Arc<User>,
        watching: UserStream,
        staying: Box<ConnectedUser>,
    ) -> Self {
        Self { services, user, watching, _staying: staying }
    }
}

impl LiveSource for UserSource {
    fn hello(&self) -> (String, Option<String>) {
        let id = self.watching.seen().to_string();
        (frames::hello(&id, &self.user.user_id), Some(id))
    }

    async fn next(&mut self) -> Result<NextFrames, StoreError> {
        Ok(match self.watching.next().await? {
            NextSignals::Signals(signals) => {
                NextFrames::Frames(signals.into_iter().map(LiveFrame::Shared).collect())
            }
            NextSignals::TooMuchMissed => NextFrames::TooMuchMissed,
            NextSignals::Ended(ending) => NextFrames::Ended(ending),
        })
    }

    async fn take(&mut self, text: &str) -> Option<String> {
        client_frames::take(&self.services, &self.user, &self.watching.listener, text).await
    }
}
