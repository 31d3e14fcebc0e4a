//! Custom buttons next to a customer's room, each with its own webhook URL (design/support).
//!
//! A button is a label and an endpoint of the kind custom button, whose name is the button's id. A
//! press notifies that endpoint, and endpoints of the kind without a name.

use std::sync::Arc;

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::{Change, SupportChange, WebhookChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{BeforeQuestion, OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{DeliveryId, EndpointId, RoomId};
use crate::limits;
use crate::refusal::Refusal;
use crate::support::assignment::allocating;
use crate::support::conversations::support_room::SupportRoom;
use crate::webhooks::endpoint::{DeliveryPolicy, Endpoint};
use crate::webhooks::event::{AgentProfile, CustomButton, Event};
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::subscribing::{self, EndpointInput};

const KIND: EventKind = EventKind::CustomButton;

/// A custom button.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    /// Id of the button, and of the endpoint that it notifies.
    pub id: EndpointId,
    /// Text on the button.
    pub label: String,
    /// URL that is notified of presses.
    pub url: String,
    /// Whether the button can be pressed.
    pub is_active: bool,
}

/// The values that a custom button is created or changed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ButtonInput {
    /// Text on the button.
    pub label: String,
    /// URL that is notified of presses. The caller has validated it.
    pub url: String,
    /// Whether the button can be pressed.
    pub is_active: bool,
}

/// Creates or changes a custom button.
pub struct PutButton {
    /// Button to change; `None` to create one.
    pub button: Option<EndpointId>,
    pub wanted: ButtonInput,
}

impl Rule for PutButton {
    type Outcome = Button;

    fn question(&self, app: &App) -> Question {
        let before = self.button.map(BeforeQuestion::Button);
        let omni = OmnichannelQuestion { before, ..OmnichannelQuestion::default() };
        Question { omni: Some(omni), ..subscribing::question(app, KIND) }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Button>, Refusal> {
        let before = self.button.map(|button| found(facts, button)).transpose()?;
        let named = facts.endpoints.iter().filter(|(it, _)| !it.name.is_empty()).count();
        if before.is_none() && named >= limits::BUTTONS_OF_APP_MAX {
            let max = limits::BUTTONS_OF_APP_MAX;
            return Err(Refusal::TooMany { what: "custom buttons", max });
        }
        let policy = before.as_ref().map_or_else(DeliveryPolicy::default, |it| it.policy);
        let ButtonInput { label, url, is_active } = self.wanted.clone();
        let wanted = EndpointInput { kind: KIND, url: url.clone(), is_enabled: is_active, policy };
        let endpoint =
            subscribing::wanted_endpoint(before.as_deref(), &context.app, &wanted, stamp);
        let endpoint = Endpoint { name: endpoint.id.to_string(), ..endpoint };
        let button = Button { id: endpoint.id, label: label.clone(), url, is_active };
        let is_new = before.is_none();
        let deed = if is_new { AuditAction::ButtonCreated } else { AuditAction::ButtonChanged };
        let differences = subscribing::differences(before.as_deref(), &endpoint);
        let was = facts.omni.before.button_label.as_deref();
        let differences = differences.text("label", was, Some(&label));
        let target = AuditTarget::new("button", button.id, &label);
        let entry = context.audited_change(stamp, deed, target, differences);
        let label = SupportChange::PutButton { button: button.id, label };
        let changes = vec![Change::Webhook(WebhookChange::PutEndpoint(endpoint)), label.into()];
        Ok(Decision::new(changes, button).also(entry))
    }
}

/// Deletes a custom button. Its endpoint is disabled but not deleted, so that past deliveries
/// remain listed.
pub struct RemoveButton {
    pub button: EndpointId,
}

impl Rule for RemoveButton {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        subscribing::question(app, KIND)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let button = self.button;
        let endpoint = found(facts, button)?;
        let off = Change::Webhook(WebhookChange::PutEndpoint(Endpoint {
            is_enabled: false,
            ..(*endpoint).clone()
        }));
        let changes = vec![off, SupportChange::RemoveButton { button }.into()];
        let was = Differences::default().was("is_active", endpoint.is_enabled);
        let target = AuditTarget::nameless("button", button);
        let entry = context.audited(stamp, AuditAction::ButtonDeleted, target, was);
        Ok(Decision::new(changes, ()).also([entry]))
    }
}

/// Presses a button next to a customer's room on behalf of an agent who may act there. The outcome
/// is the id of the first delivery that the press causes.
pub struct PressButton {
    pub room: RoomId,
    pub button: EndpointId,
    pub by: AgentProfile,
}

impl Rule for PressButton {
    type Outcome = Option<DeliveryId>;

    fn question(&self, app: &App) -> Question {
        let mut question = allocating::question_of(app, self.room, Some(&self.by.user));
        if let Some((_, kinds)) = &mut question.endpoints {
            kinds.push(KIND);
        }
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Option<DeliveryId>>, Refusal> {
        let endpoint = found(facts, self.button)?;
        let mut serving = SupportRoom::of(context, facts, self.room, stamp)?;
        serving.must_be_open_to_role(Some(&self.by.user))?;
        if !endpoint.is_enabled {
            return Err(Refusal::ButtonOff(self.button.0));
        }
        let before = serving.before;
        let notice = Event::CustomButton(CustomButton {
            button: Some(endpoint.name.clone()),
            clicked_by: self.by.user.clone(),
            channel: serving.channel(),
            customer: before.customer.clone(),
            infos: before.infos.clone(),
            properties: before.properties.clone(),
            notes: serving.now.session.as_ref().and_then(|session| session.notes.clone()),
            room: self.room,
            tags: before.tags.clone(),
        });
        serving.notify(notice);
        let decision = serving.end(())?;
        let delivery = decision.for_listeners.first().map(|delivery| delivery.id);
        Ok(decision.map(|()| delivery))
    }
}

fn found(facts: &Facts, button: EndpointId) -> Result<Arc<Endpoint>, Refusal> {
    let is_it = |it: &&(Arc<Endpoint>, u64)| it.0.kind == KIND && it.0.name == button.to_string();
    let found = facts.endpoints.iter().find(is_it).map(|(endpoint, _)| endpoint.clone());
    found.ok_or(Refusal::ButtonNotFound(button.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::example::{add_endpoint, candidate, customer_facts, decided, delivered_kinds};
    use crate::ids::DeliveryId;

    fn pressed(facts: &Facts, role: Role) -> Result<Decision<Option<DeliveryId>>, Refusal> {
        let by = candidate(role).profile;
        decided(facts, &PressButton { room: RoomId(10), button: EndpointId(7), by })
    }

    #[test]
    fn a_press_notifies_the_buttons_endpoint_and_those_without_a_name() {
        let mut facts = customer_facts();
        for name in ["7", "8", ""] {
            add_endpoint(&mut facts, KIND, name);
        }
        let Ok(decision) = pressed(&facts, Role::Admin) else { panic!("the button is pressed") };
        assert_eq!(delivered_kinds(&decision), [KIND; 2]);
    }

    #[test]
    fn presses_without_access_or_of_disabled_buttons_are_refused() {
        let mut facts = customer_facts();
        assert_eq!(pressed(&facts, Role::Admin).err(), Some(Refusal::ButtonNotFound(7)));
        add_endpoint(&mut facts, KIND, "7");
        let refused = pressed(&facts, Role::Agent).err();
        assert_eq!(refused, Some(Refusal::NotYourRoom("10".to_owned())));
        facts.omni.services[0].agents.push(candidate(Role::Agent).profile);
        assert!(pressed(&facts, Role::Agent).is_ok(), "the agent is assigned");
        Arc::make_mut(&mut facts.endpoints[0].0).is_enabled = false;
        assert_eq!(pressed(&facts, Role::Agent).err(), Some(Refusal::ButtonOff(7)));
    }
}
