//! Infos about a customer in one room, and properties of a customer in all rooms.

use crate::agents::agent::Agent;
use crate::app::App;
use crate::decision::change::SupportChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{PropertyId, RoomId, UserKey};
use crate::limits;
use crate::refusal::Refusal;
use crate::support::assignment::allocating;
use crate::support::conversations::support_room::SupportRoom;
use crate::webhooks::event::{CustomerProperty, Info};

/// A change of the infos about a customer in one room, and of the notes of the session.
#[derive(Debug, Clone, Default)]
pub struct CustomerInfoUpdate {
    /// New infos of the room, which replace all others; `None` keeps them.
    pub infos: Option<Vec<Info>>,
    /// New notes of the open session; empty to remove them, `None` to keep them.
    pub notes: Option<String>,
}

/// Replaces the infos of a room or the notes of its session. `by` is `None` for the app.
pub struct SetCustomerInfo {
    pub room: RoomId,
    pub told: CustomerInfoUpdate,
    pub by: Option<Agent>,
}

impl Rule for SetCustomerInfo {
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
        let Self { room, ref told, ref by } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        serving.must_be_open_to_role(by.as_ref())?;
        if let Some(notes) = &told.notes {
            let session = serving.now.session.as_mut().filter(|it| it.resolved_at.is_none());
            let session = session.ok_or_else(|| Refusal::SessionResolved(room.to_string()))?;
            session.notes = Some(notes.clone()).filter(|notes| !notes.is_empty());
        }
        if let Some(infos) = &told.infos {
            serving.replace_infos(infos)?;
        }
        serving.end(())
    }
}

/// Sets or removes one info about the customer in a room. The outcome is all infos.
pub struct SetOneInfo {
    pub room: RoomId,
    pub key: String,
    /// New value; `None` to remove the info.
    pub value: Option<String>,
    pub by: Option<Agent>,
}

impl Rule for SetOneInfo {
    type Outcome = Vec<Info>;

    fn question(&self, app: &App) -> Question {
        allocating::question_of(app, self.room, self.by.as_ref())
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Vec<Info>>, Refusal> {
        let Self { room, ref key, ref value, ref by } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        serving.must_be_open_to_role(by.as_ref())?;
        let mut infos = serving.before.infos.clone();
        let known = infos.iter().any(|it| it.key == *key);
        infos.retain(|it| it.key != *key);
        match value {
            Some(value) => infos.push(Info { key: key.clone(), value: value.clone() }),
            None if !known => return Err(Refusal::InfoNotFound(key.clone())),
            None => {}
        }
        infos.sort_by(|one, other| one.key.cmp(&other.key));
        serving.replace_infos(&infos)?;
        serving.end(infos)
    }
}

fn properties_question(customer: UserKey) -> Question {
    let omni =
        OmnichannelQuestion { properties_of: Some(customer), ..OmnichannelQuestion::default() };
    Question { omni: Some(omni), ..Question::default() }
}

/// Deletes a property of a customer. The outcome is the deleted property.
pub struct RemoveCustomerProperty {
    pub customer: UserKey,
    pub property: PropertyId,
}

impl Rule for RemoveCustomerProperty {
    type Outcome = CustomerProperty;

    fn question(&self, _: &App) -> Question {
        properties_question(self.customer)
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        _: &Stamp<'_>,
    ) -> Result<Decision<CustomerProperty>, Refusal> {
        let Self { customer, property } = *self;
        let known = facts.omni.properties.as_ref().ok_or(Refusal::ContactNotFound(customer.0))?;
        let gone = known.iter().find(|it| it.id == property);
        let gone = gone.ok_or(Refusal::PropertyNotFound(property.0))?.clone();
        let change = SupportChange::RemoveProperty { customer, property };
        Ok(Decision::new(vec![change.into()], gone))
    }
}

/// Sets a property of a customer. If the label exists already, the property keeps its id.
pub struct SetCustomerProperty {
    pub customer: UserKey,
    pub label: String,
    pub value: String,
}

impl Rule for SetCustomerProperty {
    type Outcome = CustomerProperty;

    fn question(&self, _: &App) -> Question {
        properties_question(self.customer)
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<CustomerProperty>, Refusal> {
        let Self { customer, ref label, ref value } = *self;
        let known = facts.omni.properties.as_ref().ok_or(Refusal::ContactNotFound(customer.0))?;
        let before = known.iter().find(|it| it.label == *label);
        if before.is_none() && known.len() >= limits::INFOS_MAX {
            let max = limits::INFOS_MAX;
            return Err(Refusal::TooMany { what: "properties of a customer", max });
        }
        let id = before.map_or_else(|| PropertyId(stamp.next_id()), |it| it.id);
        let property = CustomerProperty { id, label: label.clone(), value: value.clone() };
        let change = SupportChange::PutProperty { customer, property: property.clone() };
        Ok(Decision::new(vec![change.into()], property))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::change::Change;

    use crate::example::{customer_facts, decided, stored_customer_room};

    fn info(at: usize) -> Info {
        Info { key: format!("key{at}"), value: "x".to_owned() }
    }

    fn added(facts: &Facts, update: &CustomerInfoUpdate) -> Result<Vec<Change>, Refusal> {
        let rule = SetCustomerInfo { room: RoomId(10), told: update.clone(), by: None };
        decided(facts, &rule).map(|decision| decision.changes)
    }

    #[test]
    fn new_customer_infos_replace_all_others_up_to_a_maximum() {
        let mut facts = customer_facts();
        facts.omni.services[0].infos = (0..3).map(info).collect();
        let update = |infos| CustomerInfoUpdate { infos, notes: None };
        let changed = |infos| added(&facts, &update(infos)).map(|changes| changes.len()).ok();
        assert_eq!(changed(None), Some(0), "infos are kept");
        assert_eq!(changed(Some(vec![])), Some(3), "all are removed");
        let other = Info { value: "y".to_owned(), ..info(1) };
        let given = vec![info(0), info(1), other, info(9)];
        assert_eq!(changed(Some(given)), Some(3), "one changed, one added, one removed");
        let many = (0..=limits::INFOS_MAX).map(info).collect();
        assert!(matches!(added(&facts, &update(Some(many))).err(), Some(Refusal::TooMany { .. })));
    }

    #[test]
    fn notes_need_an_open_session_and_are_stored_with_it() {
        let mut facts = customer_facts();
        let update =
            |notes: &str| CustomerInfoUpdate { infos: None, notes: Some(notes.to_owned()) };
        let Ok(changes) = added(&facts, &update("call back")) else {
            panic!("the notes are stored")
        };
        let session = stored_customer_room(&changes)
            .and_then(|room| room.session.as_ref())
            .expect("a session");
        assert_eq!(session.notes.as_deref(), Some("call back"));
        let Ok(changes) = added(&facts, &update("")) else { panic!("the notes are stored") };
        assert!(changes.is_empty(), "there were no notes");
        facts.omni.services[0].customer_room.session = None;
        let refused = added(&facts, &update("late")).err();
        assert_eq!(refused, Some(Refusal::SessionResolved("10".to_owned())));
    }

    #[test]
    fn a_changed_customer_property_keeps_its_id() {
        let mut facts = Facts::default();
        let set = |facts: &Facts, label: &str| {
            let (label, value) = (label.to_owned(), "x".to_owned());
            let rule = SetCustomerProperty { customer: UserKey(2), label, value };
            decided(facts, &rule).map(|it| it.outcome.id.0)
        };
        assert_eq!(set(&facts, "tier"), Err(Refusal::ContactNotFound(2)));
        let (label, value) = ("tier".to_owned(), "gold".to_owned());
        let known = CustomerProperty { id: PropertyId(5), label, value };
        facts.omni.properties = Some(vec![known]);
        assert_eq!(set(&facts, "tier"), Ok(5));
        assert_ne!(set(&facts, "city"), Ok(5));
    }
}
