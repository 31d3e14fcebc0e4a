//! The presence of a user during a connection.

use std::sync::Arc;

use confab_app::services::Services;
use confab_domain::people::user::User;
use confab_runtime::admission::connections::Ticket;
use confab_runtime::clock;

/// Guard that keeps a user online until it is dropped.
pub(super) struct ConnectedUser {
    services: Services,
    user: Arc<User>,
    _ticket: Ticket,
}

impl ConnectedUser {
    /// Sets the user online. The guard is boxed to keep the task of an idle connection small.
    pub(super) fn begin(services: &Services, user: &Arc<User>, ticket: Ticket) -> Box<Self> {
        services.realtime().presences.come(user, clock::now());
        Box::new(Self { services: services.clone(), user: user.clone(), _ticket: ticket })
    }
}

impl Drop for ConnectedUser {
    fn drop(&mut self) {
        self.services.realtime().presences.go(&self.user, clock::now());
    }
}
