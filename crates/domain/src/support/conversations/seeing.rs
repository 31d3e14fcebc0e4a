//! Visibility of customers' rooms, and the right to act in them (D-0090).
//!
//! Admins, supervisors and the app itself may see and act in all rooms. An agent may act in
//! assigned rooms and, if the app allows takeovers, in unserved rooms of the agent's channels. An
//! agent may also see rooms that they served before and, if the app allows it, resolved rooms of
//! their channels (D-0090). Rules and queries share these functions.

use crate::agents::agent::Agent;
use crate::agents::role::Role;
use crate::support::conversations::customer_room::CustomerRoom;
use crate::support::settings::Settings;

/// Returns the agent if their access is limited; `None` for admins, supervisors and the app, who
/// have access to all rooms.
pub fn limited(by: Option<&Agent>) -> Option<&Agent> {
    by.filter(|by| by.role == Role::Agent)
}

/// The relation of an agent to a customer's room.
#[derive(Debug, Clone, Copy)]
pub struct AgentAccess {
    pub is_serving: bool,
    pub serves_channel: bool,
}

/// Whether an agent may act in a customer's room, such as assign, resolve or write notes.
pub fn may_act(agent: AgentAccess, room: &CustomerRoom, settings: &Settings) -> bool {
    let takes_over = || room.is_unserved() && settings.is_on(Settings::TAKEOVER);
    agent.is_serving || agent.serves_channel && takes_over()
}

/// Whether an agent may see a customer's room. Former agents of the room still see it, and so do
/// all agents of its channel after the resolution, if the app allows it (D-0090).
pub fn may_see(
    agent: AgentAccess,
    has_served: bool,
    room: &CustomerRoom,
    settings: &Settings,
) -> bool {
    has_served || may_act(agent, room, settings) || shows_end(agent, room, settings)
}

/// Whether the agent sees a resolved room because the app shows resolved rooms to all agents of
/// their channel.
fn shows_end(agent: AgentAccess, room: &CustomerRoom, settings: &Settings) -> bool {
    agent.serves_channel && room.is_resolved() && settings.shows_all_resolved()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::customer_facts;
    use crate::time::Timestamp;

    #[test]
    fn agents_act_in_assigned_rooms_and_in_rooms_they_may_take_over() {
        let mut room = customer_facts().omni.services[0].customer_room.clone();
        let (takeover, off) =
            (Settings::default(), Settings::default().with(Settings::TAKEOVER, "false"));
        let check = |room: &CustomerRoom, is_serving, serves_channel, settings: &Settings| {
            let standing = AgentAccess { is_serving, serves_channel };
            let acts = may_act(standing, room, settings);
            assert_eq!(may_see(standing, false, room, settings), acts);
            acts
        };
        assert!(check(&room, true, false, &off), "assigned");
        assert!(check(&room, false, true, &takeover), "unserved in the agent's channel");
        assert!(!check(&room, false, true, &off), "takeovers are off");
        assert!(!check(&room, false, false, &takeover), "another channel");
        room.waits_since = None;
        assert!(!check(&room, false, true, &takeover), "served or resolved");
    }

    #[test]
    fn resolved_rooms_are_visible_to_former_agents_or_to_the_whole_channel() {
        let mut room = customer_facts().omni.services[0].customer_room.clone();
        room.waits_since = None;
        let all = Settings::default().with(Settings::WHO_SEES_RESOLVED, "all");
        let colleague = AgentAccess { is_serving: false, serves_channel: true };
        assert!(!may_see(colleague, false, &room, &all), "it is not resolved");
        room.session.as_mut().expect("a session").resolved_at = Some(Timestamp(1));
        assert!(may_see(colleague, false, &room, &all));
        assert!(!may_see(colleague, false, &room, &Settings::default()));
        let elsewhere = AgentAccess { is_serving: false, serves_channel: false };
        assert!(!may_see(elsewhere, false, &room, &all), "of another channel");
        assert!(!may_act(colleague, &room, &all));
    }

    #[test]
    fn former_agents_see_a_room_but_cannot_act_there() {
        let mut room = customer_facts().omni.services[0].customer_room.clone();
        room.waits_since = None;
        let (left, settings) =
            (AgentAccess { is_serving: false, serves_channel: true }, Settings::default());
        assert!(may_see(left, true, &room, &settings));
        assert!(!may_act(left, &room, &settings));
    }
}
