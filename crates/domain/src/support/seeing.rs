//! Seeing: who may look into a customer's room, and who may act in it (D-0090).
//!
//! Admins, supervisors and the app itself may everywhere. An agent acts in the rooms that they
//! serve, and in those of their channels that wait, if the app lets agents take them; and sees
//! these, and all that they once served. Rules and reads ask the same functions, through every
//! door.

use crate::agents::agent::Agent;
use crate::agents::role::Role;
use crate::support::customer_room::CustomerRoom;
use crate::support::settings::Settings;

/// The agent whose sight is limited; nobody if the one who looks sees every room.
pub fn limited(by: Option<&Agent>) -> Option<&Agent> {
    by.filter(|by| by.role == Role::Agent)
}

/// What an agent is to a customer's room.
#[derive(Debug, Clone, Copy)]
pub struct AgentAccess {
    pub is_serving: bool,
    pub serves_channel: bool,
}

/// Whether an agent may act in a customer's room: assign, resolve, note.
pub fn may_act(agent: AgentAccess, room: &CustomerRoom, settings: &Settings) -> bool {
    let takes_over = || room.is_unserved() && settings.is_on(Settings::TAKEOVER);
    agent.is_serving || agent.serves_channel && takes_over()
}

/// Whether an agent may see a customer's room: who served it reads on, also after its end; so do
/// all who serve its channel, where the app says so (D-0133).
pub fn may_see(
    agent: AgentAccess,
    has_served: bool,
    room: &CustomerRoom,
    settings: &Settings,
) -> bool {
    has_served || may_act(agent, room, settings) || shows_end(agent, room, settings)
}

/// Whether an agent is shown the end of a conversation that others served.
fn shows_end(agent: AgentAccess, room: &CustomerRoom, settings: &Settings) -> bool {
    agent.serves_channel && room.is_resolved() && settings.shows_all_resolved()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::customer_facts;
    use crate::time::Timestamp;

    #[test]
    fn agents_act_where_they_serve_and_where_somebody_waits_whom_they_may_take() {
        let mut room = customer_facts().omni.services[0].customer_room.clone();
        let (takeover, off) =
            (Settings::default(), Settings::default().with(Settings::TAKEOVER, "false"));
        let check = |room: &CustomerRoom, is_serving, serves_channel, settings: &Settings| {
            let standing = AgentAccess { is_serving, serves_channel };
            let acts = may_act(standing, room, settings);
            assert_eq!(may_see(standing, false, room, settings), acts);
            acts
        };
        assert!(check(&room, true, false, &off), "they serve it");
        assert!(check(&room, false, true, &takeover), "it waits in their channel");
        assert!(!check(&room, false, true, &off), "agents may not take rooms");
        assert!(!check(&room, false, false, &takeover), "of another channel");
        room.waits_since = None;
        assert!(!check(&room, false, true, &takeover), "somebody serves it, or it is resolved");
    }

    #[test]
    fn what_is_resolved_is_for_those_who_served_it_or_for_all_of_the_channel() {
        let mut room = customer_facts().omni.services[0].customer_room.clone();
        room.waits_since = None;
        let all = Settings::default().with(Settings::WHO_SEES_RESOLVED, "all");
        let colleague = AgentAccess { is_serving: false, serves_channel: true };
        assert!(!may_see(colleague, false, &room, &all), "it is not resolved");
        room.session.as_mut().expect("one").resolved_at = Some(Timestamp(1));
        assert!(may_see(colleague, false, &room, &all));
        assert!(!may_see(colleague, false, &room, &Settings::default()));
        let elsewhere = AgentAccess { is_serving: false, serves_channel: false };
        assert!(!may_see(elsewhere, false, &room, &all), "of another channel");
        assert!(!may_act(colleague, &room, &all));
    }

    #[test]
    fn who_served_a_room_sees_it_and_does_nothing_there() {
        let mut room = customer_facts().omni.services[0].customer_room.clone();
        room.waits_since = None;
        let (left, settings) =
            (AgentAccess { is_serving: false, serves_channel: true }, Settings::default());
        assert!(may_see(left, true, &room, &settings));
        assert!(!may_act(left, &room, &settings));
    }
}
