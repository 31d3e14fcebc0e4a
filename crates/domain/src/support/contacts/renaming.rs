//! Renaming of customers by agents (design/support).

use std::sync::Arc;

use crate::agents::agent::Agent;
use crate::app::App;
use crate::decision::change::{Change, RoomChange, UserChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::RoomId;
use crate::people::user::User;
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomRef};
use crate::support::assignment::allocating;
use crate::support::conversations::seeing;
use crate::support::conversations::support_room::SupportRoom;

/// Changes the display name of a room's customer. An agent must be assigned to the room. A room
/// named after the customer is renamed too.
pub struct RenameCustomer {
    pub room: RoomId,
    pub name: String,
    /// Agent who requests it; `None` for the app.
    pub by: Option<Agent>,
}

impl Rule for RenameCustomer {
    type Outcome = Arc<User>;

    fn question(&self, app: &App) -> Question {
        allocating::question_of(app, self.room, self.by.as_ref())
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Arc<User>>, Refusal> {
        let serving = SupportRoom::of(context, facts, self.room, stamp)?;
        let limited = seeing::limited(self.by.as_ref());
        let is_serving = |by: &Agent| serving.agents.iter().any(|it| it.user.id == by.id);
        if limited.is_some_and(|by| !is_serving(by)) {
            return Err(Refusal::NotServing(self.room.to_string()));
        }
        let before = &serving.before.customer;
        if before.username == self.name {
            return Ok(Decision::nothing(before.clone()));
        }
        let (username, updated_at) = (self.name.clone(), stamp.now);
        let user = User { username, updated_at, ..(**before).clone() };
        let mut changes: Vec<Change> =
            vec![UserChange::Update { user: user.clone(), password_hash: None }.into()];
        let room = &facts.room(&RoomRef::Id(self.room))?.room;
        if room.name == before.username {
            let room = Room { name: self.name.clone(), updated_at, ..(**room).clone() };
            changes.push(RoomChange::Update(room).into());
        }
        Ok(Decision::new(changes, Arc::new(user)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::example::{candidate, customer_facts, decided};

    #[test]
    fn assigned_agents_and_supervisors_rename_a_customer() {
        let mut facts = customer_facts();
        let rename = |facts: &Facts, role| {
            let by = Some(candidate(role).profile.user);
            let rule = RenameCustomer { room: RoomId(10), name: "Ana B".to_owned(), by };
            decided(facts, &rule).map(|it| it.outcome.username.clone())
        };
        let refused = rename(&facts, Role::Agent).err();
        assert_eq!(
            refused,
            Some(Refusal::NotServing("10".to_owned())),
            "the agent is not assigned"
        );
        assert_eq!(rename(&facts, Role::Supervisor), Ok("Ana B".to_owned()));
        facts.omni.services[0].agents.push(candidate(Role::Agent).profile);
        assert_eq!(rename(&facts, Role::Agent), Ok("Ana B".to_owned()));
    }
}
