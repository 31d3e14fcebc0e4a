//! Answering: what an agent or a bot says reaches the customer's channel.
//!
//! Only this rule makes deliveries to channels: what comes through the message API stays in its
//! room (spec 1).

use crate::app::App;
use crate::channels::channel::ChannelKind;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmniQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::{AgentId, RoomId};
use crate::messages::message::{Draft, Said};
use crate::messages::posting;
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::service::customer_room::CustomerRoom;
use crate::service::serving::Serving;
use crate::service::settings::Settings;
use crate::webhooks::delivery::Lane;
use crate::webhooks::notice::{ChannelMessage, Door, Notice};
use crate::webhooks::notice_kind::NoticeKind;
use crate::webhooks::subscribing;

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answerer {
    /// Somebody who works in the app and serves the room.
    Agent(AgentId),
    /// Somebody who works in the app and may answer everywhere.
    Overseer,
    Bot,
}

/// Somebody answers the customer of a room.
pub struct AnswerCustomer {
    pub room: RoomId,
    pub draft: Draft,
    pub answerer: Answerer,
}

impl Rule for AnswerCustomer {
    type Outcome = Said;

    fn question(&self, _: &App) -> Question {
        let mut question = posting::question(&RoomRef::Id(self.room), &self.draft);
        let kinds = vec![NoticeKind::Bot, NoticeKind::ChannelMessage];
        question.endpoints = Some((Lane(self.room.0), kinds));
        question.omni = Some(OmniQuestion {
            finds_service: true,
            finds_settings: true,
            finds_people: true,
            ..OmniQuestion::default()
        });
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Said>, Refusal> {
        let Self { room, ref draft, answerer } = *self;
        let mut serving = Serving::of(context, facts, room, stamp)?;
        check(&serving, facts, answerer)?;
        // By name: what stands under the customer's name would be taken for theirs, whoever else
        // has it.
        if *draft.sender.user_id() == serving.before.customer.user_id {
            let problem = "must not be the customer of the room";
            return Err(FieldProblem::new("sender_email", problem).into());
        }
        let by = RoomRef::Id(room);
        posting::sender(context, facts, Some(facts.room(&by)?), draft)?;
        let spoken = posting::speak(context, facts, &by, draft, stamp)?;
        let said = spoken.outcome;
        if spoken.changes.is_empty() {
            // It was said before.
            return serving.end(said);
        }
        serving.add(&said);
        let channel = &serving.before.channel;
        // Who listens hears what a gateway would, before one is registered.
        let is_told = channel.webhook_url.is_some() || context.is_listened_to;
        if channel.kind == ChannelKind::Custom && is_told {
            let notice = channel_message(&serving, context, answerer, &said);
            serving.tell(notice);
        }
        serving.end(said)
    }

    fn door(&self) -> Door {
        door_of(self.answerer)
    }
}

fn check(serving: &Serving<'_>, facts: &Facts, answerer: Answerer) -> Result<(), Refusal> {
    let room = || serving.now.room.to_string();
    let channel = &serving.before.channel;
    if !channel.is_active || channel.deleted_at.is_some() {
        return Err(Refusal::ChannelOff(channel.name.clone()));
    }
    match answerer {
        Answerer::Overseer => Ok(()),
        Answerer::Agent(agent) => {
            let is_serving = serving.agents.iter().any(|it| it.user.id == agent);
            if is_serving { Ok(()) } else { Err(Refusal::NotServing(room())) }
        }
        Answerer::Bot => {
            let is_off = is_switched_off(serving, facts);
            if is_off { Err(Refusal::BotOff(room())) } else { Ok(()) }
        }
    }
}

/// Whether somebody switched the bot off, in the app or in the room. Where no bot was ever
/// registered there is nothing to be switched off, and while no session is open there is nobody to
/// be talked over: who only asks afterwards how it was needs no bot (D-0056).
fn is_switched_off(serving: &Serving<'_>, facts: &Facts) -> bool {
    let is_handled =
        serving.now.is_handled_by_bot || facts.omni.settings.is_on(Settings::FORCES_BOT);
    let is_on = facts.has_endpoint(NoticeKind::Bot) && is_handled;
    let has_bot = subscribing::found(facts, NoticeKind::Bot, "").is_some();
    serving.now.is_open() && has_bot && !is_on
}

fn channel_message(
    serving: &Serving<'_>,
    context: &Context,
    answerer: Answerer,
    said: &Said,
) -> Notice {
    Notice::ChannelMessage(ChannelMessage {
        app: context.app.code.clone(),
        channel: serving.now.channel,
        door: door_of(answerer),
        sender: said.sender.clone(),
        message: said.message.clone(),
        room: serving.shown_room(),
        people: serving.before.people.clone(),
    })
}

/// A bot is another server, everybody else a client of ours.
fn door_of(answerer: Answerer) -> Door {
    if answerer == Answerer::Bot { Door::MessageApi } else { Door::Client }
}

/// A bot takes the room, or leaves it to people.
pub struct HandOver {
    pub room: RoomId,
    /// Whether the bot takes it.
    pub is_handled_by_bot: bool,
}

impl Rule for HandOver {
    type Outcome = CustomerRoom;

    fn question(&self, _: &App) -> Question {
        Question {
            rooms: vec![RoomRef::Id(self.room)],
            endpoints: Some((Lane(self.room.0), Vec::new())),
            omni: Some(OmniQuestion { finds_service: true, ..OmniQuestion::default() }),
            ..Question::default()
        }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<CustomerRoom>, Refusal> {
        let Self { room, is_handled_by_bot } = *self;
        let mut serving = Serving::of(context, facts, room, stamp)?;
        if !serving.now.is_open() {
            return Err(Refusal::SessionResolved(room.to_string()));
        }
        serving.now.is_handled_by_bot = is_handled_by_bot;
        let customer_room = serving.now.clone();
        serving.end(customer_room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::example::{add_endpoint, candidate, customer_facts, decided, draft, told, written};
    use crate::time::Timestamp;

    fn facts() -> Facts {
        let mut facts = customer_facts();
        add_endpoint(&mut facts, NoticeKind::ChannelMessage, "30");
        facts
    }

    fn answered(
        facts: &Facts,
        sender: &str,
        answerer: Answerer,
    ) -> Result<Decision<Said>, Refusal> {
        let rule = AnswerCustomer { room: RoomId(10), draft: draft(sender), answerer };
        decided(facts, &rule)
    }

    #[test]
    fn an_answer_reaches_the_channel_of_the_customer() {
        let mut facts = facts();
        let agent = candidate(Role::Agent).profile;
        let answerer = Answerer::Agent(agent.user.id);
        let refused = answered(&facts, "bob", answerer).err();
        assert_eq!(refused, Some(Refusal::NotServing("10".to_owned())));
        facts.omni.services[0].agents.push(agent);
        let Ok(decision) = answered(&facts, "bob", answerer) else { panic!("answered") };
        assert_eq!(told(&decision), [NoticeKind::ChannelMessage]);
    }

    #[test]
    fn a_bot_answers_until_it_is_switched_off_and_again_after_the_end() {
        let mut facts = facts();
        let off = Some(Refusal::BotOff("10".to_owned()));
        assert!(answered(&facts, "bob", Answerer::Bot).is_ok(), "there is none to be off");
        add_endpoint(&mut facts, NoticeKind::Bot, "");
        facts.omni.services[0].customer_room.is_handled_by_bot = true;
        assert!(answered(&facts, "bob", Answerer::Bot).is_ok());
        facts.omni.services[0].customer_room.is_handled_by_bot = false;
        assert_eq!(answered(&facts, "bob", Answerer::Bot).err(), off, "in the room");
        facts.omni.services[0].customer_room.is_handled_by_bot = true;
        let bot = facts.endpoints.last_mut().expect("the bot's");
        std::sync::Arc::make_mut(&mut bot.0).is_enabled = false;
        assert_eq!(answered(&facts, "bob", Answerer::Bot).err(), off, "in the app");
        let session = facts.omni.services[0].customer_room.session.as_mut().expect("one");
        session.resolved_at = Some(Timestamp(1));
        assert!(answered(&facts, "bob", Answerer::Bot).is_ok(), "nobody is talked over");
    }

    #[test]
    fn nobody_answers_as_the_customer_or_through_a_channel_that_is_off() {
        let mut facts = facts();
        let refused = answered(&facts, "ana", Answerer::Overseer).err();
        assert!(matches!(refused, Some(Refusal::Invalid(_))));
        facts.omni.services[0].channel.is_active = false;
        let refused = answered(&facts, "bob", Answerer::Overseer).err();
        assert_eq!(refused, Some(Refusal::ChannelOff("SMS".to_owned())));
    }

    #[test]
    fn what_is_said_after_the_end_is_no_part_of_the_session() {
        let mut facts = facts();
        let session = facts.omni.services[0].customer_room.session.as_mut().expect("one");
        session.resolved_at = Some(Timestamp(1));
        let Ok(decision) = answered(&facts, "bob", Answerer::Overseer) else { panic!("said") };
        assert!(written(&decision.changes).is_none());
    }

    #[test]
    fn a_room_is_handed_over_while_its_session_is_open() {
        let mut facts = customer_facts();
        let handed = |facts: &Facts, is_handled_by_bot| {
            decided(facts, &HandOver { room: RoomId(10), is_handled_by_bot })
        };
        let Ok(decision) = handed(&facts, true) else { panic!("handed over") };
        assert!(written(&decision.changes).expect("it changed").is_handled_by_bot);
        facts.omni.services[0].customer_room.is_handled_by_bot = true;
        let Ok(decision) = handed(&facts, false) else { panic!("handed over") };
        assert!(decision.is_allocating, "the customer waits for people now");
        facts.omni.services[0].customer_room.session = None;
        assert_eq!(handed(&facts, true).err(), Some(Refusal::SessionResolved("10".to_owned())));
    }
}
