//! Informing: what is known about a customer, in one room or in all. What is said is put beside
//! what is known; nothing else is lost.

use std::collections::BTreeSet;

use crate::agents::agent::Agent;
use crate::app::App;
use crate::decision::change::ServiceChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmniQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{PropertyId, RoomId, UserKey};
use crate::limits;
use crate::refusal::Refusal;
use crate::service::allocating;
use crate::service::serving::Serving;
use crate::webhooks::notice::{CustomerProperty, Info};

/// What is said about a customer.
#[derive(Debug, Clone, Default)]
pub struct CustomerInfoUpdate {
    /// Put beside what is known in the room.
    pub infos: Vec<Info>,
    /// The notes of the open session from now on; an empty text removes them (D-0039).
    pub notes: Option<String>,
}

/// Adds to what is known about the customer in a room. `by` is nobody if the app asks.
pub struct AddCustomerInfo {
    pub room: RoomId,
    pub told: CustomerInfoUpdate,
    pub by: Option<Agent>,
}

impl Rule for AddCustomerInfo {
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
        let mut serving = Serving::of(context, facts, room, stamp)?;
        serving.must_be_open_to_role(by.as_ref())?;
        let keys = serving.before.infos.iter().chain(&told.infos).map(|info| info.key.as_str());
        if keys.collect::<BTreeSet<_>>().len() > limits::INFOS_MAX {
            let max = limits::INFOS_MAX;
            return Err(Refusal::TooMany { what: "things known about a customer", max });
        }
        if let Some(notes) = &told.notes {
            let session = serving.now.session.as_mut().filter(|it| it.resolved_at.is_none());
            let session = session.ok_or_else(|| Refusal::SessionResolved(room.to_string()))?;
            session.notes = Some(notes.clone()).filter(|notes| !notes.is_empty());
        }
        serving.learn(&told.infos);
        serving.end(())
    }
}

/// Sets what is known about a customer in every room. The label keeps its integer.
pub struct SetCustomerProperty {
    pub customer: UserKey,
    pub label: String,
    pub value: String,
}

impl Rule for SetCustomerProperty {
    type Outcome = CustomerProperty;

    fn question(&self, _: &App) -> Question {
        let omni = OmniQuestion { properties_of: Some(self.customer), ..OmniQuestion::default() };
        Question { omni: Some(omni), ..Question::default() }
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
        let change = ServiceChange::PutProperty { customer, property: property.clone() };
        Ok(Decision::new(vec![change.into()], property))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::change::Change;

    use crate::example::{customer_facts, decided, written};

    fn info(at: usize) -> Info {
        Info { key: format!("key{at}"), value: "x".to_owned() }
    }

    fn added(facts: &Facts, told: &CustomerInfoUpdate) -> Result<Vec<Change>, Refusal> {
        let rule = AddCustomerInfo { room: RoomId(10), told: told.clone(), by: None };
        decided(facts, &rule).map(|decision| decision.changes)
    }

    #[test]
    fn what_is_said_is_put_beside_what_is_known_within_bounds() {
        let mut facts = customer_facts();
        facts.omni.services[0].infos = (0..limits::INFOS_MAX).map(info).collect();
        let known = Info { value: "y".to_owned(), ..info(1) };
        let changed = added(&facts, &CustomerInfoUpdate { infos: vec![known], notes: None });
        assert_eq!(changed.map(|changes| changes.len()).ok(), Some(1));
        let new = CustomerInfoUpdate { infos: vec![info(limits::INFOS_MAX)], notes: None };
        assert!(matches!(added(&facts, &new).err(), Some(Refusal::TooMany { .. })));
    }

    #[test]
    fn notes_are_those_of_the_open_session() {
        let mut facts = customer_facts();
        let told =
            |notes: &str| CustomerInfoUpdate { infos: vec![], notes: Some(notes.to_owned()) };
        let Ok(changes) = added(&facts, &told("call back")) else { panic!("noted") };
        let session = written(&changes).and_then(|room| room.session.as_ref()).expect("one");
        assert_eq!(session.notes.as_deref(), Some("call back"));
        let Ok(changes) = added(&facts, &told("")) else { panic!("noted") };
        assert!(changes.is_empty(), "there were none");
        facts.omni.services[0].customer_room.session = None;
        let refused = added(&facts, &told("late")).err();
        assert_eq!(refused, Some(Refusal::SessionResolved("10".to_owned())));
    }

    #[test]
    fn a_property_keeps_its_integer() {
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
