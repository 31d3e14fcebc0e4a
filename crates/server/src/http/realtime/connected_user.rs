//! Presence of a connected user.

use std::sync::Arc;

use confab_domain::people::user::User;

use crate::clock;
use crate::connections::Ticket;
use crate::services::Services;

/// Keeps a user online until it is dropped.
pub(super) struct ConnectedUser {
    services: Services,
    user: Arc<User>,
    _ticket: Ticket,
}

impl ConnectedUser {
    /// Sets the user online. Boxed, because a connection's task holds its fields while idle.
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
