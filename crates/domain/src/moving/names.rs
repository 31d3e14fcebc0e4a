//! Mapping of users, agents and channels of the exporting server to those of the importing app
//! (design/moving).

use std::collections::HashMap;

use crate::app::{App, AppCode};
use crate::ids::{AgentId, ChannelId};
use crate::moving::moved::{MovedName, MovedUser};
use crate::people::user::{Realm, UserId, UserRef};

/// Mapping of users, agents and channels of the exporting server to those of this app.
#[derive(Debug, Clone, Default)]
pub struct MovedNames {
    /// This app's channels, by their ids on the exporting server.
    channels: HashMap<ChannelId, ChannelId>,
    /// User ids that differ in this app, by their ids on the exporting server: those of the System
    /// user and of users that post for agents.
    others: HashMap<UserId, UserId>,
    /// This app's agents with the ids of the users that post for them, by e-mail address.
    agents: HashMap<String, (AgentId, UserId)>,
}

impl MovedNames {
    /// Creates the mapping for an app with these agents.
    pub fn new(agents: impl IntoIterator<Item = (String, AgentId, UserId)>) -> Self {
        let agents = agents.into_iter().map(|(email, agent, user)| (email, (agent, user)));
        Self { agents: agents.collect(), ..Self::default() }
    }

    /// Maps a channel of the exporting server to one of this app.
    pub fn add_channel(&mut self, there: ChannelId, here: ChannelId) {
        self.channels.insert(there, here);
    }

    /// Maps a user of the exporting server, if their id differs in this app. A user that posted for
    /// an agent who does not exist in this app becomes an ordinary user, with an id that is not
    /// reserved for such users.
    pub fn add_user(&mut self, code: &AppCode, user: &MovedUser) {
        let there = &user.name.user;
        let known = user.agent.as_ref().and_then(|email| self.agents.get(email));
        let here = match known {
            _ if user.name.channel.is_some() => return,
            _ if user.is_system => App::system_user_id(code),
            Some((_, speaker)) => speaker.clone(),
            None if there.is_reserved() => {
                UserId::from_stored(there.as_str().replace("@dashboard", ".dashboard"))
            }
            None => return,
        };
        self.others.insert(there.clone(), here);
    }

    /// Returns this app's channel, if it was mapped before.
    pub fn channel(&self, there: ChannelId) -> Option<ChannelId> {
        self.channels.get(&there).copied()
    }

    /// Returns this app's user. `None` if the customer's channel was not mapped before, or if the
    /// user id is reserved for users that post for agents and was not mapped before.
    pub fn user(&self, name: &MovedName) -> Option<UserRef> {
        match name.channel {
            Some(channel) => {
                let realm = Realm::Channel(self.channel(channel)?);
                Some(UserRef::Of(realm, name.user.clone()))
            }
            None => {
                let here = self.others.get(&name.user);
                let here = here.or_else(|| Some(&name.user).filter(|it| !it.is_reserved()));
                here.cloned().map(UserRef::own)
            }
        }
    }

    /// Returns the agent of this app with this e-mail address.
    pub fn agent(&self, email: Option<&String>) -> Option<AgentId> {
        email.and_then(|email| self.agents.get(email)).map(|(agent, _)| *agent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    fn user(name: &str, agent: Option<&str>, is_system: bool) -> MovedUser {
        MovedUser {
            name: MovedName { user: UserId::from_stored(name.to_owned()), channel: None },
            username: String::new(),
            avatar_url: String::new(),
            extras: None,
            is_active: true,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
            agent: agent.map(str::to_owned),
            is_system,
        }
    }

    #[test]
    fn agents_are_matched_by_email_and_other_speakers_become_ordinary_users() {
        let code = AppCode::parse("cafe").expect("valid");
        let speaker = App::speaker_id(&code, AgentId(5));
        let mut names = MovedNames::new([("bo@x.example".to_owned(), AgentId(5), speaker)]);
        let people = [
            user("shop_17@dashboard", Some("bo@x.example"), false),
            user("shop_18@dashboard", Some("cy@x.example"), false),
            user("system@shop", None, true),
            user("ana", None, false),
        ];
        let here = people.map(|it| {
            names.add_user(&code, &it);
            names.user(&it.name).expect("resolved").as_str().to_owned()
        });
        assert_eq!(here, ["cafe_5@dashboard", "shop_18.dashboard", "system@cafe", "ana"]);
        assert_eq!(names.agent(Some(&"bo@x.example".to_owned())), Some(AgentId(5)));
        assert_eq!(names.agent(Some(&"cy@x.example".to_owned())), None);
    }

    #[test]
    fn customers_are_resolved_within_the_channel_that_replaces_their_old_one() {
        let mut names = MovedNames::default();
        let (there, here) = (ChannelId(7), ChannelId(70));
        let ana = MovedName { user: UserId::from_stored("ana".to_owned()), channel: Some(there) };
        assert_eq!(names.user(&ana), None, "no line named the channel yet");
        names.add_channel(there, here);
        let of_channel = UserRef::Of(Realm::Channel(here), ana.user.clone());
        assert_eq!(names.user(&ana), Some(of_channel));
    }
}
