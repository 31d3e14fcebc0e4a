//! The window: for how long after a customer's message their service takes any answer. Later only
//! templates reach them (channel facts 3.5).

use crate::app::App;
use crate::channels::channel::ChannelKind;
use crate::decision::change::WebhookChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::DeliveryId;
use crate::limits;
use crate::refusal::Refusal;
use crate::time::Timestamp;
use crate::webhooks::delivery::Lane;

/// When the window of a customer closes who was last heard at this time; nothing where a service
/// has none.
pub fn closes_at(kind: ChannelKind, heard_at: Timestamp) -> Option<Timestamp> {
    let has_window = kind == ChannelKind::WhatsApp;
    has_window.then(|| Timestamp(heard_at.0 + limits::WHATSAPP_WINDOW_S * 1_000_000))
}

/// Whether any answer is taken now. Who never wrote has no window.
pub fn is_open(kind: ChannelKind, heard_at: Option<Timestamp>, now: Timestamp) -> bool {
    must_be_open(kind, heard_at, now).is_ok()
}

/// Refuses what a service would not take now.
pub fn must_be_open(
    kind: ChannelKind,
    heard_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Refusal> {
    let until = heard_at.map(|at| closes_at(kind, at));
    match until {
        None if closes_at(kind, now).is_some() => Err(Refusal::WindowClosed { until: None }),
        Some(until @ Some(at)) if at <= now => Err(Refusal::WindowClosed { until }),
        _ => Ok(()),
    }
}

/// Sends something once more, a little later: the service found the window closed, and it is not.
pub struct SendLater {
    pub delivery: DeliveryId,
    pub lane: Lane,
}

impl Rule for SendLater {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(&self, _: &Context, _: &Facts, stamp: &Stamp<'_>) -> Result<Decision<()>, Refusal> {
        let Self { delivery, lane } = *self;
        let at = Timestamp(stamp.now.0 + limits::WINDOW_AGAIN_S as i64 * 1_000_000);
        let again = WebhookChange::Replay { delivery, lane, at, mark: stamp.next_id() };
        Ok(Decision::new(vec![again.into()], ()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_open_for_a_day_after_each_message_and_never_before_the_first() {
        let hours = |hours: i64| Timestamp(hours * 3_600 * 1_000_000);
        let refused = |heard: Option<i64>, now: i64| {
            must_be_open(ChannelKind::WhatsApp, heard.map(hours), hours(now)).err()
        };
        assert_eq!(refused(Some(1), 1), None);
        assert_eq!(refused(Some(1), 24), None);
        let until = Some(hours(25));
        assert_eq!(refused(Some(1), 25), Some(Refusal::WindowClosed { until }));
        assert_eq!(refused(None, 25), Some(Refusal::WindowClosed { until: None }));
        assert!(is_open(ChannelKind::Telegram, None, hours(1)), "it has none");
        assert!(is_open(ChannelKind::Telegram, Some(hours(1)), hours(99)));
    }
}
