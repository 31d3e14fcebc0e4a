//! Who and what is meant here by the names of the other server (D-0174).

use std::collections::HashMap;

use crate::app::{App, AppCode};
use crate::ids::{AgentId, ChannelId};
use crate::moving::moved::{MovedName, MovedUser};
use crate::people::user::{Realm, UserId, UserRef};

/// What names of the other server stand for in this app.
#[derive(Debug, Clone, Default)]
pub struct MovedNames {
    /// The channels, by what they were there.
    channels: HashMap<ChannelId, ChannelId>,
    /// Users of the app who have another name here: the System user, and who works in it.
    others: HashMap<UserId, UserId>,
    /// Who works in this app, by the address they sign in with, and who speaks for them.
    agents: HashMap<String, (AgentId, UserId)>,
}

impl MovedNames {
    /// For an app in which these work.
    pub fn new(agents: impl IntoIterator<Item = (String, AgentId, UserId)>) -> Self {
        let agents = agents.into_iter().map(|(email, agent, user)| (email, (agent, user)));
        Self { agents: agents.collect(), ..Self::default() }
    }

    /// A channel of the other server is this one here.
    pub fn add_channel(&mut self, there: ChannelId, here: ChannelId) {
        self.channels.insert(there, here);
    }

    /// Learns who is meant by a user of the other server. Whoever worked there and does not here is
    /// an ordinary user of this app, whose name is not that of somebody who works in it.
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

    /// The channel here, if a line before this one named it.
    pub fn channel(&self, there: ChannelId) -> Option<ChannelId> {
        self.channels.get(&there).copied()
    }

    /// The user here; `None` if no line before this one named the customer's channel, or the user
    /// whose name is that of an agent: only a line of a user says who that is.
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

    /// Who works here and signs in with this address.
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
    fn who_works_here_is_known_by_the_address_and_who_does_not_is_nobodys_colleague() {
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
            names.user(&it.name).expect("known").as_str().to_owned()
        });
        assert_eq!(here, ["cafe_5@dashboard", "shop_18.dashboard", "system@cafe", "ana"]);
        assert_eq!(names.agent(Some(&"bo@x.example".to_owned())), Some(AgentId(5)));
        assert_eq!(names.agent(Some(&"cy@x.example".to_owned())), None);
    }

    #[test]
    fn a_customer_is_one_of_the_channel_that_theirs_is_here() {
        let mut names = MovedNames::default();
        let (there, here) = (ChannelId(7), ChannelId(70));
        let ana = MovedName { user: UserId::from_stored("ana".to_owned()), channel: Some(there) };
        assert_eq!(names.user(&ana), None, "nobody named the channel yet");
        names.add_channel(there, here);
        let of_channel = UserRef::Of(Realm::Channel(here), ana.user.clone());
        assert_eq!(names.user(&ana), Some(of_channel));
    }
}
