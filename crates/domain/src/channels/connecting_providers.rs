//! Rules that connect, change and disconnect provider channels with their accounts.
//!
//! A provider channel has two endpoints, whose name is the channel's id: one for the provider's
//! events and one for messages to customers (D-0150). They change together with the channel.

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::channels::channel::{Channel, ChannelKind};
use crate::channels::connecting::{blank, found, is_key_taken, may_have_another, target};
use crate::channels::forwarding::ForwardTarget;
use crate::channels::provider_account::ProviderAccount;
use crate::channels::provider_health::{ProviderHealth, ProviderState};
use crate::decision::change::{Change, ChannelChange, WebhookChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::ChannelId;
use crate::limits;
use crate::refusal::Refusal;
use crate::webhooks::delivery::Lane;
use crate::webhooks::endpoint::{DeliveryPolicy, Endpoint};
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::subscribing::{self, EndpointInput};

/// Kinds of the endpoints that every provider channel has.
const KINDS: [EventKind; 2] = [EventKind::ChannelEvent, EventKind::ChannelSend];

/// Kinds of all endpoints of a provider channel, including the one that forwards its events.
const ALL_KINDS: [EventKind; 3] =
    [EventKind::ChannelEvent, EventKind::ChannelSend, EventKind::ChannelForward];

/// Connects an account at a provider as a new channel. No `Debug`: it holds secrets.
pub struct ConnectProvider {
    pub kind: ChannelKind,
    pub name: String,
    /// Name of the account at the provider, such as `@shop_bot`.
    pub address: String,
    /// Id of the account at the provider, which only one channel of the app can have.
    pub account_id: String,
    pub account: ProviderAccount,
}

impl Rule for ConnectProvider {
    type Outcome = Channel;

    fn question(&self, app: &App) -> Question {
        question(app, None)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Channel>, Refusal> {
        may_have_another(facts)?;
        let key = format!("{}:{}", self.kind.as_str(), self.account_id);
        let channel = Channel { name: self.name.clone(), ..blank(context, self.kind, &key, stamp) };
        if is_key_taken(facts, &channel) {
            return Err(Refusal::AccountConnected);
        }
        let made = Differences::default()
            .now("name", &*channel.name)
            .now("source", self.kind.as_str())
            .now("account", &*self.address);
        let entry = context.audited(stamp, AuditAction::ChannelCreated, target(&channel), made);
        let mut changes = vec![ChannelChange::Put(channel.clone()).into()];
        changes.extend(endpoints(context, facts, &channel, Some(&self.address), stamp));
        let forward = ForwardTarget::of(&self.account);
        changes.extend(forward_endpoint(context, facts, &channel, forward.as_ref(), stamp));
        changes.extend(account_changes(channel.id, &self.account));
        changes.push(healthy(channel.id, stamp));
        Ok(Decision::new(changes, channel).also([entry]))
    }
}

/// Changes a provider channel. Fields that are `None` keep their value. A new secret resumes
/// sending if the provider rejected the old one. No `Debug`: it holds secrets.
pub struct ChangeProviderChannel {
    pub channel: ChannelId,
    pub name: Option<String>,
    pub is_active: Option<bool>,
    /// Changed settings and secrets.
    pub account: ProviderAccount,
    /// Target of the provider's events after the change; `None` disables forwarding.
    pub forward: Option<ForwardTarget>,
}

impl Rule for ChangeProviderChannel {
    type Outcome = Channel;

    fn question(&self, app: &App) -> Question {
        question(app, Some(self.channel))
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Channel>, Refusal> {
        let before = found_service(facts, self.channel)?;
        let after = Channel {
            name: self.name.clone().unwrap_or_else(|| before.name.clone()),
            is_active: self.is_active.unwrap_or(before.is_active),
            updated_at: stamp.now,
            ..before.clone()
        };
        let differences = Differences::default()
            .of("name", &*before.name, &*after.name)
            .of("is_active", before.is_active, after.is_active)
            .secret("settings", !self.account.settings.is_empty());
        let (deed, target) = (AuditAction::ChannelChanged, target(before));
        let changed = context.audited_change(stamp, deed, target.clone(), differences);
        let rotates = !self.account.secrets.is_empty();
        let secret = Differences::default().secret("token", rotates);
        let rotated = context.audited_change(stamp, AuditAction::ChannelKeyRotated, target, secret);
        if changed.is_none() && rotated.is_none() {
            return Ok(Decision::nothing(before.clone()));
        }
        let mut changes = vec![ChannelChange::Put(after.clone()).into()];
        changes.extend(endpoints(context, facts, &after, None, stamp));
        let forward = self.forward.as_ref();
        changes.extend(forward_endpoint(context, facts, &after, forward, stamp));
        changes.extend(account_changes(after.id, &self.account));
        let is_stopped = health(facts).is_some_and(|it| it.state == ProviderState::Unauthorized);
        if rotates && is_stopped {
            let endpoint = send_endpoint(facts, after.id).map(|it| it.id);
            let resumed = |endpoint| WebhookChange::SetPaused { endpoint, is_paused: false }.into();
            changes.extend(endpoint.map(resumed));
        }
        if rotates {
            changes.push(healthy(after.id, stamp));
        }
        Ok(Decision::new(changes, after).also(changed).also(rotated))
    }
}

/// Deletes a provider channel with the secrets of its account. Its rooms and messages stay.
pub struct DisconnectProvider {
    pub channel: ChannelId,
}

impl Rule for DisconnectProvider {
    type Outcome = Channel;

    fn question(&self, app: &App) -> Question {
        question(app, None)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Channel>, Refusal> {
        let before = found_service(facts, self.channel)?;
        let (deleted_at, updated_at) = (Some(stamp.now), stamp.now);
        let gone = Channel { is_active: false, deleted_at, updated_at, ..before.clone() };
        let was = Differences::default().was("name", &*before.name);
        let entry = context.audited(stamp, AuditAction::ChannelDeleted, target(before), was);
        let mut changes = vec![ChannelChange::Put(gone.clone()).into()];
        changes.extend(endpoints(context, facts, &gone, None, stamp));
        changes.extend(forward_endpoint(context, facts, &gone, None, stamp));
        changes.push(ChannelChange::DeleteSecrets { channel: gone.id }.into());
        Ok(Decision::new(changes, gone).also([entry]))
    }
}

/// Returns the question for the facts that the rules of this module need. They all use the lane of
/// the app, so that their changes of endpoints do not run concurrently.
pub(super) fn question(app: &App, health_of: Option<ChannelId>) -> Question {
    let omni =
        OmnichannelQuestion { finds_channels: true, health_of, ..OmnichannelQuestion::default() };
    Question {
        endpoints: Some((Lane(app.id.0), ALL_KINDS.to_vec())),
        omni: Some(omni),
        ..Question::default()
    }
}

pub(super) fn found_service(facts: &Facts, channel: ChannelId) -> Result<&Channel, Refusal> {
    let channel = found(facts, channel)?;
    match channel.kind.is_service() {
        true => Ok(channel),
        false => Err(Refusal::ChannelNotFound(channel.id.0)),
    }
}

fn health(facts: &Facts) -> Option<&ProviderHealth> {
    facts.omni.channel_health.as_ref()
}

fn healthy(channel: ChannelId, stamp: &Stamp<'_>) -> Change {
    let (state, reason, since) = (ProviderState::Ok, String::new(), stamp.now);
    let health = ProviderHealth { state, reason, since };
    ChannelChange::SetHealth { channel, health }.into()
}

pub(super) fn account_changes(
    channel: ChannelId,
    account: &ProviderAccount,
) -> impl Iterator<Item = Change> + use<'_> {
    let setting = move |(name, value): (&String, &String)| {
        let (name, value) = (name.clone(), Some(value.clone()));
        ChannelChange::SetAccountSetting { channel, name, value }.into()
    };
    let secret = move |(name, value): (&String, &String)| {
        let (name, value) = (name.clone(), Some(value.clone()));
        ChannelChange::SetAccountSecret { channel, name, value }.into()
    };
    account.settings.iter().map(setting).chain(account.secrets.iter().map(secret))
}

/// Returns the endpoint for messages to the channel's customers.
pub(super) fn send_endpoint(facts: &Facts, channel: ChannelId) -> Option<&Endpoint> {
    let name = channel.to_string();
    let is_it = |it: &&Endpoint| it.kind == EventKind::ChannelSend && it.name == name;
    facts.endpoints.iter().map(|(endpoint, _)| &**endpoint).find(is_it)
}

/// Returns the changes of the two endpoints that every provider channel has.
fn endpoints(
    context: &Context,
    facts: &Facts,
    channel: &Channel,
    address: Option<&str>,
    stamp: &Stamp<'_>,
) -> Vec<Change> {
    let name = channel.id.to_string();
    let put = |kind: EventKind| {
        let before = subscribing::found(facts, kind, &name);
        let known = before.as_ref().map(|before| before.url.clone());
        let new = || format!("{}:{}", channel.kind.as_str(), address.unwrap_or_default());
        let url = known.unwrap_or_else(new);
        let policy = policy(channel.kind, kind);
        let wanted = EndpointInput { kind, url, is_enabled: channel.is_active, policy };
        subscribing::put_named(facts, &context.app, &wanted, &name, stamp).changes
    };
    KINDS.into_iter().flat_map(put).collect()
}

/// Returns the change of the endpoint that forwards the provider's events. If the target is
/// removed, the endpoint is disabled and not deleted.
fn forward_endpoint(
    context: &Context,
    facts: &Facts,
    channel: &Channel,
    target: Option<&ForwardTarget>,
    stamp: &Stamp<'_>,
) -> Vec<Change> {
    let (kind, name) = (EventKind::ChannelForward, channel.id.to_string());
    let before = subscribing::found(facts, kind, &name);
    let url = target.map(|it| it.url.clone()).or_else(|| before.map(|it| it.url.clone()));
    let Some(url) = url else { return Vec::new() };
    let is_enabled = channel.is_active && target.is_some_and(|it| it.is_enabled);
    let wanted = EndpointInput { kind, url, is_enabled, policy: DeliveryPolicy::default() };
    subscribing::put_named(facts, &context.app, &wanted, &name, stamp).changes
}

/// Returns the delivery policy of a provider channel's endpoint, for requests to the provider or
/// for the processing of its events.
fn policy(channel: ChannelKind, kind: EventKind) -> DeliveryPolicy {
    let timeout_ms = limits::CHANNEL_ATTEMPT_MS;
    let policy = DeliveryPolicy { timeout_ms, ..DeliveryPolicy::default() };
    match (kind, channel) {
        (EventKind::ChannelSend, ChannelKind::Telegram) => {
            let per_second_max = Some(limits::TELEGRAM_PER_SECOND_MAX);
            DeliveryPolicy { per_second_max, block_s: limits::CHANNEL_BLOCK_S, ..policy }
        }
        (EventKind::ChannelSend, ChannelKind::WhatsApp) => {
            let per_second_max = Some(limits::WHATSAPP_PER_SECOND_MAX);
            DeliveryPolicy { per_second_max, block_s: limits::CHANNEL_BLOCK_S, ..policy }
        }
        (EventKind::ChannelSend, _) => {
            DeliveryPolicy { block_s: limits::CHANNEL_BLOCK_S, ..policy }
        }
        _ => policy,
    }
}

/// Returns the provider's maximum number of messages per second to one customer; `None` if there is
/// no limit. The endpoint's URL names the provider.
pub fn per_second_to_customer(endpoint: &Endpoint) -> Option<u32> {
    let is_telegram = endpoint.url.starts_with("telegram:");
    (endpoint.kind == EventKind::ChannelSend && is_telegram).then_some(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::decided;

    fn connect(facts: &Facts, token: &str) -> Result<Decision<Channel>, Refusal> {
        let mut account = ProviderAccount::default();
        account.secrets.insert("bot_token".to_owned(), token.to_owned());
        let rule = ConnectProvider {
            kind: ChannelKind::Telegram,
            name: "Shop".to_owned(),
            address: "@shop_bot".to_owned(),
            account_id: "77".to_owned(),
            account,
        };
        decided(facts, &rule)
    }

    /// Returns facts with the connected channel and its endpoints.
    fn connected() -> Facts {
        let Ok(created) = connect(&Facts::default(), "77:a") else {
            panic!("the channel is connected")
        };
        let mut facts = Facts::default();
        facts.omni.channels.push(created.outcome);
        for change in created.changes {
            if let Change::Webhook(WebhookChange::PutEndpoint(endpoint)) = change {
                facts.endpoints.push((endpoint.into(), 0));
            }
        }
        facts
    }

    #[test]
    fn a_provider_channel_has_two_endpoints_and_is_connected_once() {
        let facts = connected();
        let channel = &facts.omni.channels[0];
        let kinds: Vec<_> = facts.endpoints.iter().map(|(it, _)| it.kind).collect();
        assert_eq!(kinds, KINDS);
        for (endpoint, _) in &facts.endpoints {
            assert_eq!(endpoint.name, channel.id.to_string());
            assert_eq!(endpoint.url, "telegram:@shop_bot");
        }
        assert_eq!(per_second_to_customer(&facts.endpoints[0].0), None);
        assert_eq!(per_second_to_customer(&facts.endpoints[1].0), Some(1));
        let mut facts = facts;
        facts.omni.channels[0].id = ChannelId(7);
        assert_eq!(connect(&facts, "77:b").err(), Some(Refusal::AccountConnected));
    }

    #[test]
    fn a_new_token_resumes_sending_that_the_old_one_stopped() {
        let mut facts = connected();
        let channel = facts.omni.channels[0].id;
        let (state, reason) = (ProviderState::Unauthorized, "401".to_owned());
        let since = crate::time::Timestamp(1);
        facts.omni.channel_health = Some(ProviderHealth { state, reason, since });
        let account = ProviderAccount::default();
        let (name, is_active, forward) = (None, None, None);
        let mut rule = ChangeProviderChannel { channel, name, is_active, account, forward };
        let Ok(nothing) = decided(&facts, &rule) else { panic!("the rule does not refuse") };
        assert!(nothing.changes.is_empty());
        rule.account.secrets.insert("bot_token".to_owned(), "77:b".to_owned());
        let Ok(changed) = decided(&facts, &rule) else { panic!("the channel is changed") };
        let is_resumed = |change: &Change| {
            matches!(change, Change::Webhook(WebhookChange::SetPaused { is_paused: false, .. }))
        };
        assert!(changed.changes.iter().any(is_resumed));
    }

    #[test]
    fn the_forwarding_endpoint_changes_with_the_channel() {
        let mut facts = connected();
        let channel = facts.omni.channels[0].id;
        let url = "https://a.example/".to_owned();
        let target = Some(ForwardTarget { url, is_enabled: true });
        let put = |facts: &Facts, is_active: bool, forward: Option<ForwardTarget>| {
            let (name, account) = (Some(is_active.to_string()), ProviderAccount::default());
            let is_active = Some(is_active);
            let rule = ChangeProviderChannel { channel, name, is_active, account, forward };
            let Ok(changed) = decided(facts, &rule) else { panic!("the channel is changed") };
            changed.changes.into_iter().find_map(|change| match change {
                Change::Webhook(WebhookChange::PutEndpoint(it))
                    if it.kind == EventKind::ChannelForward =>
                {
                    Some(it)
                }
                _ => None,
            })
        };
        assert!(put(&facts, true, None).is_none(), "no target");
        let created = put(&facts, true, target.clone()).expect("created");
        assert_eq!((created.url.as_str(), created.is_enabled), ("https://a.example/", true));
        facts.endpoints.push((created.into(), 0));
        let off = put(&facts, false, target).expect("updated");
        assert!(!off.is_enabled, "the channel is disabled");
        let none = put(&facts, true, None).expect("updated");
        assert!(!none.is_enabled, "the target was removed");
    }

    #[test]
    fn disconnecting_a_channel_deletes_its_secrets() {
        let facts = connected();
        let channel = facts.omni.channels[0].id;
        let Ok(disconnected) = decided(&facts, &DisconnectProvider { channel }) else {
            panic!("the channel is disconnected")
        };
        let deletes_secrets = |change: &Change| {
            matches!(change, Change::Channel(ChannelChange::DeleteSecrets { .. }))
        };
        assert!(disconnected.changes.iter().any(deletes_secrets));
        assert!(disconnected.outcome.deleted_at.is_some());
    }
}
