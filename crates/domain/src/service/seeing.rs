//! Seeing: who may look into a customer's room, and act in it.
//!
//! Admins, supervisors and the app itself may everywhere. An agent may in the rooms that they
//! serve, and in those of their channels that nobody serves, if the app lets agents take them.
//! Rules and reads ask the same function.

use crate::agents::agent::Agent;
use crate::agents::role::Role;
use crate::service::customer_room::CustomerRoom;
use crate::service::settings::Settings;

/// The agent whose sight is limited; nobody if the one who looks sees every room.
pub fn limited(by: Option<&Agent>) -> Option<&Agent> {
    by.filter(|by| by.role == Role::Agent)
}

/// What an agent is to a customer's room.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    pub is_serving: bool,
    pub serves_channel: bool,
}

/// Whether an agent may see a customer's room, and act in it.
pub fn may_see(agent: Standing, room: &CustomerRoom, settings: &Settings) -> bool {
    let takes_over = || room.is_unserved() && settings.is_on(Settings::TAKEOVER);
    agent.is_serving || agent.serves_channel && takes_over()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::customer_facts;

    #[test]
    fn agents_see_what_they_serve_and_what_waits_in_their_channels_if_they_may_take_it() {
        let mut room = customer_facts().omni.services[0].customer_room.clone();
        let takeover = Settings::default().with(Settings::TAKEOVER, "true");
        let check = |room: &CustomerRoom, is_serving, serves_channel, settings: &Settings| {
            may_see(Standing { is_serving, serves_channel }, room, settings)
        };
        assert!(check(&room, true, false, &Settings::default()), "they serve it");
        assert!(check(&room, false, true, &takeover), "it waits in their channel");
        assert!(!check(&room, false, true, &Settings::default()), "agents may not take rooms");
        assert!(!check(&room, false, false, &takeover), "of another channel");
        room.waits_since = None;
        assert!(!check(&room, false, true, &takeover), "somebody serves it, or it is resolved");
    }
}
