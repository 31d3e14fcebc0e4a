//! Rating of conversations by customers (design/support).
//!
//! The module `resolving` asks for a rating in the decision that resolves the session. The module
//! `receiving` stores the answer with the session; an answer opens no new session and notifies
//! neither bot nor agent.

use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::stamp::Stamp;
use crate::limits;
use crate::messages::message::{Draft, PostedMessage};
use crate::messages::payload::Payload;
use crate::messages::rating::{Rating, RatingQuestion};
use crate::refusal::Refusal;
use crate::support::conversations::answering::{self, Answerer};
use crate::support::conversations::customer_room::CustomerRoom;
use crate::support::conversations::support_room::SupportRoom;
use crate::support::conversations::trail::TrailKind;
use crate::support::settings::Settings;
use crate::time::Timestamp;

/// The texts of an app's rating question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyTexts<'a> {
    pub question: &'a str,
    pub good: &'a str,
    pub okay: &'a str,
    pub bad: &'a str,
}

impl<'a> SurveyTexts<'a> {
    pub fn of(settings: &'a Settings) -> Self {
        let text = |name, default| settings.get(name).unwrap_or(default);
        Self {
            question: text(Settings::RATING_QUESTION, "How was this conversation?"),
            good: text(Settings::RATING_GOOD, "Good"),
            okay: text(Settings::RATING_OKAY, "Okay"),
            bad: text(Settings::RATING_BAD, "Bad"),
        }
    }

    fn answers(&self) -> [(Rating, &'a str); 3] {
        [(Rating::GOOD, self.good), (Rating::OKAY, self.okay), (Rating::BAD, self.bad)]
    }

    /// Whether the answers differ from each other and none is a digit from 1 to 5.
    pub fn are_distinct(&self) -> bool {
        let [good, okay, bad] = self.answers().map(|(_, label)| label.trim().to_lowercase());
        let is_word = |label: &String| digit(label).is_none();
        good != okay && okay != bad && bad != good && [good, okay, bad].iter().all(is_word)
    }

    /// Returns the rating that a text expresses: one of the answers, or a digit from 1 to 5.
    fn rating_of(&self, text: &str) -> Option<Rating> {
        let written = text.trim().to_lowercase();
        let is_meant = |label: &str| label.trim().to_lowercase() == written;
        let meant = self.answers().into_iter().find(|(_, label)| is_meant(label));
        meant.map(|(rating, _)| rating).or_else(|| digit(&written))
    }
}

fn digit(text: &str) -> Option<Rating> {
    Some(text).filter(|text| text.len() == 1)?.parse().ok().and_then(Rating::from_number)
}

/// Asks the customer for a rating, once per session, if the app's settings request it, a staff
/// member served the customer, and the customer can still write.
pub(crate) fn ask(
    serving: &mut SupportRoom<'_>,
    context: &Context,
    facts: &Facts,
    stamp: &Stamp<'_>,
) -> Result<(), Refusal> {
    let settings = &facts.omni.settings;
    let channel = &serving.before.channel;
    let can_answer =
        serving.before.customer.is_active && channel.is_active && channel.deleted_at.is_none();
    let Some(session) = &mut serving.now.session else { return Ok(()) };
    let is_served = session.rated_agent().is_some();
    let is_asked = session.rating_asked_at.is_some();
    if !settings.is_on(Settings::ASKS_RATING) || !can_answer || !is_served || is_asked {
        return Ok(());
    }
    session.rating_asked_at = Some(stamp.now);
    let texts = SurveyTexts::of(settings);
    let question = RatingQuestion {
        session: session.id,
        text: texts.question.to_owned(),
        answers: texts.answers().map(|(rating, label)| (rating, label.to_owned())),
    };
    let posted = serving.ask(question)?;
    answering::deliver(serving, context, Answerer::Bot, &posted);
    Ok(())
}

/// The effect of a customer's message as an answer to the rating question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SurveyAnswer {
    Rated(Rating),
    /// The customer pressed a button of a rating question that no longer accepts answers. The
    /// message is only posted.
    TooLate,
}

/// Returns the effect of a message as an answer to the rating question; `None` if it is not an
/// answer.
pub(crate) fn answer(
    room: &CustomerRoom,
    draft: &Draft,
    settings: &Settings,
    now: Timestamp,
) -> Option<SurveyAnswer> {
    let session = room.session.as_ref().filter(|it| it.resolved_at.is_some())?;
    let is_within = |at: Timestamp| now.0 - at.0 <= limits::RATING_PERIOD_S * 1_000_000;
    let is_open = session.rating_asked_at.is_some_and(is_within);
    match &draft.payload {
        // Another button changes the rating.
        Payload::ButtonPostbackResponse { rating: Some(press), .. } => {
            let is_counted = is_open && press.session == session.id;
            let rated = SurveyAnswer::Rated(press.rating);
            Some(if is_counted { rated } else { SurveyAnswer::TooLate })
        }
        // Many channels return only the text of a button.
        Payload::Text | Payload::ButtonPostbackResponse { .. } => {
            let is_open = is_open && session.rating.is_none();
            let rating = SurveyTexts::of(settings).rating_of(&draft.text);
            rating.filter(|_| is_open).map(SurveyAnswer::Rated)
        }
        _ => None,
    }
}

/// Stores the rating in the session, if the answer contains one.
pub(crate) fn take(serving: &mut SupportRoom<'_>, posted: &PostedMessage, answer: SurveyAnswer) {
    let SurveyAnswer::Rated(rating) = answer else { return };
    let Some(session) = &mut serving.now.session else { return };
    session.rating = Some(rating);
    session.rated_at = Some(posted.message.posted_at);
    serving.trace(TrailKind::Rated(rating), None, None);
}

#[cfg(test)]
mod tests;
