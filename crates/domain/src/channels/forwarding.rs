//! Forwarding of a provider's events, unchanged, to a URL of the app (design/channels).

use crate::app::App;
use crate::channels::provider_account::ProviderAccount;
use crate::decision::change::{Change, WebhookChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{ChannelId, DeliveryId};
use crate::json_text::JsonText;
use crate::refusal::Refusal;
use crate::webhooks::delivery::{Delivery, Lane};
use crate::webhooks::event_kind::EventKind;

/// Name of the account setting with the target URL.
pub const FORWARD_URL: &str = "forward_url";
/// Name of the account setting that disables forwarding if it is `false`.
pub const FORWARD_ENABLED: &str = "forward_enabled";

/// The URL to which a provider's events are forwarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardTarget {
    pub url: String,
    pub is_enabled: bool,
}

impl ForwardTarget {
    /// Returns the target in an account's settings, if one is set. It is enabled unless
    /// [`FORWARD_ENABLED`] is `false`.
    pub fn of(account: &ProviderAccount) -> Option<Self> {
        let url = Some(account.setting(FORWARD_URL)).filter(|it| !it.is_empty())?.to_owned();
        Some(Self { url, is_enabled: account.setting(FORWARD_ENABLED) != "false" })
    }
}

/// Creates a delivery of each event to the channel's forwarding endpoint, if it is enabled.
pub struct ForwardEvents {
    pub channel: ChannelId,
    /// The customer's id at the provider. Events of one customer are forwarded in order.
    pub customer: String,
    /// Events as received from the provider.
    pub bodies: Vec<JsonText>,
}

impl Rule for ForwardEvents {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        let kinds = vec![EventKind::ChannelForward];
        Question { endpoints: Some((self.lane(), kinds)), ..Question::default() }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let name = self.channel.to_string();
        let mut endpoints = facts.endpoints.iter().map(|(endpoint, _)| endpoint);
        // The endpoint was disabled after the caller checked it.
        let Some(endpoint) = endpoints.find(|it| it.name == name && it.is_enabled) else {
            return Ok(Decision::nothing(()));
        };
        let forwarded = |body: &JsonText| -> Change {
            let id = DeliveryId(stamp.next_id());
            WebhookChange::InsertDelivery(Delivery {
                id,
                app: context.app.id,
                endpoint: endpoint.id,
                kind: EventKind::ChannelForward,
                lane: self.lane(),
                sequence: id.0 as u64,
                created_at: stamp.now,
                depth: 1,
                body: body.as_str().into(),
            })
            .into()
        };
        Ok(Decision::new(self.bodies.iter().map(forwarded).collect(), ()))
    }
}

impl ForwardEvents {
    fn lane(&self) -> Lane {
        Lane::of_customer(self.channel, &format!("forwarded {}", self.customer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{add_endpoint, decided, delivered_kinds};

    #[test]
    fn events_are_forwarded_to_the_channels_enabled_endpoint_only() {
        let rule = |channel: i64| ForwardEvents {
            channel: ChannelId(channel),
            customer: "628".to_owned(),
            bodies: vec![JsonText::from_checked("{}".to_owned()); 2],
        };
        let mut facts = Facts::default();
        add_endpoint(&mut facts, EventKind::ChannelForward, "30");
        let Ok(decision) = decided(&facts, &rule(30)) else { panic!("the events are forwarded") };
        assert_eq!(delivered_kinds(&decision), [EventKind::ChannelForward; 2]);
        let Ok(decision) = decided(&facts, &rule(31)) else { panic!("the rule does not refuse") };
        assert!(decision.changes.is_empty(), "the endpoint of another channel");
        let endpoint = std::sync::Arc::make_mut(&mut facts.endpoints[0].0);
        endpoint.is_enabled = false;
        let Ok(decision) = decided(&facts, &rule(30)) else { panic!("the rule does not refuse") };
        assert!(decision.changes.is_empty());
    }

    #[test]
    fn forwarding_is_enabled_unless_the_setting_is_false() {
        let target = |settings: &[(&str, &str)]| {
            let mut account = ProviderAccount::default();
            let given = settings.iter().map(|(name, value)| ((*name).into(), (*value).into()));
            account.settings.extend(given);
            ForwardTarget::of(&account).map(|it| it.is_enabled)
        };
        assert_eq!(target(&[]), None);
        assert_eq!(target(&[(FORWARD_URL, "")]), None);
        assert_eq!(target(&[(FORWARD_URL, "https://a.example/")]), Some(true));
        let off = [(FORWARD_URL, "https://a.example/"), (FORWARD_ENABLED, "false")];
        assert_eq!(target(&off), Some(false));
    }
}
