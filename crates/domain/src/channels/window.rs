//! The messaging window: the time after a customer's message in which the provider accepts any
//! message to the customer. After the window, WhatsApp accepts only templates (channel facts 3.5),
//! and Messenger and Instagram accept only messages with the human agent tag, until a week after
//! the customer's message (channel facts 4.2).

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

/// Returns the time when the messaging window closes after a customer's message; `None` if the
/// provider has no such window.
pub fn closes_at(kind: ChannelKind, last_inbound_at: Timestamp) -> Option<Timestamp> {
    ends_at(kind, last_inbound_at, false)
}

/// Returns the time until which the provider accepts messages with or without the human agent tag;
/// `None` if it has no messaging window.
fn ends_at(kind: ChannelKind, last_inbound_at: Timestamp, is_tagged: bool) -> Option<Timestamp> {
    let seconds = match kind {
        ChannelKind::WhatsApp => limits::WHATSAPP_WINDOW_S,
        ChannelKind::Messenger | ChannelKind::Instagram if is_tagged => {
            limits::HUMAN_AGENT_WINDOW_S
        }
        ChannelKind::Messenger | ChannelKind::Instagram => limits::MESSENGER_WINDOW_S,
        _ => return None,
    };
    Some(Timestamp(last_inbound_at.0.saturating_add(seconds * 1_000_000)))
}

/// Whether the provider accepts any message now. `last_inbound_at` is the time of the customer's
/// last message; without one, the messaging window is closed.
pub fn is_open(kind: ChannelKind, last_inbound_at: Option<Timestamp>, now: Timestamp) -> bool {
    must_be_open(kind, last_inbound_at, now, false).is_ok()
}

/// Whether the provider accepts a message with the human agent tag now.
pub fn is_open_to_people(
    kind: ChannelKind,
    last_inbound_at: Option<Timestamp>,
    now: Timestamp,
) -> bool {
    must_be_open(kind, last_inbound_at, now, true).is_ok()
}

/// Refuses a message that the provider would reject now. `is_tagged` states whether it has the
/// human agent tag.
pub fn must_be_open(
    kind: ChannelKind,
    last_inbound_at: Option<Timestamp>,
    now: Timestamp,
    is_tagged: bool,
) -> Result<(), Refusal> {
    let until = last_inbound_at.map(|at| ends_at(kind, at, is_tagged));
    match until {
        None if closes_at(kind, now).is_some() => Err(Refusal::WindowClosed { until: None }),
        Some(until @ Some(at)) if at <= now => Err(Refusal::WindowClosed { until }),
        _ => Ok(()),
    }
}

/// Sends a message again a little later, because the provider rejected it for a closed messaging
/// window that should still be open.
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
    fn a_window_opens_for_a_day_with_each_message_of_the_customer() {
        let hours = |hours: i64| Timestamp(hours * 3_600 * 1_000_000);
        let refused = |last_inbound: Option<i64>, now: i64| {
            must_be_open(ChannelKind::WhatsApp, last_inbound.map(hours), hours(now), true).err()
        };
        assert_eq!(refused(Some(1), 1), None);
        assert_eq!(refused(Some(1), 24), None);
        let until = Some(hours(25));
        assert_eq!(refused(Some(1), 25), Some(Refusal::WindowClosed { until }));
        assert_eq!(refused(None, 25), Some(Refusal::WindowClosed { until: None }));
        assert!(is_open(ChannelKind::Telegram, None, hours(1)), "Telegram has no window");
        assert!(is_open(ChannelKind::Telegram, Some(hours(1)), hours(99)));
    }

    #[test]
    fn the_human_agent_tag_extends_the_window_to_a_week() {
        let hours = |hours: i64| Timestamp(hours * 3_600 * 1_000_000);
        for kind in [ChannelKind::Messenger, ChannelKind::Instagram] {
            let refused = |now: i64, is_tagged| {
                must_be_open(kind, Some(hours(1)), hours(now), is_tagged).err()
            };
            assert_eq!((refused(24, false), refused(24, true)), (None, None));
            let until = Some(hours(25));
            assert_eq!(refused(25, false), Some(Refusal::WindowClosed { until }));
            assert_eq!(refused(168, true), None);
            let until = Some(hours(169));
            assert_eq!(refused(169, true), Some(Refusal::WindowClosed { until }));
            assert!(!is_open_to_people(kind, None, hours(1)), "the customer never wrote");
        }
    }
}
