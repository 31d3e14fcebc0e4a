//! Who is connected, for as long as they are.

use std::sync::Arc;

use confab_domain::people::user::User;

use crate::clock;
use crate::connections::Ticket;
use crate::services::Services;

/// A user is there while it exists.
pub(super) struct ConnectedUser {
    services: Services,
    user: Arc<User>,
    _ticket: Ticket,
}

impl ConnectedUser {
    /// In a box: every place in the task of a connection is kept while it is idle.
    pub(super) fn begin(services: &Services, user: &Arc<User>, ticket: Ticket) -> Box<Self> {
        services.presences().come(user, clock::now());
        Box::new(Self { services: services.clone(), user: user.clone(), _ticket: ticket })
    }
}

impl Drop for ConnectedUser {
    fn drop(&mut self) {
        self.services.presences().go(&self.user, clock::now());
    }
}
