//! Tags on customers' rooms.

use crate::agents::agent::Agent;
use crate::app::App;
use crate::decision::change::SupportChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{RoomId, TagId};
use crate::limits;
use crate::refusal::Refusal;
use crate::support::assignment::allocating;
use crate::support::conversations::support_room::SupportRoom;
use crate::webhooks::event::Tag;

/// Adds a tag to a room, unless the room has it. `by` is `None` for the app.
pub struct AddTag {
    pub room: RoomId,
    pub name: String,
    pub by: Option<Agent>,
}

impl Rule for AddTag {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        allocating::question_of(app, self.room, self.by.as_ref())
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let Self { room, ref name, ref by } = *self;
        let serving = SupportRoom::of(context, facts, room, stamp)?;
        serving.must_be_open_to_role(by.as_ref())?;
        let tags = &serving.before.tags;
        if tags.iter().any(|tag| tag.name == *name) {
            return Ok(Decision::nothing(()));
        }
        if tags.len() >= limits::ROOM_TAGS_MAX {
            return Err(Refusal::TooMany { what: "tags on a room", max: limits::ROOM_TAGS_MAX });
        }
        // The store uses this id only if the app does not have the tag yet.
        let tag = Tag { id: TagId(stamp.next_id()), name: name.clone() };
        Ok(Decision::new(vec![SupportChange::AddTag { room, tag }.into()], ()))
    }
}

/// Removes a tag from a room. `by` is `None` for the app.
pub struct RemoveTag {
    pub room: RoomId,
    pub tag: TagId,
    pub by: Option<Agent>,
}

impl Rule for RemoveTag {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        allocating::question_of(app, self.room, self.by.as_ref())
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let Self { room, tag, ref by } = *self;
        let serving = SupportRoom::of(context, facts, room, stamp)?;
        serving.must_be_open_to_role(by.as_ref())?;
        if !serving.before.tags.iter().any(|it| it.id == tag) {
            return Err(Refusal::TagNotFound { tag: tag.0, room: room.to_string() });
        }
        Ok(Decision::new(vec![SupportChange::RemoveTag { room, tag }.into()], ()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;

    use crate::example::{candidate, customer_facts, decided};

    fn added(facts: &Facts, name: &str) -> Result<usize, Refusal> {
        let rule = AddTag { room: RoomId(10), name: name.to_owned(), by: None };
        decided(facts, &rule).map(|decision| decision.changes.len())
    }

    fn tag(id: i64) -> Tag {
        Tag { id: TagId(id), name: format!("tag{id}") }
    }

    #[test]
    fn a_tag_is_added_to_a_room_once() {
        let mut facts = customer_facts();
        facts.omni.services[0].tags.push(tag(1));
        assert_eq!(added(&facts, "tag2"), Ok(1));
        assert_eq!(added(&facts, "tag1"), Ok(0), "the room has it");
        facts.omni.services[0].tags = (0..100).map(tag).collect();
        assert_eq!(added(&facts, "tag1"), Ok(0));
        let (what, max) = ("tags on a room", limits::ROOM_TAGS_MAX);
        assert_eq!(added(&facts, "tag100"), Err(Refusal::TooMany { what, max }));
    }

    #[test]
    fn removing_a_tag_needs_the_tag_and_access_to_the_room() {
        let mut facts = customer_facts();
        let agent = candidate(Role::Agent).profile;
        let removed = |facts: &Facts, by: Option<&Agent>| {
            let by = by.cloned();
            decided(facts, &RemoveTag { room: RoomId(10), tag: TagId(1), by })
        };
        let missing = Refusal::TagNotFound { tag: 1, room: "10".to_owned() };
        assert_eq!(removed(&facts, None).err(), Some(missing));
        facts.omni.services[0].tags.push(tag(1));
        assert!(removed(&facts, None).is_ok());
        let refused = removed(&facts, Some(&agent.user)).err();
        assert_eq!(refused, Some(Refusal::NotYourRoom("10".to_owned())));
    }
}
