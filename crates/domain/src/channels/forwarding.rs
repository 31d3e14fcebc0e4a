//! Forwarding: what a channel's service tells is also told to an address of the app's, as it came
//! (D-0159).

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

/// The settings of an account that say where to.
pub const FORWARD_URL: &str = "forward_url";
pub const FORWARD_ENABLED: &str = "forward_enabled";

/// Where what a service tells is forwarded to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardTarget {
    pub url: String,
    pub is_enabled: bool,
}

impl ForwardTarget {
    /// That of an account, if it has one. It is switched on unless somebody said otherwise.
    pub fn of(account: &ProviderAccount) -> Option<Self> {
        let url = Some(account.setting(FORWARD_URL)).filter(|it| !it.is_empty())?.to_owned();
        Some(Self { url, is_enabled: account.setting(FORWARD_ENABLED) != "false" })
    }
}

/// Each of these becomes a delivery to the address of the channel, if it has one.
pub struct ForwardEvents {
    pub channel: ChannelId,
    /// Whom they are about, as the service names them: what they do stays in order.
    pub customer: String,
    /// As the service wrote them.
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
        // Somebody switched it off meanwhile.
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
    use crate::example::{add_endpoint, decided, told};

    #[test]
    fn only_the_address_of_the_channel_is_told_and_only_while_it_is_on() {
        let rule = |channel: i64| ForwardEvents {
            channel: ChannelId(channel),
            customer: "628".to_owned(),
            bodies: vec![JsonText::from_checked("{}".to_owned()); 2],
        };
        let mut facts = Facts::default();
        add_endpoint(&mut facts, EventKind::ChannelForward, "30");
        let Ok(decision) = decided(&facts, &rule(30)) else { panic!("forwarded") };
        assert_eq!(told(&decision), [EventKind::ChannelForward; 2]);
        let Ok(decision) = decided(&facts, &rule(31)) else { panic!("decided") };
        assert!(decision.changes.is_empty(), "it is another channel's");
        let endpoint = std::sync::Arc::make_mut(&mut facts.endpoints[0].0);
        endpoint.is_enabled = false;
        let Ok(decision) = decided(&facts, &rule(30)) else { panic!("decided") };
        assert!(decision.changes.is_empty());
    }

    #[test]
    fn an_address_is_on_unless_somebody_says_otherwise() {
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
