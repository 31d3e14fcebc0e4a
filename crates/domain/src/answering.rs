//! Answering: what an agent or a bot says reaches the customer's channel.
//!
//! Only this rule makes deliveries to channels: what comes through the message API stays in its
//! room (spec 1).

use crate::channel::ChannelKind;
use crate::customer_room::CustomerRoom;
use crate::decision::{Decision, Facts, Question, Stamp};
use crate::delivery::Lane;
use crate::ids::{DashboardUserId, RoomId};
use crate::message::{Draft, Said};
use crate::notice::{ChannelMessage, Door, Notice, NoticeKind};
use crate::omnichannel::OmniQuestion;
use crate::posting;
use crate::refusal::{FieldProblem, Refusal};
use crate::room::RoomRef;
use crate::serving::{Desk, Served, Serving};
use crate::settings::Settings;

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answerer {
    /// Somebody who works in the app and serves the room.
    Agent(DashboardUserId),
    /// Somebody who works in the app and may answer everywhere.
    Overseer,
    /// A bot.
    Bot,
}

/// What `answer` wants to know.
pub fn question(room: RoomId, draft: &Draft) -> Question {
    let mut question = posting::question(&RoomRef::Id(room), draft);
    let kinds = vec![NoticeKind::Bot, NoticeKind::ChannelMessage];
    question.endpoints = Some((Lane(room.0), kinds));
    question.omni = Some(OmniQuestion {
        finds_service: true,
        finds_settings: true,
        finds_people: true,
        ..OmniQuestion::default()
    });
    question
}

/// Somebody answers the customer of a room.
pub fn answer(
    desk: &Desk<'_>,
    facts: &Facts,
    room: RoomId,
    draft: &Draft,
    answerer: Answerer,
    stamp: &Stamp<'_>,
) -> Result<Decision<Served<Said>>, Refusal> {
    let mut serving = Serving::of(desk, facts, room, stamp)?;
    check(&serving, facts, answerer)?;
    let sender = posting::sender(facts, draft, desk.app.system_user)?;
    if sender.key == serving.now.customer {
        let problem = "must not be the customer of the room";
        return Err(FieldProblem::new("sender_email", problem).into());
    }
    let by = RoomRef::Id(room);
    let spoken = posting::speak(facts, &by, draft, stamp, desk.words.complete)?;
    let said = spoken.outcome;
    if spoken.changes.is_empty() {
        // It was said before.
        return serving.end(said);
    }
    serving.add(&said);
    let channel = &serving.before.channel;
    if channel.kind == ChannelKind::Custom && channel.webhook_url.is_some() {
        let notice = channel_message(&serving, desk, answerer, &said);
        serving.tell(notice);
    }
    serving.end(said)
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
            let is_forced = facts.omni.settings.is_on(Settings::FORCES_BOT);
            let is_on = facts.has_endpoint(NoticeKind::Bot)
                && serving.now.is_open()
                && (serving.now.is_handled_by_bot || is_forced);
            if is_on { Ok(()) } else { Err(Refusal::BotOff(room())) }
        }
    }
}

fn channel_message(
    serving: &Serving<'_>,
    desk: &Desk<'_>,
    answerer: Answerer,
    said: &Said,
) -> Notice {
    Notice::ChannelMessage(ChannelMessage {
        app: desk.app.code.clone(),
        channel: serving.now.channel,
        door: if answerer == Answerer::Bot { Door::MessageApi } else { Door::Client },
        sender: said.sender.clone(),
        message: said.message.clone(),
        room: serving.shown_room(),
        people: serving.before.people.clone(),
    })
}

/// What `hand_over` wants to know.
pub fn hand_over_question(room: RoomId) -> Question {
    Question {
        rooms: vec![RoomRef::Id(room)],
        endpoints: Some((Lane(room.0), Vec::new())),
        omni: Some(OmniQuestion { finds_service: true, ..OmniQuestion::default() }),
        ..Question::default()
    }
}

/// A bot takes the room, or leaves it to people.
pub fn hand_over(
    desk: &Desk<'_>,
    facts: &Facts,
    room: RoomId,
    is_handled_by_bot: bool,
    stamp: &Stamp<'_>,
) -> Result<Decision<Served<CustomerRoom>>, Refusal> {
    let mut serving = Serving::of(desk, facts, room, stamp)?;
    if !serving.now.is_open() {
        return Err(Refusal::SessionResolved(room.to_string()));
    }
    serving.now.is_handled_by_bot = is_handled_by_bot;
    let customer_room = serving.now.clone();
    serving.end(customer_room)
}
