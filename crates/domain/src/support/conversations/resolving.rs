//! Resolution of sessions.

use crate::agents::agent::Person;
use crate::app::App;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::{MessageId, RoomId};
use crate::messages::conversation_event::ConversationEventKind;
use crate::messages::message::MessageRef;
use crate::refusal::Refusal;
use crate::support::assignment::allocating;
use crate::support::automation::surveying;
use crate::support::conversations::customer_room::BotDuty;
use crate::support::conversations::support_room::SupportRoom;
use crate::support::conversations::trail::TrailKind;
use crate::webhooks::event;
use crate::webhooks::event::{AgentProfile, Event, Resolved, Session};
use crate::webhooks::event_kind::EventKind;

/// Notes on a resolved session, and the session's last message.
#[derive(Debug, Clone, Default)]
pub struct Resolution {
    /// Resolution notes; `None` keeps the session's notes.
    pub notes: Option<String>,
    /// Last message of the session; `None` for the newest of the room.
    pub last_message: Option<MessageId>,
}

/// Resolves the open session of a room. Fails if it is already resolved. An agent must be assigned
/// to the room or be allowed to take it over.
pub struct Resolve {
    pub room: RoomId,
    pub by: AgentProfile,
    /// Whether a staff member resolves the session, not the app. Only in this case the customer may
    /// be asked for a rating.
    pub is_by_person: bool,
    pub ending: Resolution,
}

impl Rule for Resolve {
    type Outcome = Session;

    fn question(&self, app: &App) -> Question {
        let mut question = allocating::question_of(app, self.room, Some(&self.by.user));
        question.messages.extend(self.ending.last_message.map(MessageRef::Id));
        if let Some((_, kinds)) = &mut question.endpoints {
            kinds.push(EventKind::Resolved);
            kinds.extend(self.is_by_person.then_some(EventKind::ChannelMessage));
        }
        if let Some(omni) = &mut question.omni {
            omni.finds_people = self.is_by_person;
        }
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Session>, Refusal> {
        let Self { room, ref by, is_by_person, ref ending } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        serving.must_be_open_to_role(Some(&by.user))?;
        if !serving.now.is_open() {
            return Err(Refusal::SessionResolved(room.to_string()));
        }
        check_last(facts, &serving, ending)?;
        let person = Person::from(&by.user);
        if is_by_person {
            // Ask first: clients expect the end of a conversation to be its last message.
            surveying::ask(&mut serving, context, facts, stamp)?;
        }
        serving.note(ConversationEventKind::Resolved, None, Some(&person))?;
        serving.trace(TrailKind::Resolved, None, Some(&person));
        let agents: Vec<_> = serving.agents.iter().map(|agent| agent.user.id).collect();
        let last_message = ending.last_message.or(serving.last_message());
        if let Some(session) = &mut serving.now.session {
            session.resolved_at = Some(stamp.now);
            session.resolved_by = Some(by.user.id);
            session.updated_at = stamp.now;
            session.notes = ending.notes.clone().or(session.notes.take());
            session.last_message = last_message.unwrap_or(session.last_message);
        }
        serving.now.waits_since = None;
        serving.now.is_handled_by_bot = false;
        serving.now.bot_duty = BotDuty::Always;
        agents.into_iter().for_each(|agent| serving.take_out(agent));
        let session = serving.now.session.clone();
        let session = session.ok_or(Refusal::SessionResolved(room.to_string()))?;
        let notice = resolved(&serving, context, by, &session);
        serving.notify(notice);
        serving.end(session)
    }
}

/// Refuses a last message that is not part of the session.
fn check_last(
    facts: &Facts,
    serving: &SupportRoom<'_>,
    ending: &Resolution,
) -> Result<(), Refusal> {
    let Some(last) = ending.last_message else { return Ok(()) };
    let posted = facts.message(&MessageRef::Id(last));
    let is_there = posted.is_some_and(|posted| posted.message.room == serving.now.room);
    let first = serving.now.session.as_ref().map(|session| session.first_message);
    if is_there && first.is_some_and(|first| last >= first) {
        return Ok(());
    }
    let problem = "must be a message of the conversation";
    Err(FieldProblem::new("last_comment_id", problem).into())
}

fn resolved(
    serving: &SupportRoom<'_>,
    context: &Context,
    by: &AgentProfile,
    session: &Session,
) -> event::Event {
    Event::Resolved(Resolved {
        app: context.app.code.clone(),
        channel: serving.channel(),
        customer: serving.before.customer.clone(),
        infos: serving.before.infos.clone(),
        resolved_by: by.user.clone(),
        is_resolver_available: by.is_available,
        session: session.clone(),
    })
}
